/**
 * Loaded into the daemon by `--import`, with the file to write to in its own address (`?to=FILE`), so that the program's
 * environment and arguments are its own: asks every millisecond to be called, and at the end of the process writes down
 * what was done in between.
 */
import { writeFileSync } from "node:fs";
import { createHistogram, type RecordableHistogram } from "node:perf_hooks";

/** Between two looks, in milliseconds. */
export interface Stretch {
  readonly p99: number;
  readonly max: number;
}

export interface Blocks {
  readonly looks: number;
  /** CPU of the thread that hears and decides: other work on the machine is no part of it, nor is waiting for a disk. */
  readonly cpu: Stretch;
  /** By the clock, with all of that. */
  readonly clock: Stretch;
}

const EVERY_MS = 1;

const to = new URL(import.meta.url).searchParams.get("to");
if (to === null) throw new Error("the address of this module has to say where to write: ?to=FILE");

const cpu = createHistogram();
const clock = createHistogram();
let at = performance.now();
let used = process.threadCpuUsage();

setInterval(() => {
  const now = performance.now();
  const usedNow = process.threadCpuUsage();
  // A histogram takes whole numbers from one on: microseconds.
  cpu.record(Math.max(1, usedNow.user + usedNow.system - used.user - used.system));
  clock.record(Math.max(1, Math.round((now - at - EVERY_MS) * 1000)));
  at = now;
  used = usedNow;
}, EVERY_MS).unref();

const stretch = (histogram: RecordableHistogram): Stretch => ({
  p99: histogram.percentile(99) / 1000,
  max: histogram.max / 1000,
});

process.on("exit", () => {
  const blocks: Blocks = { looks: cpu.count, cpu: stretch(cpu), clock: stretch(clock) };
  writeFileSync(to, JSON.stringify(blocks));
});
