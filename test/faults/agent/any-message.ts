/**
 * An agent that says anything. Recorded sessions of the real Codex with damaged lines, and sequences that its own
 * schema allows and no sane server would say, through the real splitter, client and session. Without a process, in
 * virtual time. And every member that is read, of every message, with every absurd value in its place.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { absurdSession, vocabulary, type Vocabulary } from "./absurd.ts";
import type { AgentNews } from "../../../src/agent/port.ts";
import { LINE_BYTES_MAX } from "../../../src/agent/codex/lines.ts";
import { Host, noFaults, type Faults, type Ground } from "./host.ts";
import { matrix, sayCells } from "./matrix.ts";
import { mutationNames, oneOf } from "./mutations.ts";
import { recordedSessions, replay, type RecordedSession } from "./replay.ts";
import { VirtualTimers } from "./timers.ts";
import type { Figures } from "../figures.ts";
import { all, atLeast, atMost, none } from "../judge.ts";
import { generator } from "../random.ts";
import type { Suite } from "../suite.ts";

/** One such sequence for so many damaged lines. */
const LINES_PER_SEQUENCE = 100;

/** Some end the turn, and what is said after that is heard by nobody. */
const CELLS_PER_SESSION = 20;

/** How much of a session is damaged: hardly anything reaches deep, nearly everything tries the bounds. */
const SHARES = [0.05, 0.3, 0.9];
const APPROVALS = ["auto", "deny", "operator"] as const;

export const anyMessage: Suite = {
  name: "F8",
  promise: "whatever an agent says, its run ends with a name, and nobody else is hurt",
  rounds: { test: 30_000, ci: 1_000_000, release: 10_000_000 },
  listed: [
    "lines",
    "linesSaid",
    "sessions",
    "mutations",
    "members",
    "membersOf",
    "sequences",
    "sequencesInTurns",
    "methods",
    "heapGrowthMb",
  ],
  run,
  judge: all(
    none(
      "crashed",
      "hung",
      "unnamed",
      "wronglyApproved",
      "unkeepable",
      "disorderly",
      "unanswered",
      "badReplays",
    ),
    atMost({ heapGrowthMb: 50 }),
    atLeast({
      lines: 30_000,
      members: 20_000,
      mutations: mutationNames.length - 4,
      sequences: 300,
      sequencesInTurns: 200,
      ended_completed: 20,
      ended_protocol_violation: 1,
      ended_port_exit: 1,
      ended_response_timeout: 1,
      ended_turn_failed: 1,
      ended_turn_timeout: 1,
    }),
  ),
};

interface Fuzz extends Ground {
  readonly sessions: readonly RecordedSession[];
  readonly words: Vocabulary;
  /** How many sessions ended in which way. */
  readonly endings: Map<string, number>;
}

/** `rounds`: damaged lines. */
async function run(rounds: number, seed: number): Promise<Figures> {
  const timers = new VirtualTimers();
  const faults = noFaults();
  const workspace = mkdtempSync(join(tmpdir(), "faults-8-"));
  const fuzz = {
    timers,
    faults,
    workspace,
    sessions: recordedSessions(),
    words: vocabulary(),
    endings: new Map(),
  };
  const rejected = (): void => void (faults.crashed += 1);
  process.on("unhandledRejection", rejected);
  const uninstall = timers.install();
  try {
    const badReplays = (await undamaged(fuzz)) + (await withLineTooLong(fuzz));
    const before = heapBytes();
    const figures = {
      ...(await damaged(fuzz, rounds, seed)),
      ...(await everyMember(fuzz, rounds, seed)),
      ...(await absurd(fuzz, Math.ceil(rounds / LINES_PER_SEQUENCE), seed)),
    };
    const heapGrowthMb = (heapBytes() - before) / 2 ** 20;
    return { ...figures, ...faults, badReplays, heapGrowthMb, ...named(fuzz.endings) };
  } finally {
    uninstall();
    process.off("unhandledRejection", rejected);
    rmSync(workspace, { recursive: true, force: true });
  }
}

/** The recorded sessions as they are must end as they did: else the damaged ones would try nothing. */
async function undamaged(fuzz: Fuzz): Promise<number> {
  let bad = 0;
  for (const session of fuzz.sessions) {
    const whole = { session, all: [], random: () => 0.99, share: 0, approvals: session.options.approvals };
    const { ending } = await replay(whole, fuzz);
    if (ending !== (session.name === "limit" ? "usage_limit" : "completed")) bad += 1;
  }
  return bad;
}

const TOO_LONG_AT = 20;

/** In the middle of a session, a line that no memory is for: 1 when the session did not go on after it. */
async function withLineTooLong(fuzz: Fuzz): Promise<number> {
  const [session] = fuzz.sessions;
  if (session === undefined) return 1;
  let skipped = 0;
  const heard = (news: AgentNews): void => {
    if (news.type === "fact" && news.fact.type === "malformed" && news.fact.error.includes("too long"))
      skipped += 1;
  };
  const host = new Host(fuzz, { ...session.options, heard });
  const chunk = Buffer.alloc(2 ** 20, "[");
  for (const [n, { bytes }] of session.lines.entries()) {
    if (n === TOO_LONG_AT) {
      for (let size = 0; size <= LINE_BYTES_MAX; size += chunk.length) host.push(chunk);
      host.push(Buffer.from("\n"));
    }
    host.push(Buffer.concat([bytes, Buffer.from("\n")]));
  }
  await host.finish();
  return skipped === 1 && host.ending === "completed" ? 0 : 1;
}

async function damaged(fuzz: Fuzz, rounds: number, seed: number): Promise<Figures> {
  const all = fuzz.sessions.flatMap(({ lines }) => lines);
  const mutations = new Set<string>();
  let [lines, linesSaid, sessions] = [0, 0, 0];
  for (; lines < rounds; sessions++) {
    const random = generator(seed + sessions);
    const session = oneOf(random, fuzz.sessions);
    const of = { session, all, random, share: oneOf(random, SHARES), approvals: oneOf(random, APPROVALS) };
    const { lines: spoken, mutated } = await watched(
      fuzz,
      `session ${session.name}, seed ${seed + sessions}`,
      () => replay(of, fuzz),
    );
    for (const [name, times] of mutated) {
      mutations.add(name);
      lines += times;
    }
    linesSaid += spoken;
  }
  return { lines, linesSaid, sessions, mutations: mutations.size };
}

/** As many of them as there are damaged lines at most. */
async function everyMember(fuzz: Fuzz, rounds: number, seed: number): Promise<Figures> {
  const random = generator(seed);
  const [session] = fuzz.sessions;
  const { cells, whole } = matrix(fuzz.sessions, fuzz.words, random, rounds);
  if (session === undefined) return {};
  let at = 0;
  while (at < cells.length) {
    const some = cells.slice(at, at + CELLS_PER_SESSION);
    const approvals = oneOf(random, APPROVALS);
    const { said } = await watched(fuzz, `members from ${at} of ${cells.length}`, () =>
      sayCells(some, session, approvals, fuzz),
    );
    at += said;
  }
  return { members: cells.length, membersOf: whole };
}

async function absurd(fuzz: Fuzz, sequences: number, seed: number): Promise<Figures> {
  let sequencesInTurns = 0;
  for (let n = 0; n < sequences; n++) {
    const { reachedTurn } = await watched(fuzz, `sequence, seed ${seed + n}`, () =>
      absurdSession(fuzz.words, generator(seed + n), fuzz),
    );
    if (reachedTurn) sequencesInTurns += 1;
  }
  return { sequences, sequencesInTurns, methods: fuzz.words.methods };
}

/** Counts how the session ends, and says which one it was when something went wrong in it. */
async function watched<T extends { readonly ending: string }>(
  fuzz: Fuzz,
  what: string,
  play: () => Promise<T>,
): Promise<T> {
  const before = total(fuzz.faults);
  const played = await play();
  if (total(fuzz.faults) > before) process.stderr.write(`${anyMessage.name}: ${what}\n`);
  fuzz.endings.set(played.ending, (fuzz.endings.get(played.ending) ?? 0) + 1);
  return played;
}

const total = (faults: Faults): number =>
  Object.values(faults).reduce((sum: number, count: number) => sum + count, 0);

const named = (endings: ReadonlyMap<string, number>): Figures =>
  Object.fromEntries([...endings].map(([kind, count]) => [`ended_${kind}`, count]));

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

function heapBytes(): number {
  collect();
  return process.memoryUsage().heapUsed + process.memoryUsage().external;
}
