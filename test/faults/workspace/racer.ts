/** Puts a link in a directory's (or a file's) place and takes it away again, as fast as it can, until it is told to stop. */
import { lstatSync, renameSync, symlinkSync, unlinkSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { generator } from "../random.ts";

export interface Race {
  /** What is swapped. */
  readonly path: string;
  /** Where its link points. */
  readonly to: string;
  /** Before the first swap. */
  readonly delayMs: number;
  /** The longest time between two swaps; 0: at once. Infinity: there is one swap only. */
  readonly dwellMs: number;
  readonly seed: number;
}

/** Shared with who started it: 1 while it shall go on, and how often it has swapped. */
const [going, swaps] = [0, 1];
const shared = new Int32Array(workerData as SharedArrayBuffer);

parentPort?.on("message", (race: Race) => {
  const aside = `${race.path}.aside`;
  const link = `${race.path}.link`;
  symlinkSync(race.to, link);
  const random = generator(race.seed);
  pause(race.delayMs);
  for (let isLink = false; Atomics.load(shared, going) === 1; ) {
    const moved = isLink
      ? tried(() => renameSync(race.path, link)) && tried(() => renameSync(aside, race.path))
      : tried(() => renameSync(race.path, aside)) && tried(() => renameSync(link, race.path));
    if (!moved) continue;
    isLink = !isLink;
    Atomics.add(shared, swaps, 1);
    if (race.dwellMs === Number.POSITIVE_INFINITY) break;
    pause(random() * race.dwellMs);
  }
  Atomics.wait(shared, going, 1);
  putBack(race.path, aside, link);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage("over");
});

/** Busy in its last part: a timer is slower than what it shall hit. */
function pause(ms: number): void {
  const end = performance.now() + ms;
  if (ms > BUSY_MS) Atomics.wait(shared, going, 1, ms - BUSY_MS);
  while (performance.now() < end && Atomics.load(shared, going) === 1);
}

const BUSY_MS = 0.3;

function tried(swap: () => void): boolean {
  try {
    swap();
    return true;
  } catch {
    return false;
  }
}

function putBack(path: string, aside: string, link: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) tried(() => unlinkSync(path));
  tried(() => unlinkSync(link));
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) tried(() => renameSync(aside, path));
}
