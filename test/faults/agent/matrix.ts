/** Every member that a client reads, of every message that Codex sends, with every absurd value in its place. */
import type { Vocabulary } from "./absurd.ts";
import { Host, type Fields, type Ground, type HostOptions } from "./host.ts";
import { ABSURD, recordedLine, replaced, type Path, type RecordedLine } from "./mutations.ts";
import type { RecordedSession } from "./replay.ts";

/** A few of each message of the schema: alternatives and what may be left out differ. */
const SAMPLES = 3;

/** One place in one message, and what is put there. */
interface Cell {
  readonly message: Fields;
  readonly path: Path;
  readonly value: unknown;
}

export interface Matrix {
  readonly cells: readonly Cell[];
  /** How many there are when none is left out. */
  readonly whole: number;
}

/** At most so many of them, in any order. */
export function matrix(
  sessions: readonly RecordedSession[],
  words: Vocabulary,
  random: () => number,
  max: number,
): Matrix {
  const [first] = sessions;
  const shapes = [...recordedShapes(sessions), ...schemaShapes(words, random)].map((line) =>
    inSession(line, first),
  );
  const cells = shapes.flatMap(({ message, read }) =>
    read.flatMap((path) => ABSURD.map((value) => ({ message, path, value }))),
  );
  return { cells: shuffled(cells, random).slice(0, max), whole: cells.length };
}

/** What is said last is what counts, of some things. */
function shuffled<T>(list: readonly T[], random: () => number): readonly T[] {
  const keyed = list.map((one) => ({ one, key: random() }));
  return keyed.toSorted((a, b) => a.key - b.key).map(({ one }) => one);
}

const lineOf = ({ message, path, value }: Cell): Buffer =>
  Buffer.from(`${JSON.stringify(replaced(message, path, value))}\n`);

/** The fullest line of each method, and of each type of item. */
function recordedShapes(sessions: readonly RecordedSession[]): readonly RecordedLine[] {
  const lines = sessions
    .flatMap((session) => session.lines)
    .toSorted((a, b) => a.paths.length - b.paths.length);
  return [...new Map(lines.map((line) => [shapeOf(line), line])).values()];
}

function shapeOf({ message }: RecordedLine): string {
  const params = message["params"] as { item?: { type?: unknown }; turn?: { status?: unknown } } | undefined;
  return JSON.stringify([
    message["method"],
    params?.item?.type,
    params?.turn?.status,
    message["id"] === undefined,
  ]);
}

/** As if it were said in this session and in its first turn: what is about others is not listened to. */
function inSession({ message }: RecordedLine, session: RecordedSession | undefined): RecordedLine {
  const { threadId, turn: running } = (session?.lines[beginOf(session)]?.message["params"] ?? {}) as Fields;
  const params = (message["params"] ?? {}) as Fields;
  const turn = params["turn"];
  const own = {
    ...params,
    ...("threadId" in params && { threadId }),
    ...("turnId" in params && { turnId: (running as Fields)["id"] }),
    ...(typeof turn === "object" && turn !== null && { turn: { ...turn, id: (running as Fields)["id"] } }),
  };
  return recordedLine(JSON.stringify("params" in message ? { ...message, params: own } : message));
}

/** Where its first turn has begun. */
const beginOf = ({ lines }: RecordedSession): number =>
  lines.findIndex(({ message }) => message["method"] === "turn/started");

const schemaShapes = ({ speakers }: Vocabulary, random: () => number): readonly RecordedLine[] =>
  speakers.flatMap((speak) =>
    Array.from({ length: SAMPLES }, () => recordedLine(JSON.stringify(speak(random)))),
  );

/** Says them in the middle of a turn, which then fails for a used-up limit. How many were said. */
export async function sayCells(
  cells: readonly Cell[],
  session: RecordedSession,
  approvals: HostOptions["approvals"],
  ground: Ground,
): Promise<{ readonly said: number; readonly ending: string }> {
  const host = new Host(ground, { ...session.options, turns: 1, approvals });
  for (const { bytes } of session.lines.slice(0, beginOf(session) + 1))
    host.push(Buffer.concat([bytes, END]));
  let said = 0;
  for (const cell of cells) {
    if (!host.inTurn) break;
    host.push(lineOf(cell));
    said += 1;
  }
  host.push(USED_UP);
  await host.finish();
  return { said: Math.max(1, said), ending: host.ending };
}

const END = Buffer.from("\n");
const error = { message: "used up", codexErrorInfo: "usageLimitExceeded" };
const USED_UP = Buffer.from(
  `${JSON.stringify({ method: "turn/completed", params: { turn: { status: "failed", error } } })}\n`,
);
