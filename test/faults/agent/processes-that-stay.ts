/**
 * Processes that do not want to end with their run. Real trees under a small app-server, started by the real
 * launcher, and the next start after a daemon that was killed. Found by their command lines, which is not how Baton
 * finds them.
 */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import PQueue from "p-queue";
import { createCodexAgent } from "../../../src/agent/codex/codex.ts";
import type { Patience } from "../../../src/agent/codex/process.ts";
import { killQuietly } from "../../../src/processes/kill.ts";
import type { AgentNews } from "../../../src/agent/port.ts";
import { machine } from "../../../src/processes/machine.ts";
import { endSurvivors } from "../../../src/daemon/survivors.ts";
import { issueId } from "../../../src/domain/issue.ts";
import { noTokens, runId, threadId, workflowName } from "../../../src/domain/run.ts";
import { instant } from "../../../src/domain/time.ts";
import type { OpenRun } from "../../../src/ledger/port.ts";
import type { Kept } from "./keeper.ts";
import {
  commandOf,
  ends,
  mayEscape,
  plainEnv,
  specOf,
  tokenOf,
  trees,
  type End,
  type Tree,
} from "./trees.ts";
import { processesNamed } from "../../processes.ts";
import type { Figures } from "../figures.ts";
import { all, atLeast, atMost, none } from "../judge.ts";
import type { Suite } from "../suite.ts";

/** Most of those that will not leave are not given the time that they usually have. */
const impatient = { leaveMs: 300, termMs: 300 };
const PATIENT_ONE_IN = 5;

/** Runs under way at once: most of their time is waiting. */
const AT_ONCE = 6;
/** One tree in so many is left behind by a daemon that was killed, each daemon with some of them. */
const KILLED_ONE_IN = 4;
const TREES_PER_DAEMON = 10;
/** The first daemon has those that are hard to end. */
const FIRST_TREE = trees.indexOf("deaf");
/** And one in so many is ended while it is being planted. */
const AT_ONCE_ONE_IN = 7;

export const processesThatStay: Suite = {
  name: "F14",
  promise:
    "no process outlives its run, or at least the next start, but for the kinds that RELIABILITY.md names",
  rounds: { test: 40, ci: 200, release: 1_000 },
  run,
  judge: all(
    none("survivors", "startSurvivors", "notEnded"),
    // Contract C3 and the bound of a start; 2 s after an end of its own, also when somebody holds the output.
    atMost({ stopMsMax: 15_000, settleMsMax: 2_000, startMsMax: 5_000 }),
    atLeast({ rounds: 40, kinds: 15, processes: 100, nextStarts: 1, escapesTried: 1 }),
  ),
};

interface Tally {
  /** Processes that were there when the end began. */
  processes: number;
  survivors: number;
  notEnded: number;
  stopMsMax: number;
  settleMsMax: number;
  /** Trees without any trace, and how many of them lived on. */
  escapesTried: number;
  escapes: number;
}

async function run(rounds: number): Promise<Figures> {
  const home = mkdtempSync(join(tmpdir(), "faults-14-"));
  const tally: Tally = {
    processes: 0,
    survivors: 0,
    notEnded: 0,
    stopMsMax: 0,
    settleMsMax: 0,
    escapesTried: 0,
    escapes: 0,
  };
  const left = Math.ceil(rounds / KILLED_ONE_IN);
  try {
    const queue = new PQueue({ concurrency: AT_ONCE });
    const one = (n: number): Promise<void> => ended(n, home, tally, n % AT_ONCE_ONE_IN === 1);
    await queue.addAll(Array.from({ length: rounds - left }, (_, n) => () => one(n)));
    const starts = { nextStarts: 0, startSurvivors: 0, startMsMax: 0, startEscapes: 0 };
    for (let n = 0; n < left; n += TREES_PER_DAEMON) {
      await nextStart(n, Math.min(TREES_PER_DAEMON, left - n), home, starts, tally);
    }
    return { rounds, kinds: trees.length, ...tally, ...starts };
  } finally {
    for (const pid of processesNamed(tokenOf(""))) killQuietly(pid, "SIGKILL");
    rmSync(home, { recursive: true, force: true });
  }
}

const PATIENCE_MS = 30_000;

/** Each tree with each end, in an order that has all trees and all ends in the first few. */
function pairOf(n: number): { readonly tree: Tree; readonly end: End } {
  const at = ((n + FIRST) * STRIDE) % (trees.length * ends.length);
  return { tree: trees[at % trees.length] ?? "group", end: ends[Math.floor(at / trees.length)] ?? "stop" };
}

/** No divisor in common with the number of pairs. */
const STRIDE = 17;
/** Where the order begins with a child without a mark that is stopped. */
const FIRST = 36;

/** One tree and one way to end its run. `atOnce`: not even its planting is waited for. */
async function ended(n: number, home: string, tally: Tally, atOnce: boolean): Promise<void> {
  const { tree, end } = pairOf(n);
  const token = tokenOf(`a${n}`);
  const session = new Watched(home, token, tree, end, n % PATIENT_ONE_IN === 0 ? {} : impatient);
  await session.until(atOnce && end !== "exit" ? "turn" : end === "exit" ? "exited" : "planted");
  tally.processes += processesNamed(token).length;
  const begun = Date.now();
  session.end();
  if (!(await session.until("exited"))) tally.notEnded += 1;
  const tookMs = session.exitedAt - (session.leftAt ?? begun);
  if (end === "stop" || end === "stubborn") tally.stopMsMax = Math.max(tally.stopMsMax, tookMs);
  else tally.settleMsMax = Math.max(tally.settleMsMax, tookMs);
  const alive = processesNamed(token);
  // Ended before it was planted, or so early that nobody had looked: what it would have done is not known.
  if (mayEscape(tree, end) || (tree === "bare_child" && atOnce)) {
    tally.escapesTried += 1;
    tally.escapes += alive.length > 0 ? 1 : 0;
  } else {
    tally.survivors += alive.length;
    if (alive.length > 0)
      process.stderr.write(
        `${processesThatStay.name}: ${tree} ended by ${end} (round ${n}) left ${alive.length}\n`,
      );
  }
  for (const pid of alive) killQuietly(pid, "SIGKILL");
}

type Moment = "turn" | "planted" | "exited";

/** A session on the small app-server, and what has happened in it. */
class Watched {
  exitedAt = 0;
  /** When the server went by itself, by its own clock. */
  leftAt: number | null = null;
  readonly #end: End;
  readonly #session: ReturnType<ReturnType<typeof createCodexAgent>["start"]>;
  readonly #moments: { readonly [moment in Moment]: PromiseWithResolvers<true> } = {
    turn: Promise.withResolvers(),
    planted: Promise.withResolvers(),
    exited: Promise.withResolvers(),
  };
  #pid = 0;

  constructor(home: string, token: string, tree: Tree, end: End, patience: Partial<Patience>) {
    this.#end = end;
    const words = [...(end === "stubborn" ? ["stubborn"] : []), tree, ...(end === "exit" ? ["leaves"] : [])];
    const agent = createCodexAgent({
      clock: () => instant(Date.now()),
      env: plainEnv(home),
      version: "0",
      patience,
    });
    this.#session = agent.start(specOf(`${token}.r1`, commandOf(token, words), home), (news) =>
      this.#heard(news),
    );
  }

  /** False when it does not come. */
  async until(moment: Moment): Promise<boolean> {
    const late = Promise.withResolvers<false>();
    const timer = setTimeout(() => late.resolve(false), PATIENCE_MS);
    return Promise.race([this.#moments[moment].promise, this.#moments.exited.promise, late.promise]).finally(
      () => clearTimeout(timer),
    );
  }

  end(): void {
    if (this.#end === "killed") killQuietly(this.#pid, "SIGKILL");
    else if (this.#end !== "exit") this.#session.stop(null);
  }

  #heard(news: AgentNews): void {
    if (news.type === "launched") this.#pid = news.pid;
    if (news.type === "opened") this.#session.turn("plant");
    if (news.type === "turn_started") this.#moments.turn.resolve(true);
    if (news.type === "fact" && news.fact.type === "agent_said") this.#moments.planted.resolve(true);
    if (news.type !== "exited") return;
    this.exitedAt = Date.now();
    const left = Number(/^left at (\d+)/m.exec(news.failure?.detail ?? "")?.[1] ?? Number.NaN);
    if (Number.isFinite(left)) this.leftAt = left;
    this.#moments.exited.resolve(true);
  }
}

interface Starts {
  nextStarts: number;
  startSurvivors: number;
  startMsMax: number;
  startEscapes: number;
}

/** A daemon with some trees is killed, and the next one starts. */
async function nextStart(
  first: number,
  count: number,
  home: string,
  starts: Starts,
  tally: Tally,
): Promise<void> {
  const installation = tokenOf(`i${first}`);
  const token = tokenOf(`b${first}`);
  const stubborn = (first / TREES_PER_DAEMON) % 2 === 1;
  const planted = Array.from(
    { length: count },
    (_, n) => trees[(FIRST_TREE + first + n) % trees.length] ?? "group",
  );
  const keeper = fork(fileURLToPath(new URL("keeper.ts", import.meta.url)), [
    installation,
    home,
    stubborn ? "yes" : "no",
    token,
    ...planted,
  ]);
  const open = await keptBy(keeper, count);
  tally.processes += processesNamed(token).length;
  keeper.kill("SIGKILL");
  await once(keeper, "exit");
  const begun = Date.now();
  const { left } = await endSurvivors(installation, open);
  starts.startMsMax = Math.max(starts.startMsMax, Date.now() - begun);
  starts.nextStarts += 1;
  starts.startSurvivors += left.length;
  for (const [n, tree] of planted.entries()) {
    const alive = processesNamed(`${token}${n}x`);
    if (mayEscape(tree, stubborn ? "stubborn" : "daemon killed")) {
      tally.escapesTried += 1;
      starts.startEscapes += alive.length > 0 ? 1 : 0;
    } else if (alive.length > 0) {
      starts.startSurvivors += alive.length;
      process.stderr.write(
        `${processesThatStay.name}: ${tree} outlived the next start (stubborn ${stubborn}, batch ${first})\n`,
      );
    }
    for (const pid of alive) killQuietly(pid, "SIGKILL");
  }
}

/** What the ledger would know when all trees stand. */
async function keptBy(keeper: ChildProcess, count: number): Promise<readonly OpenRun[]> {
  const runs = new Map<number, Kept>();
  const { promise, resolve, reject } = Promise.withResolvers<true>();
  const timer = setTimeout(() => reject(new Error("the trees were not planted in time")), PATIENCE_MS);
  keeper.on("message", (kept: Kept) => {
    runs.set(kept.n, { ...runs.get(kept.n), ...kept });
    if ([...runs.values()].filter((one) => one.planted === true).length === count) resolve(true);
  });
  keeper.on("exit", () => reject(new Error("the keeper is gone")));
  await promise.finally(() => clearTimeout(timer));
  return [...runs.values()].map(openRun);
}

const openRun = ({ n, pid = 0, startTicks = null, thread = "" }: Kept): OpenRun => ({
  runId: runId(`r${n}`),
  issueId: issueId(`issue-${n}`),
  identifier: `A-${n}`,
  workflow: workflowName("main"),
  startedAt: instant(1),
  pid,
  startTicks,
  bootId: machine.bootId(),
  workspace: null,
  thread: threadId(thread),
  turns: 1,
  tokens: noTokens,
  threadTotal: noTokens,
});
