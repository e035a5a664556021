/**
 * What an agent can do to its workspace and around it, while Baton makes it, looks at it, saves its work and removes
 * it. First every kind of thing that can lie there, then races: a link that takes a place and gives it back meanwhile.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Figures } from "../figures.ts";
import { all, atLeast, atMost, none } from "../judge.ts";
import type { Suite } from "../suite.ts";
import { tryDirected } from "./directed.ts";
import { Tally } from "./tally.ts";
import { Ground } from "./ground.ts";
import { tryIdentifiers } from "./identifiers.ts";
import { kinds } from "./kinds.ts";
import { Life, type StepName } from "./life.ts";
import { Racer, raceOf } from "./races.ts";

const CI_ROUNDS = 100;
const RELEASE_ROUNDS = 1_000;

/** A hundred thousand are made, looked at and removed within some seconds; a million take a minute. */
const filesFor = (rounds: number): number =>
  rounds >= RELEASE_ROUNDS ? 1_000_000 : rounds >= CI_ROUNDS ? 100_000 : 500;

/**
 * What is left of git's own race (docs/decisions/git-on-the-host.md): names of a directory outside are listed, no file is
 * opened. Seen in two races of a thousand and in two of a hundred: chance decides. More than this is no chance.
 */
const listedMax = (rounds: number): number => Math.max(3, Math.ceil(rounds / 20));

export const hostileWorkspaces: Suite = {
  name: "F23",
  promise: "whatever an agent puts in or around its workspace, no file outside is read, written or removed",
  rounds: { test: 12, ci: CI_ROUNDS, release: RELEASE_ROUNDS },
  run: async (rounds, seed) => {
    const ground = new Ground();
    const tally = new Tally(ground);
    try {
      await tryIdentifiers(ground, tally);
      await tryKinds(ground, tally, rounds);
      await tryDirected(ground, tally, rounds >= CI_ROUNDS);
      await tryRaces(ground, tally, rounds, seed);
      return tally.figures(rounds);
    } finally {
      ground.end();
    }
  },
  judge: (figures: Figures) =>
    all(
      none("changed", "read", "leaked", "ran", "hung", "unnamed", "surprises"),
      atLeast({
        kinds: 70,
        identifiers: 20,
        directed: 5,
        races: figures["rounds"] ?? 1,
        swaps: (figures["rounds"] ?? 1) * 2,
      }),
      atMost({ slowestMs: 60_000, listed: listedMax(figures["rounds"] ?? 0) }),
    )(figures),
};

/** In a test of some seconds: before a removal everything is looked at. */
const fewSteps: readonly StepName[] = ["prepare", "remove"];
const allSteps: readonly StepName[] = ["prepare", "before", "print", "sizes", "after", "remove", "restore"];

async function tryKinds(ground: Ground, tally: Tally, rounds: number): Promise<void> {
  const steps = rounds < CI_ROUNDS ? fewSteps : allSteps;
  for (const kind of kinds(filesFor(rounds))) {
    ground.fresh({ bare: kind.bare === true });
    kind.lay(ground);
    ground.arm();
    const life = new Life(ground, { bash: false });
    for (const step of steps) {
      const { answer } = tally.step(kind.name, await life.do(step));
      const wanted = kind.expect[step];
      if (wanted !== undefined && (answer ?? "refused") !== wanted)
        tally.surprise(kind.name, `${step} came to ${answer ?? "refused"}, not ${wanted}`);
    }
    tally.look(kind.name, kind.reads);
    tally.kinds++;
  }
}

async function tryRaces(ground: Ground, tally: Tally, rounds: number, seed: number): Promise<void> {
  const racer = new Racer();
  try {
    for (let round = 0; round < rounds; round++) {
      const race = raceOf(ground, round, seed);
      const name = `race ${round} of seed ${seed}: ${race.name}`;
      ground.fresh({ bare: race.bare });
      race.lay();
      const life = new Life(ground, { bash: true });
      await life.meet();
      for (const step of race.before) tally.step(name, await life.do(step));
      ground.arm();
      await racer.race(race.swapped, async () => {
        for (const step of race.during) tally.step(name, await life.do(step));
        // The swap may be meant for later than the steps took.
        await delay(0);
      });
      if (race.restored) tally.step(name, await life.do("restore"));
      tally.lookAfterRace(name);
      tally.races++;
    }
  } finally {
    tally.swaps = await racer.end();
  }
}
