import { expect, test } from "vitest";
import { kills } from "./kills.ts";

/** Enough to meet every part of a life; `node scripts/torture.ts kills` does more of them. */
const ROUNDS = 12;

test(`killed ${ROUNDS} times at random moments, the daemon loses nothing, doubles nothing, and leaves nobody behind`, async () => {
  const figures = await kills(ROUNDS, 20_261_121);
  console.log(JSON.stringify(figures));
  expect(figures).toMatchObject({ lost: 0, doubled: 0, orphans: 0, unfinished: 0 });
  expect(figures.runs).toBeGreaterThan(0);
}, 120_000);
