/**
 * Our own client on the rig: a session as the daemon would run it. Both directions of the pipe are copied to files, and
 * every session ends with the judgement of all it sent by the binary's own schema.
 */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { AgentNews, AgentSession, AgentSpec, AgentTool } from "../../src/agent/port.ts";
import { createCodexAgent } from "../../src/agent/codex/codex.ts";
import type { SessionPatience } from "../../src/agent/codex/session.ts";
import type { FactBody } from "../../src/domain/fact.ts";
import type { Failure } from "../../src/domain/failure.ts";
import { instant, type Instant } from "../../src/domain/time.ts";
import type { CodexSettings, PolicySettings } from "../../src/domain/settings.ts";
import { Lookout } from "../lookout.ts";
import { codexSettings } from "../unit/agent/heard.ts";
import { binary } from "./codex-rig.ts";
import type { Rig } from "./codex-rig.ts";
import { protocolOf } from "./codex-rig-schema.ts";

export type News<T extends AgentNews["type"]> = Extract<AgentNews, { type: T }>;
export type FactOf<T extends FactBody["type"]> = Extract<FactBody, { type: T }>;

export interface SessionOptions {
  /** More arguments for `codex app-server`. */
  readonly args?: readonly string[];
  /** Shell text before it. */
  readonly before?: string;
  readonly codex?: Partial<CodexSettings>;
  readonly policy?: PolicySettings;
  readonly tools?: readonly AgentTool[];
  readonly secrets?: readonly string[];
  readonly resume?: AgentSpec["resume"];
  readonly patience?: Partial<SessionPatience>;
}

const NEWS_TIMEOUT_MS = 15_000;
let sessions = 0;
let judge: ReturnType<typeof protocolOf> | null = null;

export class Session {
  readonly news: AgentNews[] = [];
  readonly agent: AgentSession;
  readonly #rig: Rig;
  readonly #log: string;
  readonly #lookout = new Lookout(NEWS_TIMEOUT_MS, () => JSON.stringify(this.news.slice(-8)));

  constructor(rig: Rig, workspace: string, options: SessionOptions = {}) {
    sessions += 1;
    this.#rig = rig;
    this.#log = join(rig.home, `session-${sessions}`);
    const clock = (): Instant => instant(Date.now());
    const { patience = {} } = options;
    const agent = createCodexAgent({ clock, env: process.env, version: "0", patience });
    this.agent = agent.start(specOf(this.#log, workspace, options), (news) => {
      this.news.push(news);
      this.#lookout.tell();
    });
  }

  /** The `nth` news of this type, past or to come. */
  next<T extends AgentNews["type"]>(type: T, nth = 1): Promise<News<T>> {
    return this.#lookout.until(
      () => this.news.filter((news): news is News<T> => news.type === type)[nth - 1],
      `${type} #${nth}`,
    );
  }

  /** Runs one turn to its end. */
  async turn(text: string): Promise<News<"turn_ended">> {
    await this.next("opened");
    const before = this.news.filter(({ type }) => type === "turn_ended").length;
    this.agent.turn(text);
    return this.next("turn_ended", before + 1);
  }

  facts<T extends FactBody["type"]>(type: T): readonly FactOf<T>[] {
    return this.news.flatMap((news) =>
      news.type === "fact" && news.fact.type === type ? [news.fact as FactOf<T>] : [],
    );
  }

  /** Ends the session, or waits for its end; all it sent must be valid and nothing may follow its last news. */
  async end(why: Failure | null = null): Promise<Failure | null> {
    this.agent.stop(why);
    return this.gone();
  }

  async gone(): Promise<Failure | null> {
    const { failure } = await this.next("exited");
    expect(this.news.at(-1)?.type).toBe("exited");
    judge ??= protocolOf(binary);
    expect(judge(this.sent(), this.received())).toEqual([]);
    return failure;
  }

  /** Kills the server itself, as a crash would. Not a copy of it that was just forked to run something. */
  async crash(): Promise<void> {
    const { pid } = await this.next("launched");
    const server = this.#rig
      .processes()
      .find(({ parent, command }) => parent === pid && command.startsWith(binary));
    if (server === undefined) throw new Error("the server is not running");
    process.kill(server.pid, "SIGKILL");
  }

  /** What went over the pipe so far, as it was written. */
  sent(): string {
    return readFileSync(`${this.#log}.sent`, "utf8");
  }

  received(): string {
    return readFileSync(`${this.#log}.received`, "utf8");
  }
}

function specOf(log: string, workspace: string, options: SessionOptions): AgentSpec {
  return {
    // Processes are found and killed by it, also those of another test worker.
    mark: randomUUID(),
    identifier: `ABC-${sessions}`,
    title: "A ticket",
    workspace,
    resume: options.resume ?? null,
    codex: { ...codexByDefault(log, options), ...options.codex },
    policy: options.policy ?? policyByDefault,
    tools: options.tools ?? [],
    secrets: options.secrets ?? [],
  };
}

const codexByDefault = (log: string, { args = [], before = "" }: SessionOptions): CodexSettings => ({
  ...codexSettings,
  command: [
    before,
    binary,
    "app-server",
    ...args.map(quoted),
    `< <(tee ${log}.sent) > >(tee ${log}.received)`,
  ].join(" "),
  turnTimeoutMs: 20_000,
  readTimeoutMs: 10_000,
});

const policyByDefault: PolicySettings = {
  approvals: { mode: "auto", timeoutMs: 1000, onTimeout: "deny" },
  questions: { mode: "decline" },
};

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
