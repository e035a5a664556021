import { Random } from "../sim/random.ts";

/** Numbers in [0, 1) that depend on the seed alone. */
export function generator(seed: number): () => number {
  const random = new Random(seed);
  return () => random.next();
}
