/** Races: what is swapped for what, around which step, and when. And the thread that does it. */
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { generator } from "../random.ts";
import type { Ground } from "./ground.ts";
import type { StepName } from "./life.ts";
import type { Race } from "./racer.ts";

export interface Attack {
  readonly name: string;
  /** In a workspace without a repository. */
  readonly bare: boolean;
  readonly lay: () => void;
  readonly before: readonly StepName[];
  readonly during: readonly StepName[];
  readonly swapped: Race;
  /** Whether what was saved is restored afterwards. */
  readonly restored: boolean;
}

const targets = [
  "key",
  "key",
  "dir",
  "dir",
  "code.ts",
  ".git",
  ".git/objects",
  ".git/refs",
  ".git/HEAD",
  ".trash",
  ".baton",
  "root",
] as const;
export type Target = (typeof targets)[number];

/** Each with the steps that come before it undisturbed. */
const chances: readonly (readonly [readonly StepName[], readonly StepName[]])[] = [
  [[], ["prepare"]],
  [["prepare"], ["before"]],
  [["prepare", "before"], ["print"]],
  [["prepare"], ["sizes"]],
  [["prepare", "before"], ["after"]],
  [["prepare"], ["remove"]],
  [["prepare", "before"], ["remove"]],
  [[], ["prepare", "before", "print", "sizes", "after", "remove"]],
];

/** The steps in which a place counts. */
const relevant: Readonly<Record<Target, readonly StepName[]>> = {
  key: ["prepare", "before", "print", "sizes", "after", "remove"],
  root: ["prepare", "before", "print", "sizes", "after", "remove"],
  dir: ["print", "sizes", "remove"],
  "code.ts": ["print", "remove"],
  ".git": ["print", "remove"],
  ".git/objects": ["print", "remove"],
  ".git/refs": ["print", "remove"],
  ".git/HEAD": ["print", "remove"],
  ".trash": ["prepare", "remove"],
  ".baton": ["prepare", "remove"],
};

const chancesFor = (target: Target) =>
  chances.filter(([, during]) => during.some((step) => relevant[target].includes(step)));

/** Restoring costs as much as all the rest. */
const RESTORED_EVERY = 8;

/** The attack of this round. */
export function raceOf(ground: Ground, round: number, seed: number): Attack {
  const random = generator(seed + round * 7_919);
  const one = <T>(of: readonly T[], otherwise: T): T => of[Math.floor(random() * of.length)] ?? otherwise;
  // In turn, so that few rounds have met all of them.
  const target = targets[round % targets.length] ?? "key";
  const [before, during] = one(chancesFor(target), [[], ["prepare"]]);
  const bare = !target.startsWith(".git") && random() < 0.3;
  const makes = target === "key" && before.length === 0 && random() < 0.7;
  const style = one(["once", "flutter", "flutter", "steady"], "flutter");
  return {
    name: `${target} swapped (${style}) during ${during.join(", ")}${bare ? ", no repository" : ""}`,
    bare,
    before,
    during,
    restored: round % RESTORED_EVERY === 0,
    lay: () => lay(ground, target, makes),
    swapped: {
      path: placeOf(ground, target),
      to: strangerOf(ground, target),
      delayMs: random() * (during.includes("remove") ? 60 : 25),
      dwellMs: style === "once" ? Number.POSITIVE_INFINITY : style === "flutter" ? 0 : 3,
      seed: seed + round,
    },
  };
}

function lay(ground: Ground, target: Target, makes: boolean): void {
  // Left by an earlier life, so that there is something in the trash to delete and a workspace to make anew.
  mkdirSync(join(ground.root, ".trash", "left"), { recursive: true });
  mkdirSync(join(ground.root, ".baton"));
  if (target === ".baton") writeFileSync(join(ground.root, ".baton", "MT-1.creating"), "");
  if (makes) rmSync(ground.path, { recursive: true });
}

export function placeOf(ground: Ground, target: Target): string {
  if (target === "key") return ground.path;
  if (target === "root") return ground.root;
  return join(target === ".trash" || target === ".baton" ? ground.root : ground.path, target);
}

const strangers: Record<Target, string> = {
  key: "MT-1",
  dir: "dir",
  "code.ts": "secret",
  ".git": "repo/.git",
  ".git/objects": "repo/.git/objects",
  ".git/refs": "repo/.git/refs",
  ".git/HEAD": "repo/.git/HEAD",
  ".trash": "trash",
  ".baton": "marks",
  root: "root",
};

export const strangerOf = (ground: Ground, target: Target): string => join(ground.outside, strangers[target]);

/** A thread, kept for all races: starting one takes longer than a race. */
export class Racer {
  readonly #shared = new SharedArrayBuffer(8);
  readonly #state = new Int32Array(this.#shared);
  readonly #worker = new Worker(new URL("./racer.ts", import.meta.url), {
    workerData: this.#shared,
    execArgv: [],
  });

  /** Swaps while `work` is done. */
  async race(swapped: Race, work: () => Promise<void>): Promise<void> {
    Atomics.store(this.#state, 0, 1);
    const over = once(this.#worker, "message");
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    this.#worker.postMessage(swapped);
    try {
      await work();
    } finally {
      Atomics.store(this.#state, 0, 0);
      Atomics.notify(this.#state, 0);
      await over;
    }
  }

  /** Answers how often something was swapped. */
  async end(): Promise<number> {
    await this.#worker.terminate();
    return this.#state[1] ?? 0;
  }
}
