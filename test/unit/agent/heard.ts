/** A session and everything it told. Waits for news, never for a time. */
import type { Agent, AgentNews, AgentSession, AgentSpec } from "../../../src/agent/port.ts";
import type { FactBody } from "../../../src/domain/fact.ts";
import type { CodexSettings, PolicySettings } from "../../../src/domain/settings.ts";
import { Lookout } from "../../lookout.ts";

export type News<T extends AgentNews["type"]> = Extract<AgentNews, { type: T }>;
type FactOf<T extends FactBody["type"]> = Extract<FactBody, { type: T }>;

/** A test that waits longer than this has found a fault. */
const NEWS_MS = 10_000;

export const codexSettings: CodexSettings = {
  command: "false",
  model: null,
  reasoningEffort: null,
  serviceTier: null,
  approvalPolicy: "never",
  threadSandbox: "workspace-write",
  turnSandboxPolicy: null,
  writableGit: true,
  envPass: [],
  envProvider: [],
  turnTimeoutMs: 10_000,
  readTimeoutMs: 5000,
  stallTimeoutMs: 0,
  toolTimeoutMs: 600_000,
};

export const policySettings: PolicySettings = {
  approvals: { mode: "deny", timeoutMs: 1000, onTimeout: "deny" },
  questions: { mode: "decline" },
};

/** Marks of all runs so far. */
export const startedRuns: string[] = [];

/** A spec that lacks nothing; the mark is new each time. */
export function specWith(
  more: Partial<Omit<AgentSpec, "codex">> & { readonly codex?: Partial<CodexSettings> } = {},
): AgentSpec {
  const mark = `run-${process.pid}-${startedRuns.length + 1}`;
  startedRuns.push(mark);
  return {
    mark,
    identifier: "ABC-1",
    title: "A ticket",
    workspace: import.meta.dirname,
    resume: null,
    policy: policySettings,
    tools: [],
    secrets: [],
    ...more,
    codex: { ...codexSettings, ...more.codex },
  };
}

export class Heard {
  readonly news: AgentNews[] = [];
  readonly session: AgentSession;
  readonly spec: AgentSpec;
  readonly #lookout = new Lookout(NEWS_MS, () => JSON.stringify(this.news.slice(-6)));

  constructor(
    agent: Agent,
    { command, ...more }: Parameters<typeof specWith>[0] & { readonly command?: string } = {},
    react: (news: AgentNews, session: AgentSession) => void = () => {},
  ) {
    this.spec = specWith({ ...more, codex: { ...more.codex, ...(command !== undefined && { command }) } });
    this.session = agent.start(this.spec, (news) => {
      this.news.push(news);
      react(news, this.session);
      this.#lookout.tell();
    });
  }

  of<T extends AgentNews["type"]>(type: T): readonly News<T>[] {
    return this.news.filter((news): news is News<T> => news.type === type);
  }

  types(): readonly AgentNews["type"][] {
    return this.news.map(({ type }) => type);
  }

  facts<T extends FactBody["type"]>(type: T): readonly FactOf<T>[] {
    return this.of("fact").flatMap(({ fact }) => (fact.type === type ? [fact as FactOf<T>] : []));
  }

  /** The `nth` news of this type, past or to come. */
  next<T extends AgentNews["type"]>(type: T, nth = 1): Promise<News<T>> {
    return this.until(() => this.of(type)[nth - 1], `${type} #${nth}`);
  }

  /** What `find` finds, now or after some news. */
  until<T>(find: () => T | undefined, what: string): Promise<T> {
    return this.#lookout.until(find, what);
  }

  /** Runs one turn to its end. */
  turn(text: string): Promise<News<"turn_ended">> {
    const before = this.of("turn_ended").length;
    this.session.turn(text);
    return this.next("turn_ended", before + 1);
  }

  over(): Promise<News<"exited">> {
    return this.next("exited");
  }
}
