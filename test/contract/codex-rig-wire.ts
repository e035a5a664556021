/**
 * The smallest possible client of `codex app-server`: it says what it is told and remembers what it hears. For the rules
 * about Codex itself, which must hold whatever our own client does.
 */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Lookout } from "../lookout.ts";

export interface Heard {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Fields;
  readonly result?: Fields;
  readonly error?: { readonly code: number; readonly message: string };
}
export type Fields = { readonly [key: string]: unknown };
type Answers = (method: string, params: Fields) => Fields | undefined;

export interface WireOptions {
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Directory of the server itself, not of a thread. */
  readonly cwd?: string;
  /** Results for the server's own requests; undefined leaves a request open. */
  readonly answers?: Answers;
}

const UNTIL_TIMEOUT_MS = 10_000;

export class Wire {
  readonly heard: Heard[] = [];
  readonly child: ChildProcess;
  stderr = "";
  #lastId = 0;
  readonly #lookout = new Lookout(UNTIL_TIMEOUT_MS, () => this.#lastHeard());

  constructor(binary: string, { args = [], answers = () => undefined, ...where }: WireOptions) {
    this.child = spawn(binary, ["app-server", ...args], { ...where, stdio: ["pipe", "pipe", "pipe"] });
    this.child.stderr?.on("data", (bytes: Buffer) => (this.stderr += bytes.toString()));
    // A server that was killed leaves a broken pipe behind; the test asks for its exit, not for this.
    this.child.stdin?.on("error", () => {});
    if (this.child.stdout === null) throw new Error("no stdout");
    createInterface({ input: this.child.stdout }).on("line", (line) => {
      const message = JSON.parse(line) as Heard;
      this.heard.push(message);
      this.#answer(message, answers);
      this.#lookout.tell();
    });
  }

  /** Sends a request; its result, or an error with the server's message. */
  async request(method: string, params: Fields): Promise<Fields> {
    const id = ++this.#lastId;
    this.#write({ id, method, params });
    const answer = await this.until((one) => one.id === id && one.method === undefined, method);
    if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`);
    return answer.result ?? {};
  }

  async open(): Promise<void> {
    await this.request("initialize", {
      clientInfo: { name: "baton_contract", version: "1" },
      capabilities: { experimentalApi: true },
    });
    this.#write({ method: "initialized" });
  }

  async thread(params: Fields): Promise<string> {
    const { thread } = await this.request("thread/start", params);
    return (thread as { id: string }).id;
  }

  /** Starts a turn; returns its id as soon as the server says it runs. */
  async start(threadId: string, text: string, more: Fields = {}): Promise<string> {
    const started = await this.request("turn/start", { threadId, input: [{ type: "text", text }], ...more });
    const id = (started["turn"] as { id: string }).id;
    await this.notice("turn/started", (params) => (params["turn"] as { id: string }).id === id);
    return id;
  }

  /** The turn as it ended. */
  async ended(turnId: string): Promise<{ status: string; error: Fields | null }> {
    const params = await this.notice(
      "turn/completed",
      (params) => (params["turn"] as { id: string }).id === turnId,
    );
    return params["turn"] as { status: string; error: Fields | null };
  }

  async turn(
    threadId: string,
    text: string,
    more: Fields = {},
  ): Promise<{ status: string; error: Fields | null }> {
    return this.ended(await this.start(threadId, text, more));
  }

  async notice(method: string, match: (params: Fields) => boolean = () => true): Promise<Fields> {
    const found = await this.until((one) => one.method === method && match(one.params ?? {}), method);
    return found.params ?? {};
  }

  /** Params of all notices and requests of this method so far. */
  all(method: string): readonly Fields[] {
    return this.heard.flatMap((one) => (one.method === method ? [one.params ?? {}] : []));
  }

  /** The first message, past or to come, that satisfies `match`. */
  until(match: (message: Heard) => boolean, what: string): Promise<Heard> {
    return this.#lookout.until(() => this.heard.find(match), what);
  }

  /** Ends the process by closing its input, or by `signal`; resolves when it is gone. */
  async close(signal?: NodeJS.Signals): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = once(this.child, "exit");
    if (signal === undefined) this.child.stdin?.end();
    else this.child.kill(signal);
    await gone;
  }

  #lastHeard(): string {
    const last = this.heard.slice(-5).map((one) => JSON.stringify(one).slice(0, 300));
    return ["", ...last, this.stderr].join("\n");
  }

  #write(message: Fields): void {
    this.child.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  #answer({ id, method, params }: Heard, answers: Answers): void {
    if (id === undefined || method === undefined) return;
    const result = answers(method, params ?? {});
    if (result !== undefined) this.#write({ id, result });
  }
}
