/**
 * An agent whose every message is well formed and whose story makes no sense: turns that end before they begin, items
 * after the end, approvals without a turn or twice, other threads, usage that shrinks, answers nobody waits for.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binary, realCodex } from "../../contract/codex-rig.ts";
import { Host, type Fields, type Ground } from "./host.ts";
import { below, oneOf } from "./mutations.ts";
import { recordedSessions } from "./replay.ts";
import { Values, type Schema } from "./schema.ts";

type Random = () => number;
type Speak = (random: Random) => Fields;

export interface Vocabulary {
  readonly notification: Speak;
  readonly request: Speak;
  /** One for each method. */
  readonly speakers: readonly Speak[];
  /** How many methods they are of. */
  readonly methods: number;
}

const OWN = "thread-own";
const NAMES = {
  threadId: [OWN, OWN, OWN, "thread-other", ""],
  turnId: ["turn-1", "turn-1", "turn-2", "turn-other", ""],
  itemId: ["item-1", "item-2", ""],
  id: ["turn-1", "turn-2", "item-1", "item-2", OWN, "x"],
  callId: ["call-1", "call-2"],
  tool: ["linear_graphql", "no_such_tool"],
};

/** From the schema that the installed binary generates of itself; without one, what was recorded. */
export function vocabulary(): Vocabulary {
  if (!realCodex) return recordedVocabulary();
  const folder = mkdtempSync(join(tmpdir(), "faults-8-schema-"));
  try {
    execFileSync(binary, ["app-server", "generate-json-schema", "--experimental", "--out", folder]);
    const read = (name: string): Schema =>
      JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8")) as Schema;
    const [notices, requests] = [read("ServerNotification"), read("ServerRequest")];
    const [notifying, asking] = [speakersOf(notices), speakersOf(requests)];
    return {
      notification: (random) => oneOf(random, notifying)(random),
      request: (random) => oneOf(random, asking)(random),
      speakers: [...notifying, ...asking],
      methods: notifying.length + asking.length,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function speakersOf(schema: Schema): readonly Speak[] {
  const definitions = schema["definitions"] as Schema;
  return (schema["oneOf"] as readonly Schema[]).map(
    (branch) => (random) => new Values(definitions, NAMES, random).of(branch) as Fields,
  );
}

function recordedVocabulary(): Vocabulary {
  const messages = recordedSessions().flatMap(({ lines }) => lines.map(({ message }) => message));
  const spoken = messages.filter(({ method }) => method !== undefined);
  const notices = spoken.filter(({ id }) => id === undefined);
  const requests = spoken.filter(({ id }) => id !== undefined);
  const methods = new Set(spoken.map(({ method }) => method)).size;
  return {
    notification: (random) => oneOf(random, notices),
    request: (random) => oneOf(random, requests),
    speakers: [],
    methods,
  };
}

const STEPS_MAX = 60;

export interface AbsurdSession {
  readonly ending: string;
  readonly reachedTurn: boolean;
}

export async function absurdSession(
  words: Vocabulary,
  random: Random,
  ground: Ground,
): Promise<AbsurdSession> {
  const server = new AbsurdServer(random);
  const options = {
    approvals: oneOf(random, ["auto", "deny", "operator"] as const),
    turns: 1 + below(random, 3),
    resumes: random() < 0.3,
    wrote: (message: Fields) => server.heard(message),
  };
  const host = new Host(ground, options);
  const say = (message: Fields): void => host.push(Buffer.from(`${JSON.stringify(message)}\n`));
  const answer = (): void => {
    for (let left = server.take(); left.length > 0; left = server.take()) left.forEach(say);
  };
  answer();
  for (let steps = below(random, STEPS_MAX); steps > 0 && !host.over; steps--) {
    const step = random();
    if (step < 0.3) say(words.notification(random));
    else if (step < 0.45) say(server.asks(words.request(random)));
    else if (step < 0.9) say(server.says());
    else if (step < 0.95) host.try(() => ground.timers.pass(below(random, 3_000)));
    else if (step < 0.98) host.try(() => void host.session.steer("wrap up"));
    else host.try(() => host.session.stop(null));
    answer();
    if (random() < 0.2) await Promise.resolve();
  }
  // Some servers end what they began.
  if (random() < 0.5) say(server.completed());
  answer();
  for (let n = 0; n < TICKS; n++) await Promise.resolve();
  answer();
  if (!host.over && server.unanswered > 0) ground.faults.unanswered += server.unanswered;
  if (random() < 0.3) host.die(oneOf(random, [0, 1, 139]));
  server.fallSilent();
  await host.finish();
  return { ending: host.ending, reachedTurn: host.reachedTurn };
}

/** For a tool's answer to find its way out of its promises. */
const TICKS = 8;

/** Answers what it is asked, mostly; the rest is its own idea. */
class AbsurdServer {
  readonly #random: Random;
  #toSay: Fields[] = [];
  readonly #asked = new Map<unknown, number>();
  #turn = "turn-0";
  #turns = 0;
  #requests = 0;
  #silent = false;
  #total = 100;

  constructor(random: Random) {
    this.#random = random;
  }

  take(): readonly Fields[] {
    const said = this.#toSay;
    this.#toSay = [];
    return said;
  }

  /** Requests of its own that were answered too seldom, or too often. */
  get unanswered(): number {
    return [...this.#asked.values()].reduce((sum, open) => sum + Math.abs(open), 0);
  }

  fallSilent(): void {
    this.#silent = true;
  }

  heard({ id, method }: Fields): void {
    if (this.#silent) return;
    if (method === undefined) return void this.#asked.set(id, (this.#asked.get(id) ?? 0) - 1);
    if (id === undefined) return;
    const chance = this.#random();
    if (chance < 0.01) return;
    const answer = { id, result: this.#resultOf(method) };
    if (chance < 0.02) this.#toSay.push({ id, error: { code: -32001, message: "overloaded" } });
    else if (chance < 0.03) this.#toSay.push({ id, error: { code: -32600, message: "no" } });
    else if (chance < 0.05) this.#toSay.push(answer, answer);
    else this.#toSay.push(answer);
    if (method === "turn/start" && this.#random() < 0.8) this.#toSay.push(started(OWN, this.#turn));
    if (method === "turn/interrupt" && this.#random() < 0.8)
      this.#toSay.push(over(OWN, this.#turn, "interrupted"));
  }

  /** A request of its own, under a new id or one that was used before. */
  asks(request: Fields): Fields {
    const id = this.#random() < 0.8 ? this.#requests++ : below(this.#random, this.#requests + 1);
    this.#asked.set(id, (this.#asked.get(id) ?? 0) + 1);
    return { ...request, id };
  }

  completed(): Fields {
    return over(OWN, this.#turn, "completed");
  }

  /** Something about turns, items and tokens that need not be so. */
  says(): Fields {
    const random = this.#random;
    const thread = oneOf(random, NAMES.threadId);
    const turn = random() < 0.6 ? this.#turn : oneOf(random, NAMES.turnId);
    const item = {
      id: oneOf(random, NAMES.itemId),
      type: oneOf(random, ["agentMessage", "commandExecution"]),
      text: "x",
    };
    switch (below(random, 8)) {
      case 0:
        return started(thread, turn);
      case 1:
        return over(thread, turn, oneOf(random, STATUSES), {
          message: "x",
          codexErrorInfo: oneOf(random, CODES),
        });
      case 2:
        return { method: "item/started", params: { threadId: thread, turnId: turn, item } };
      case 3:
        return { method: "item/completed", params: { threadId: thread, turnId: turn, item } };
      case 4:
        return this.#usage(thread, turn);
      case 5:
        return { id: below(random, 40), result: {} };
      case 6:
        return {
          method: "error",
          params: { threadId: thread, turnId: turn, willRetry: random() < 0.5, error: { message: "x" } },
        };
      default:
        return oneOf(random, [
          { method: "turn/failed", params: { threadId: thread, turnId: turn } },
          { method: "turn/aborted", params: {} },
          { method: "codex/event/task_complete", params: { id: turn, msg: { type: "task_complete" } } },
          { method: "codex/event", params: { id: turn, msg: { type: "error", message: "x" } } },
        ]);
    }
  }

  /** Now more, now less than before. */
  #usage(thread: string, turn: string): Fields {
    this.#total += Math.round((this.#random() - 0.4) * 1000);
    const total = { totalTokens: this.#total, inputTokens: this.#total - 10, outputTokens: 10 };
    return {
      method: "thread/tokenUsage/updated",
      params: { threadId: thread, turnId: turn, tokenUsage: { total } },
    };
  }

  #resultOf(method: unknown): Fields {
    switch (method) {
      case "config/read":
        return { config: {} };
      case "thread/start":
      case "thread/resume":
        return { thread: { id: OWN } };
      case "turn/start":
        this.#turn = `turn-${(this.#turns += 1)}`;
        return { turn: { id: this.#turn, status: "inProgress", items: [] } };
      default:
        return {};
    }
  }
}

const started = (threadId: string, id: string): Fields => ({
  method: "turn/started",
  params: { threadId, turn: { id, status: "inProgress" } },
});

const STATUSES = ["completed", "failed", "interrupted", "inProgress", "sideways"];
const CODES: readonly unknown[] = [
  "toString",
  "__proto__",
  "usageLimitExceeded",
  "unauthorized",
  { constructor: {} },
  { a: 1 },
  null,
];

const over = (threadId: string, id: string, status: string, error: Fields | null = null): Fields => ({
  method: "turn/completed",
  params: { threadId, turn: { id, status, error, items: [] } },
});
