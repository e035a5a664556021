/**
 * An agent for daemons that are killed: it speaks Codex's app-server protocol, its threads live on in files as Codex's do,
 * and it writes down what only an agent can see.
 *
 *   node agent.ts FOLDER [slow | stubborn]
 *
 * In FOLDER: `<thread>.json`, what the thread was told and has used; `<workspace>.at-work`, who works there now;
 * `asked-to-go`, once a stubborn one was sent a SIGTERM; and `doubled`, a line for each agent that found another one at
 * work in its workspace. The first prompt of a thread is its
 * script, played anew in every turn: lines of `word:argument`, see `step`. `slow` takes its time to be
 * interrupted, `stubborn` takes no signal and no end of input.
 * Without arguments it loads everything and ends.
 */
import { randomUUID } from "node:crypto";
import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { startTicks } from "../../processes.ts";

const SLOW_MS = 600;
const SAID_WORDS = 600;

type Fields = { readonly [name: string]: unknown };

interface Thread {
  readonly id: string;
  /** Empty until the first turn. */
  script: readonly string[];
  tokens: number;
}

const [folder, manner] = process.argv.slice(2);
if (folder === undefined) process.exit(0);

let thread: Thread = { id: randomUUID(), script: [], tokens: 0 };
let turn: { readonly id: string; readonly steps: string[] } | null = null;
let outgoing = "";
let stray: ChildProcess | null = null;

const item = { type: "commandExecution", id: "work", command: "work", status: "completed" };

/** Lines of one moment in one write, as Codex does it. */
function send(message: Fields): void {
  if (outgoing === "")
    setImmediate(() => {
      process.stdout.write(outgoing);
      outgoing = "";
    });
  outgoing += `${JSON.stringify(message)}\n`;
}

const notify = (method: string, params: Fields): void =>
  send({ method, params: { threadId: thread.id, ...params } });

function serve({ id, method, params }: Fields): void {
  const result = (value: Fields): void => send({ id, result: value });
  const { threadId, input } = (params ?? {}) as Fields;
  switch (method) {
    case "initialize":
      return result({ userAgent: "daemon-agent" });
    case "config/read":
      return result({ config: {} });
    case "thread/start":
      keep();
      return result({ thread: { id: thread.id } });
    case "thread/resume":
      thread = JSON.parse(readFileSync(fileOf(String(threadId)), "utf8")) as Thread;
      return result({ thread: { id: thread.id } });
    case "turn/start":
      if (thread.script.length === 0)
        thread.script = String((input as readonly Fields[])[0]?.["text"]).split("\n");
      turn = { id: randomUUID(), steps: [...thread.script] };
      result({ turn: { id: turn.id, status: "inProgress", items: [] } });
      notify("turn/started", { turn: { id: turn.id, status: "inProgress" } });
      return step();
    case "turn/interrupt":
      result({});
      if (manner === "stubborn") return;
      setTimeout(() => turn !== null && end("interrupted", null), manner === "slow" ? SLOW_MS : 0);
      return;
    default:
      return result({});
  }
}

function step(): void {
  const playing = turn;
  const [word = "", argument = ""] = (turn?.steps.shift() ?? "").split(":");
  switch (word) {
    /** Milliseconds. */
    case "wait":
      setTimeout(() => turn === playing && step(), Number(argument));
      return;
    /** A command that nothing but its thread's mark tells of, once per process. */
    case "stray":
      stray ??= spawn("sleep", ["600"], {
        detached: true,
        stdio: "ignore",
        env: { CODEX_THREAD_ID: thread.id, PATH: process.env["PATH"] },
      });
      return step();
    /** Tokens. */
    case "use":
      use(Number(argument));
      return step();
    /** So many messages of a page each. */
    case "say":
      for (let n = 0; n < Number(argument); n += 1) {
        const said = { type: "agentMessage", id: randomUUID(), text: "words ".repeat(SAID_WORDS) };
        notify("item/completed", { turnId: turn?.id, item: said });
      }
      return step();
    /** A file that nobody pushes. */
    case "write":
      writeFileSync("work.txt", argument);
      return step();
    /** Milliseconds with something under way: that is no silence. */
    case "work":
      notify("item/started", { item });
      setTimeout(() => {
        if (turn !== playing) return;
        notify("item/completed", { item });
        step();
      }, Number(argument));
      return;
    /** The provider takes no work for so many seconds. */
    case "limit": {
      const resetsAt = Math.ceil(Date.now() / 1_000) + Number(argument);
      notify("account/rateLimits/updated", { rateLimits: { primary: { usedPercent: 100, resetsAt } } });
      return end("failed", { message: "used up", codexErrorInfo: "usageLimitExceeded" });
    }
    case "fail":
      return end("failed", { message: "failed", codexErrorInfo: "badRequest" });
    default:
      return end("completed", null);
  }
}

function end(status: string, error: Fields | null): void {
  const ended = turn;
  turn = null;
  use(100);
  notify("turn/completed", { turn: { id: ended?.id, status, error, items: [] } });
}

/** Kept before it is told: what a kill leaves untold is told by the next report of the thread. */
function use(tokens: number): void {
  thread.tokens += tokens;
  keep();
  const total = {
    totalTokens: thread.tokens,
    inputTokens: thread.tokens,
    cachedInputTokens: 0,
    outputTokens: 0,
  };
  notify("thread/tokenUsage/updated", { turnId: turn?.id, tokenUsage: { total } });
}

const fileOf = (id: string): string => join(folder ?? "", `${id}.json`);
const keep = (): void => writeFileSync(fileOf(thread.id), JSON.stringify(thread));

/** Says so when somebody else is at work here; then it is us. */
function lookForOthers(): void {
  const file = join(folder ?? "", `${basename(process.cwd())}.at-work`);
  if (existsSync(file)) {
    const [pid, ticks] = readFileSync(file, "utf8").split(" ").map(Number);
    if (pid !== undefined && startTicks(pid) === ticks)
      appendFileSync(join(folder ?? "", "doubled"), `${file} ${pid} ${process.pid}\n`);
  }
  writeFileSync(file, `${process.pid} ${startTicks(process.pid)}`);
}

lookForOthers();
if (manner === "stubborn") {
  process.on("SIGTERM", () => writeFileSync(join(folder ?? "", "asked-to-go"), ""));
  setInterval(() => {}, 60_000);
}
const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const message = JSON.parse(line) as Fields;
  if (message["id"] !== undefined) serve(message);
});
lines.on("close", () => {
  if (manner !== "stubborn") process.exit(0);
});
