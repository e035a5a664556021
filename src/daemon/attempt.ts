/**
 * One run from its workspace to its last hook, under the settings it started with. It executes; what happens next is
 * decided by the scheduler, to whom everything is reported.
 *
 * States: preparing (workspace, hooks, prompt) → live (a session exists) → over (`exited` was reported, once and last).
 */
import type { Agent, AgentNews, AgentSession, AgentTool } from "../agent/agent.ts";
import {
  type Fact,
  type FactBody,
  failure,
  type Failure,
  type Issue,
  type Run,
  type Said,
  type Scope,
  type ThreadId,
  type Tokens,
  type TrackerHome,
  type UnderWay,
  type Workflow,
} from "../domain/domain.ts";
import type { RunEvent, RunNews, Telling as Known, Work } from "../scheduler/scheduler.ts";
import { type Done, landingRequest, PromptError, unsettledNote, withNote } from "../workflow/workflow.ts";
import {
  type RepositoryWork,
  type Workspace,
  WorkspaceError,
  type WorkspaceFor,
  type Workspaces,
} from "../workspace/workspace.ts";
import { machine, withDeadline } from "../processes/processes.ts";
import type { Clock } from "./clock.ts";
import { Telling } from "./telling.ts";
import type { UnsettledCall } from "./unsettled.ts";

export interface AttemptParts {
  readonly agent: Agent;
  readonly workspaces: Workspaces;
  /** Unique over all runs of all installations; the run's processes carry it. */
  readonly mark: string;
  /** Where the issue's id counts; asked once, before the workspace. Never rejects. */
  readonly home: () => Promise<TrackerHome>;
  /** The workspace as the last surveyed run of the issue left it. */
  readonly fingerprint: string | null;
  /** The most that a thread has reported in earlier runs. */
  readonly markOf: (thread: ThreadId) => Tokens;
  /** What the issue's last run asked for without learning whether it was done. */
  readonly unsettled: () => readonly UnsettledCall[];
  readonly clock: Clock;
  /** Identifies the state of a workspace; null when it cannot be told. */
  readonly survey: (path: string) => Promise<string | null>;
  /** Tools offered to the model in this run. */
  readonly tools: () => readonly AgentTool[];
  /** What decides whether a turn gets the whole prompt. */
  readonly telling: Known;
  /** What was done on the issue before, for a thread that does not know it; null = nothing. */
  readonly done: () => Done | null;
  /** What git says of the workspace at this path; null when it cannot be told. */
  readonly work: (path: string) => Promise<readonly RepositoryWork[] | null>;
  /** The workflow as loaded last: its prompt is for the next turn, its settings for the next run. */
  readonly reloaded: () => Workflow;
  /** The issue, whole, as it is now; null = it is not there. May reject. */
  readonly read: (signal: AbortSignal) => Promise<Issue | null>;
  readonly publish: (fact: Fact) => void;
  readonly report: (news: RunEvent) => void;
}

/** A turn waits so long for the issue's texts; what is not read by then is read before the next one. */
const READ_MAX_MS = 15_000;

type SteerWork = Extract<Work, { type: "steer" }>;
type TurnWork = Extract<Work, { type: "turn" }>;

export class Attempt {
  readonly #parts: AttemptParts;
  readonly #run: Run;
  /** As last read whole. */
  #issue: Issue;
  readonly #workflow: Workflow;
  readonly #abort = new AbortController();
  #workspace: Workspace | null = null;
  readonly #telling: Telling;
  /** The thread, once it is open. */
  #thread: { readonly thread: ThreadId; readonly resumed: boolean } | null = null;
  /** What the turn that begins was given. */
  #said: Said | null = null;
  #of: WorkspaceFor | null = null;
  #unsettled: readonly UnsettledCall[] = [];
  #session: AgentSession | null = null;
  /** The first reason for ending, when it was given before a session existed. */
  #why: Failure | null = null;
  #scope: Scope;
  #survey = false;
  /** Commands run and files changed. */
  #deeds = 0;

  constructor(run: Run, issue: Issue, workflow: Workflow, parts: AttemptParts) {
    this.#parts = parts;
    this.#run = run;
    this.#issue = issue;
    this.#workflow = workflow;
    this.#telling = new Telling({
      run,
      known: parts.telling,
      workflow: parts.reloaded,
      done: parts.done,
      isOld: () => this.#workspace?.createdNow === false,
      work: async () => (this.#workspace === null ? null : parts.work(this.#workspace.path)),
    });
    const { identifier, id: runId } = run;
    this.#scope = { workflow: run.workflow, issueId: issue.id, identifier, runId };
  }

  /** Prepares and launches. Never rejects: trouble is reported as `exited`. */
  async start(resume: ThreadId | null): Promise<void> {
    this.#say({ type: "run_started", attempt: this.#run.attempt, kind: this.#run.kind });
    try {
      const workspace = await this.#prepare();
      this.#unsettled = this.#parts.unsettled();
      // What cannot be said needs no agent to be started.
      await this.#telling.prompt(this.#issue);
      if (this.#abort.signal.aborted) await this.#over(this.#why);
      // A new directory has nothing that an old thread remembers.
      else this.#launch(workspace, workspace.createdNow ? null : resume);
    } catch (error) {
      await this.#over(this.#why ?? failureOf(error));
    }
  }

  async #prepare(): Promise<Workspace> {
    const { workspaces } = this.#parts;
    const report = (fact: FactBody): void => this.#say(fact);
    const of = (this.#of = this.#for(await this.#parts.home()));
    const workspace = (this.#workspace = await workspaces.prepare(of, report, this.#abort.signal));
    await workspaces.beforeRun(of, workspace, report, this.#abort.signal);
    return workspace;
  }

  #launch(workspace: Workspace, resume: ThreadId | null): void {
    const { codex, policy, tracker } = this.#workflow.settings;
    const { identifier, title } = this.#issue;
    this.#session = this.#parts.agent.start(
      {
        mark: this.#parts.mark,
        identifier,
        title,
        workspace: workspace.path,
        resume,
        codex,
        policy,
        tools: this.#parts.tools(),
        secrets: [tracker.apiKey],
      },
      (news) => this.#heard(news, workspace),
    );
  }

  #heard(news: AgentNews, workspace: Workspace): void {
    switch (news.type) {
      case "launched":
        return this.#report({ ...news, bootId: machine.bootId(), workspace: workspace.path });
      case "opened":
        this.#scope = { ...this.#scope, threadId: news.threadId };
        this.#thread = { thread: news.threadId, resumed: news.resumed };
        return this.#report(news);
      case "turn_started":
        this.#scope = { ...this.#scope, turnId: news.turnId };
        return this.#report(this.#said === null ? news : { ...news, said: this.#said });
      case "turn_ended":
        return this.#report(news);
      case "usage":
        return this.#report(
          this.#isOwn(news.threadId) ? news : { ...news, known: this.#parts.markOf(news.threadId) },
        );
      case "fact":
        if (news.fact.type === "command_ran" || news.fact.type === "files_changed") this.#deeds += 1;
        return this.#say(news.fact);
      case "exited":
        void this.#over(news.failure);
    }
  }

  /** Other threads are agents of the model's own; what is known of them is in the ledger only. */
  #isOwn = (thread: ThreadId): boolean => thread === this.#scope.threadId;

  /** Starts a turn; before there is a session there is nothing to start one on. Never rejects. */
  async turn({ turn, turnsMax, issue: seen }: TurnWork): Promise<void> {
    if (this.#session === null || this.#thread === null) return;
    try {
      const issue = await this.#whole(seen, turn);
      const { text, told } = await this.#telling.next({ turn, turnsMax, issue, ...this.#thread });
      const isInDoubt = turn === 1 && this.#unsettled.length > 0;
      const said = isInDoubt ? withNote(text, unsettledNote(this.#unsettled)) : text;
      this.#said = { text: said, told };
      this.#session.turn(said);
    } catch (error) {
      this.stop(failureOf(error), false);
    }
  }

  /**
   * The issue with the texts that only a whole read brings. One that was touched since is read again; when that does not
   * work, the texts as they were do for one more turn.
   */
  async #whole(seen: Issue, turn: number): Promise<Issue> {
    const { description, branchName, url, blockedBy } = this.#issue;
    const known = { ...seen, description, branchName, url, blockedBy };
    if (seen.updatedAt === this.#issue.updatedAt) return known;
    try {
      const now = await withDeadline(READ_MAX_MS, this.#abort.signal, this.#parts.read);
      this.#issue = now ?? this.#issue;
      return now ?? known;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const message = `${seen.identifier} could not be read before turn ${turn}, which is told its texts as they were: ${why}`;
      this.#say({ type: "warning", message });
      return known;
    }
  }

  /** Asks the running turn to come to an end. Refused or too late: the limit itself still holds. */
  steer({ used, max }: SteerWork): void {
    void this.#session?.steer(landingRequest(used, max));
  }

  /** Ends the run; `exited` will follow. The first reason wins. */
  stop(why: Failure | null, survey: boolean): void {
    this.#survey ||= survey;
    if (this.#session !== null) return this.#session.stop(why);
    this.#why ??= why;
    this.#abort.abort();
  }

  /** Ends the run without patience: nothing more is prepared or looked at. */
  giveUp(why: Failure): void {
    this.#abort.abort();
    this.stop(why, false);
  }

  pulse(): void {
    if (this.#session !== null) this.#report({ type: "pulse", ...this.#session.pulse() });
  }

  /** What the agent does just now. */
  underWay(): readonly UnderWay[] {
    return this.#session?.underWay() ?? [];
  }

  async #over(why: Failure | null): Promise<void> {
    if (this.#of !== null && this.#workspace !== null) {
      await this.#parts.workspaces.afterRun(this.#of, this.#workspace, (fact) => this.#say(fact));
    }
    this.#report({ type: "exited", failure: why, ...(await this.#progress()) });
  }

  /** Whether the workspace is as the last surveyed run left it; a run that did nothing at all changed nothing. */
  async #progress(): Promise<{ readonly changed: boolean | null; readonly fingerprint: string | null }> {
    if (!this.#survey || this.#workspace === null) return { changed: null, fingerprint: null };
    const before = this.#parts.fingerprint;
    const now = await unless(this.#abort.signal, this.#parts.survey(this.#workspace.path));
    if (now !== null && before !== null) return { changed: now !== before, fingerprint: now };
    return { changed: this.#deeds === 0 ? false : null, fingerprint: now };
  }

  #for(tracker: TrackerHome): WorkspaceFor {
    const { workspace, hooks, codex } = this.#workflow.settings;
    const { issueId, identifier, id: runId, workflow } = this.#run;
    const { mark } = this.#parts;
    const whose = { identifier, issueId, tracker, workflow };
    return { ...whose, runId, mark, workspace, hooks, envPass: codex.envPass };
  }

  #report(news: RunNews): void {
    this.#parts.report({ ...news, runId: this.#run.id, issueId: this.#run.issueId });
  }

  #say(body: FactBody): void {
    this.#parts.publish({ ...body, ...this.#scope, at: this.#parts.clock.now() });
  }
}

/** The answer, or null when the signal comes before it: a large workspace is looked at for minutes. */
async function unless<T>(signal: AbortSignal, answer: Promise<T>): Promise<T | null> {
  if (signal.aborted) return null;
  const { promise, resolve } = Promise.withResolvers<null>();
  const end = (): void => resolve(null);
  signal.addEventListener("abort", end, { once: true });
  return Promise.race([answer, promise]).finally(() => signal.removeEventListener("abort", end));
}

function failureOf(error: unknown): Failure {
  if (error instanceof WorkspaceError) {
    return failure(error.kind, error.message, { hint: error.hint, detail: error.output });
  }
  if (error instanceof PromptError) return failure(error.kind, error.message, { hint: error.hint });
  return failure("internal", error instanceof Error ? error.message : String(error));
}
