/**
 * Tracker payloads. Every field of every answer that the adapter reads, spoiled in every way; then spoiled at random;
 * then answers that are made to be expensive. What comes out is held against an oracle of its own.
 */
import { setImmediate as turnOfLoop } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { all, atLeast, atMost, none } from "../judge.ts";
import type { Figures } from "../figures.ts";
import { generator } from "../random.ts";
import type { Suite } from "../suite.ts";
import { feed, REQUESTS_MAX } from "./feed.ts";
import { BODY_BYTES_MAX, bombsOf } from "./bombs.ts";
import { repliesOf, scenarios, type Reply, type Scenario } from "./replies.ts";
import { pathsIn, pick, replaced, spoiled, textOf, ways } from "./spoil.ts";

/** Problems shown on stderr; what follows the first few is the same again. */
const SHOWN_MAX = 10;

/** Asked for now and then, so that what is garbage is not counted; some of it only goes with a turn of the event loop. */
async function collect(): Promise<void> {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void;
  gc();
  await turnOfLoop();
  gc();
}

/** Answers in memory need no turn of the event loop, and those of a network come with one. */
const ROUNDS_PER_TURN = 100;

/**
 * From so many rounds on the matrix is whole and the bombs are as large as can be; below, a part of both. The number of
 * ways must not be divisible by it, or some would never be met.
 */
const WHOLE_FROM = 100_000;
const SHARE = 13;

class Tally {
  readonly kinds = new Set<string>();
  wrong = 0;
  failed = 0;
  read = 0;
  issues = 0;
  told = 0;
  requestsMost = 0;
  slowestMs = 0;

  async add(scenario: Scenario, replies: ReadonlyMap<string, Reply>, name: () => string): Promise<void> {
    const { problem, kind, issues, told, requests, cpuMs } = await feed(scenario, replies);
    this.slowestMs = Math.max(this.slowestMs, cpuMs);
    if (kind === null) this.read++;
    else this.failed++;
    if (kind !== null) this.kinds.add(kind);
    this.issues += issues;
    this.told += told;
    this.requestsMost = Math.max(this.requestsMost, requests);
    if (problem === null) return;
    this.wrong++;
    if (this.wrong <= SHOWN_MAX)
      process.stderr.write(`${spoiledAnswers.name} ${scenario.name}: ${problem}: ${name()}\n`);
  }
}

async function run(rounds: number, seed: number): Promise<Figures> {
  const matrix = new Tally();
  const share = rounds >= WHOLE_FROM ? 1 : SHARE;
  const cells = await everyField(matrix, share, seed);
  await collect();
  const heapBefore = process.memoryUsage().heapUsed;
  const random = new Tally();
  await anything(random, rounds, seed);
  const costly = new Tally();
  const bombs = bombsOf(BODY_BYTES_MAX / share);
  for (const [name, make] of bombs) await costly.add(...make(), () => name);
  await collect();
  const heapGrowthMb = Math.max(0, (process.memoryUsage().heapUsed - heapBefore) / 2 ** 20);
  return {
    cells,
    rounds,
    bombs: bombs.size,
    wrong: matrix.wrong + random.wrong + costly.wrong,
    failed: matrix.failed + random.failed + costly.failed,
    read: matrix.read + random.read,
    issues: matrix.issues + random.issues,
    told: matrix.told + random.told,
    kinds: new Set([...matrix.kinds, ...random.kinds]).size,
    requestsMost: Math.max(matrix.requestsMost, random.requestsMost),
    requestsOfBombs: costly.requestsMost,
    slowestFieldMs: matrix.slowestMs,
    slowestRandomMs: random.slowestMs,
    slowestBombMs: costly.slowestMs,
    heapGrowthMb,
  };
}

/** The matrix, or every so-manieth cell of it: one field, one way, everything else as it should be. */
async function everyField(tally: Tally, share: number, seed: number): Promise<number> {
  let [cells, cell] = [0, seed];
  for (const scenario of scenarios) {
    const good = repliesOf(scenario.answers);
    await tally.add(scenario, good, () => "unspoiled");
    for (const [request, answer] of Object.entries(scenario.answers)) {
      for (const path of pathsIn(answer)) {
        for (const [way, value] of ways) {
          if (++cell % share !== 0) continue;
          cells++;
          const body = textOf(replaced(answer, path, value));
          await tally.add(
            scenario,
            new Map(good).set(request, { status: 200, body }),
            () => `${request} ${path.join(".")} is ${way}`,
          );
        }
      }
    }
  }
  return cells;
}

async function anything(tally: Tally, rounds: number, seed: number): Promise<void> {
  const random = generator(seed);
  const prepared = scenarios.map((scenario) => ({ scenario, good: repliesOf(scenario.answers) }));
  for (let round = 0; round < rounds; round++) {
    if (round % ROUNDS_PER_TURN === 0) await turnOfLoop();
    const { scenario, good } = pick(random, prepared);
    const [request, answer] = pick(random, Object.entries(scenario.answers));
    const body = spoiled(answer, random);
    const status = random() < 0.02 ? pick(random, [201, 204, 302, 400, 401, 404, 500, 503]) : 200;
    const reply = { status, body: status === 204 ? "" : body };
    await tally.add(
      scenario,
      new Map(good).set(request, reply),
      () => `seed ${seed} round ${round}: ${request} ${status} ${body.slice(0, 1_500)}`,
    );
  }
}

export const spoiledAnswers: Suite = {
  name: "F9",
  promise:
    "a tracker's answer that cannot be believed makes no issue, fails by name, and costs a known amount",
  rounds: { test: 3_000, ci: 100_000, release: 1_000_000 },
  run,
  judge: all(
    none("wrong"),
    atLeast({
      cells: 2_000,
      rounds: 1,
      bombs: 10,
      read: 1_000,
      failed: 1_000,
      issues: 1_000,
      told: 500,
      kinds: 3,
    }),
    atMost({
      requestsMost: 15,
      requestsOfBombs: REQUESTS_MAX,
      slowestFieldMs: 500,
      slowestRandomMs: 500,
      slowestBombMs: 2_000,
      heapGrowthMb: 30,
    }),
  ),
};
