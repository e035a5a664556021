/**
 * A storm of refused requests. The limit stays used up over thousands of windows, in every way in which a server
 * says so; agents at work go on asking all the while; then it is over, and what has waited starts.
 */
import type { Fact } from "../../../src/domain/fact.ts";
import type { Figures } from "../figures.ts";
import { all, atLeast, atMost, none } from "../judge.ts";
import { generator } from "../random.ts";
import { RateRig } from "./rate-rig.ts";
import { HOUR_MS, type Storm } from "./rate-storm.ts";
import type { Suite } from "../suite.ts";

const STORM_REFUSALS = 10_000;

/** A few refusals that say nothing about when they end, after the long storm. */
const AFTERSHOCK = 8;

const DAY_MS = 24 * HOUR_MS;

/** Agents at work, and what each window brings of their questions. */
const AGENTS = 4;
const QUESTIONS = 2;

/** Facts that are the storm's own: what else is said in it must not be. */
const saidOfStorm: ReadonlySet<Fact["type"]> = new Set(["poll_failed"]);

interface Seen {
  refused: number;
  windows: number;
  toldMost: number;
  untoldMost: number;
  questions: number;
  days: number;
  said: number;
  saidTooOften: number;
  saidElse: number;
  ended: number;
  startedInStorm: number;
  startedAfter: number;
  recoveryMs: number;
  untoldRequests: number;
  untoldRecoveryMs: number;
}

async function run(rounds: number, seed: number): Promise<Figures> {
  const seen: Seen = {
    refused: 0,
    windows: 0,
    toldMost: 0,
    untoldMost: 0,
    questions: 0,
    days: 0,
    said: 0,
    saidTooOften: 0,
    saidElse: 0,
    ended: 0,
    startedInStorm: 0,
    startedAfter: 0,
    recoveryMs: 0,
    untoldRequests: 0,
    untoldRecoveryMs: 0,
  };
  for (let left = rounds, storm = 0; left > 0; left -= STORM_REFUSALS, storm++)
    await oneStorm(Math.min(left, STORM_REFUSALS), seed + storm, seen);
  return { ...seen };
}

async function oneStorm(refusals: number, seed: number, seen: Seen): Promise<void> {
  const random = generator(seed);
  const rig = new RateRig(random);
  try {
    for (let n = 0; n < AGENTS; n++) rig.add(n % 2 === 0 ? "first" : "second");
    await rig.start();
    await until(rig, () => rig.agent.live.filter(({ isBusy }) => isBusy).length === AGENTS);
    const recovery = await through(rig, { refusals, manners: "any" }, random, seen);
    seen.recoveryMs = Math.max(seen.recoveryMs, recovery);
    const before = rig.linear.refused;
    const slow = await through(rig, { refusals: AFTERSHOCK, manners: "untold" }, random, seen);
    seen.untoldRecoveryMs = Math.max(seen.untoldRecoveryMs, slow);
    seen.untoldRequests = Math.max(seen.untoldRequests, rig.linear.refused - before);
    seen.refused += rig.linear.refused;
    seen.windows += rig.linear.windows;
    seen.toldMost = Math.max(seen.toldMost, rig.linear.toldMost);
    seen.untoldMost = Math.max(seen.untoldMost, rig.linear.untoldMost);
  } finally {
    await rig.stop();
  }
}

/** From a quiet board through a storm to the first start after it. How long after its end that was. */
async function through(rig: RateRig, storm: Storm, random: () => number, seen: Seen): Promise<number> {
  const { linear, agent, clock } = rig;
  await rig.write();
  const from = rig.facts.length;
  const begunAt = clock.now();
  const sessions = agent.sessions.length;
  linear.begin(storm);
  rig.add("first");
  rig.add("second");
  while (!linear.isOver) {
    await rig.step();
    for (let n = 0; n < QUESTIONS; n++) {
      if (random() < 0.5) continue;
      seen.questions++;
      await rig.askAsAgent(Math.floor(random() * 1e6));
    }
  }
  const { end } = linear;
  const stormFacts = (): readonly Fact[] => rig.facts.slice(from).filter(({ at }) => at < end);
  await until(rig, () => agent.sessions.length === sessions + 2);
  const said = stormFacts().filter(({ type }) => saidOfStorm.has(type)).length;
  const days = (end - begunAt) / DAY_MS;
  seen.said += said;
  seen.days += days;
  // Once by each workflow, and again after each day.
  seen.saidTooOften += Math.max(0, said - 2 * (1 + Math.floor(days)));
  seen.saidElse += stormFacts().filter(({ type }) => !saidOfStorm.has(type)).length;
  seen.startedInStorm += stormFacts().filter(({ type }) => type === "claimed").length;
  seen.startedAfter += agent.sessions.length - sessions;
  seen.ended += agent.sessions.filter(({ exited, isBusy }) => exited || !isBusy).length;
  return clock.now() - end;
}

/** Deadlines in which something must have happened. */
const STEPS_MAX = 10_000;

async function until(rig: RateRig, happened: () => boolean): Promise<void> {
  for (let steps = 0; !happened(); steps++) {
    if (steps > STEPS_MAX) throw new Error("what was waited for does not happen");
    await rig.step();
  }
}

/** Two polls, one interval apart, may be needed where both workflows have something to start. */
const RECOVERY_MS = 1_000;

export const refusalStorm: Suite = {
  name: "F10",
  promise:
    "a used-up rate limit is met with two requests a window at most, stops no agent, and is over when it is over",
  rounds: { test: 1_000, ci: STORM_REFUSALS, release: 10 * STORM_REFUSALS },
  run,
  judge: all(
    none("saidTooOften", "saidElse", "ended", "startedInStorm"),
    atLeast({ refused: 1_000, windows: 500, questions: 500, startedAfter: 4, said: 2 }),
    atMost({
      toldMost: 2,
      untoldMost: 2,
      untoldRequests: 12,
      recoveryMs: RECOVERY_MS,
      untoldRecoveryMs: HOUR_MS,
    }),
  ),
};
