/** Sessions as they were recorded from a real Codex, said again with some of their lines damaged. */
import { readFileSync } from "node:fs";
import { Host, type Fields, type Ground, type HostOptions } from "./host.ts";
import { below, mutate, oneOf, recordedLine, type RecordedLine } from "./mutations.ts";

export interface RecordedSession {
  readonly name: string;
  readonly options: Pick<HostOptions, "approvals" | "turns" | "resumes">;
  readonly lines: readonly RecordedLine[];
}

/** Each session begins with a line that says what its host did; the rest is what Codex said to it. */
export function recordedSessions(): readonly RecordedSession[] {
  const text = readFileSync(new URL("recorded.jsonl", import.meta.url), "utf8");
  const sessions: (RecordedSession & { lines: RecordedLine[] })[] = [];
  for (const line of text.trimEnd().split("\n")) {
    const { session, ...options } = JSON.parse(line) as Fields;
    if (typeof session === "string") {
      sessions.push({ name: session, options: options as unknown as RecordedSession["options"], lines: [] });
    } else sessions.at(-1)?.lines.push(recordedLine(line));
  }
  return sessions;
}

export interface Replayed {
  readonly ending: string;
  readonly lines: number;
  readonly mutated: ReadonlyMap<string, number>;
}

export interface Replay {
  readonly session: RecordedSession;
  readonly all: readonly RecordedLine[];
  readonly random: () => number;
  /** The part of the lines that are damaged. */
  readonly share: number;
  readonly approvals: HostOptions["approvals"];
}

export async function replay(
  { session, all, random, share, approvals }: Replay,
  ground: Ground,
): Promise<Replayed> {
  const host = new Host(ground, { ...session.options, approvals });
  const mutated = new Map<string, number>();
  const stop = random() < 0.3 ? below(random, session.lines.length) : Number.POSITIVE_INFINITY;
  let lines = 0;
  for (const [n, line] of session.lines.entries()) {
    if (n === stop) {
      // The process ends here, in the middle of a line as likely as not.
      host.push(line.bytes.subarray(0, below(random, line.bytes.length)));
      host.die(oneOf(random, [0, 1, 127, 139]));
    }
    if (host.over) break;
    if (random() < share) {
      const { name, lines: wrong } = mutate(line, random, all);
      mutated.set(name, (mutated.get(name) ?? 0) + wrong.length);
      lines += wrong.length;
      for (const one of wrong) say(host, one, random);
    } else {
      lines += 1;
      say(host, line.bytes, random);
    }
    if (random() < 0.05) host.try(() => ground.timers.pass(below(random, 4_000)));
    // Tools answer a little later, as they do in life.
    if (line.message["method"] === "item/tool/call") await Promise.resolve();
  }
  await host.finish();
  return { ending: host.ending, lines, mutated };
}

const END = Buffer.from("\n");

/** As a pipe gives it: in one piece, or in several. */
function say(host: Host, line: Buffer, random: () => number): void {
  const bytes = Buffer.concat([line, END]);
  if (random() < 0.8) return host.push(bytes);
  let at = 0;
  while (at < bytes.length) {
    const size = 1 + below(random, bytes.length > 100_000 ? 65_536 : 64);
    host.push(bytes.subarray(at, at + size));
    at += size;
  }
}
