/**
 * Agents that die, or might as well have. Real processes under the real launcher, the real session and the real
 * scheduler: each death has a reason of its own, the issue is tried again as it should be, and nothing is left.
 */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import PQueue from "p-queue";
import { createCodexAgent } from "../../../src/agent/codex/codex.ts";
import { killQuietly } from "../../../src/processes/kill.ts";
import { failureScope, type Failure } from "../../../src/domain/failure.ts";
import { deaths, type Death } from "./deaths.ts";
import { BenchRun, SILENCE_MS } from "./run.ts";
import { commandOf, plainEnv, specOf, tokenOf } from "./trees.ts";
import { processesNamed } from "../../processes.ts";
import type { Figures } from "../figures.ts";
import { all, atLeast, atMost, none } from "../judge.ts";
import type { Suite } from "../suite.ts";

const AT_ONCE = 6;
/** Different words. Before and during `initialize` are one: whether it read the request is known to nobody. */
const REASONS = deaths.length - 1;
/** Nothing here ends when it is asked to. */
const patience = { muteMs: 100, interruptMs: 200, cleanMs: 100 };

export const dyingAgents: Suite = {
  name: "F15",
  promise: "every death of an agent has its own name, and its issue the right next try",
  rounds: { test: 2, ci: 50, release: 500 },
  run,
  judge: all(
    none("wrongKind", "poorWords", "wrongRetry", "notEnded", "left"),
    atLeast({ deaths: 22, kinds: deaths.length, reasons: REASONS }),
    // From the start of the session to its last word.
    atMost({ tookMsMax: 15_000 }),
  ),
};

interface Tally {
  deaths: number;
  wrongKind: number;
  poorWords: number;
  wrongRetry: number;
  notEnded: number;
  left: number;
  tookMsMax: number;
}

/** `rounds`: of each death. */
async function run(rounds: number): Promise<Figures> {
  const home = mkdtempSync(join(tmpdir(), "faults-15-"));
  writeFileSync(join(home, "not-a-program"), "#!/bin/sh\n");
  chmodSync(join(home, "not-a-program"), 0o644);
  const tally: Tally = {
    deaths: 0,
    wrongKind: 0,
    poorWords: 0,
    wrongRetry: 0,
    notEnded: 0,
    left: 0,
    tookMsMax: 0,
  };
  const reasons = new Map<string, string>();
  try {
    const queue = new PQueue({ concurrency: AT_ONCE });
    const rows = Array.from({ length: rounds }, (_, n) =>
      deaths.map((death) => () => died(death, n, home, tally, reasons)),
    );
    await queue.addAll(rows.flat());
    return { rounds, kinds: deaths.length, reasons: new Set(reasons.values()).size, ...tally };
  } finally {
    for (const pid of processesNamed(tokenOf("d"))) killQuietly(pid, "SIGKILL");
    rmSync(home, { recursive: true, force: true });
  }
}

const PATIENCE_MS = 30_000;

async function died(
  death: Death,
  n: number,
  home: string,
  tally: Tally,
  reasons: Map<string, string>,
): Promise<void> {
  const token = tokenOf(`d${death.name}${n}`);
  const run = new BenchRun(
    (clock) => createCodexAgent({ clock, env: plainEnv(home), version: "0", patience }),
    specOf(`${token}.r1`, commandLine(death, token, home), home),
  );
  const begun = performance.now();
  tally.deaths += 1;
  await doneTo(run, death);
  const why = await within(PATIENCE_MS, run.exited);
  if (why === undefined || why === null) {
    tally.notEnded += 1;
    return tell(death, n, "did not end, or without a failure");
  }
  tally.tookMsMax = Math.max(tally.tookMsMax, performance.now() - begun);
  reasons.set(death.name, `${why.kind}: ${why.message.replaceAll(home, "")}`);
  if (why.kind !== death.kind || failureScope(why.kind) !== scopeOf(death)) {
    tally.wrongKind += 1;
    tell(death, n, JSON.stringify(why));
  }
  if (!isWellSaid(why, death)) {
    tally.poorWords += 1;
    tell(death, n, JSON.stringify(why));
  }
  if (!isTriedAgain(run, death)) {
    tally.wrongRetry += 1;
    tell(death, n, JSON.stringify(run.claim));
  }
  const alive = processesNamed(token);
  tally.left += alive.length;
  for (const pid of alive) killQuietly(pid, "SIGKILL");
}

const tell = (death: Death, n: number, what: string): void =>
  void process.stderr.write(`${dyingAgents.name}: ${death.name}, round ${n}: ${what}\n`);

function commandLine({ command }: Death, token: string, home: string): string {
  if ("server" in command) return commandOf(token, [command.server]);
  return join(home, command.program === "missing" ? "no-such-codex" : "not-a-program");
}

async function doneTo(run: BenchRun, { done }: Death): Promise<void> {
  if (done === "nothing") return;
  await within(PATIENCE_MS, run.inTurn);
  if (done === "kill") killQuietly(await run.launched, "SIGKILL");
  // Silence: the time passes for the scheduler alone.
  else run.pass(SILENCE_MS);
}

/** What happened, where, why as far as the process said it, and what to do. */
const isWellSaid = ({ message, hint, detail }: Failure, { says, todo, detail: words }: Death): boolean =>
  says.test(message) && todo.test(hint ?? "") && (words === null || words.test(detail ?? ""));

/** Counted against the issue, and tried again after the first wait. */
function isTriedAgain(run: BenchRun, death: Death): boolean {
  const { claim } = run;
  if (claim?.phase !== "waiting") return false;
  if (scopeOf(death) === "installation") return claim.held === true && claim.kind === "first";
  return claim.kind === "retry" && claim.retryAt - run.now === FIRST_WAIT_MS;
}

/** A program that is not there is nobody's issue: it holds the workflow, and the attempt counts for nothing. */
const scopeOf = ({ command }: Death): "issue" | "installation" =>
  "server" in command ? "issue" : "installation";

/** SPEC 8.4: the first retry comes after 10 s. */
const FIRST_WAIT_MS = 10_000;

async function within<T>(ms: number, what: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), ms);
  return Promise.race([what, late.promise]).finally(() => clearTimeout(timer));
}
