/**
 * A full fake of the tracker port, for tests and simulation: a MemoryBoard holds issues and is edited like people edit a
 * board; any number of MemoryTrackers look at it, each with its own scope. No clock, no timers, no chance of its own.
 */
import {
  type Issue,
  type IssueId,
  type IssueStatus,
  type IssueSummary,
  type OpenCount,
  stateKey,
  type TrackerHome,
  type TrackerSettings,
} from "../domain/domain.ts";
import type { AgentTool } from "../agent/agent.ts";
import { z } from "zod";
import { dispatchability, labelsOf } from "./dispatchable.ts";
import type { MemoryBoard, MemoryIssue } from "./memory-board.ts";
import { type ToolRun, type Tracker, TrackerError, type Vocabulary } from "./port.ts";

export type MemoryScope = Pick<
  TrackerSettings,
  "projectSlug" | "activeStates" | "requiredLabels" | "assignee"
>;

/** The calls of the port, for failing one kind only. */
export type TrackerCall = Exclude<keyof Tracker, "home" | "tools">;

type Fault = { readonly calls: readonly TrackerCall[] | null } & (
  | { readonly type: "fail"; readonly error: TrackerError }
  | { readonly type: "hang" }
);

export class MemoryTracker implements Tracker {
  readonly #board: MemoryBoard;
  readonly #scope: MemoryScope;
  readonly #faults: Fault[] = [];
  readonly #asked: { readonly call: TrackerCall; readonly ids: readonly IssueId[] }[] = [];

  constructor(board: MemoryBoard, scope: MemoryScope) {
    this.#board = board;
    this.#scope = scope;
  }

  /** Every call so far, the failed ones too. */
  get asked(): readonly { readonly call: TrackerCall; readonly ids: readonly IssueId[] }[] {
    return this.#asked;
  }

  /** The next `times` calls (of these kinds, or of any) end with this error. Faults are used up in the order given. */
  failNext(times: number, error: TrackerError, calls: readonly TrackerCall[] | null = null): void {
    for (let n = 0; n < times; n++) this.#faults.push({ type: "fail", error, calls });
  }

  /** The next call (of these kinds, or of any) is answered only when its signal aborts, and then with an error. */
  hangNext(calls: readonly TrackerCall[] | null = null): void {
    this.#faults.push({ type: "hang", calls });
  }

  async candidates(signal: AbortSignal): Promise<readonly IssueSummary[]> {
    await this.#enter("candidates", [], signal);
    const wanted = this.#scope.requiredLabels.map(stateKey);
    return this.#inScope(this.#scope.activeStates)
      .filter((issue) => wanted.every((label) => issue.labels.map(stateKey).includes(label)))
      .map((issue) => this.#summary(issue))
      .filter((issue) => issue.dispatchable);
  }

  async inStates(states: readonly string[], signal: AbortSignal): Promise<readonly IssueSummary[]> {
    if (states.length === 0) return [];
    await this.#enter("inStates", [], signal);
    return this.#inScope(states).map((issue) => this.#summary(issue));
  }

  async statuses(ids: readonly IssueId[], signal: AbortSignal): Promise<readonly IssueStatus[]> {
    if (ids.length === 0) return [];
    await this.#enter("statuses", ids, signal);
    return this.#named(ids).map((issue) => this.#status(issue));
  }

  async issues(ids: readonly IssueId[], signal: AbortSignal): Promise<readonly Issue[]> {
    if (ids.length === 0) return [];
    await this.#enter("issues", ids, signal);
    return this.#named(ids).map((issue) => this.#whole(issue));
  }

  async whoAmI(signal: AbortSignal): Promise<string> {
    await this.#enter("whoAmI", [], signal);
    return this.#board.viewer.name;
  }

  async scopeName(signal: AbortSignal): Promise<string> {
    await this.#enter("scopeName", [], signal);
    const name = this.#board.projects.get(this.#scope.projectSlug);
    if (name !== undefined) return name;
    throw new TrackerError(
      "invalid_tracker_config",
      `There is no project "${this.#scope.projectSlug}" on this board.`,
    );
  }

  async home(): Promise<TrackerHome> {
    return { kind: "memory", endpoint: "", organisation: this.#board.organisation };
  }

  async find(name: string, signal: AbortSignal): Promise<Issue | null> {
    await this.#enter("find", [], signal);
    const wanted = name.toLowerCase();
    const found = this.#board.issues.find(
      ({ id, identifier }) => id === name || identifier.toLowerCase() === wanted,
    );
    return found === undefined ? null : this.#whole(found);
  }

  async countOpen(signal: AbortSignal): Promise<OpenCount> {
    await this.#enter("countOpen", [], signal);
    return { count: this.#inScope(this.#scope.activeStates).length, isAll: true };
  }

  async vocabulary(signal: AbortSignal): Promise<Vocabulary> {
    await this.#enter("vocabulary", [], signal);
    const { projects, states, issues } = this.#board;
    return {
      scope: projects.get(this.#scope.projectSlug) ?? null,
      states: [{ of: "the board", names: states }],
      labels: [...new Set(issues.flatMap(({ labels }) => labels))],
      isAllLabels: true,
    };
  }

  tools(run: ToolRun): readonly AgentTool[] {
    return [moveTool(this.#board, run)];
  }

  /** Archived issues are not in lists, as at Linear. */
  #inScope(states: readonly string[]): readonly MemoryIssue[] {
    const keys = new Set(states.map(stateKey));
    return this.#board.issues.filter(
      (issue) =>
        issue.project === this.#scope.projectSlug &&
        keys.has(stateKey(issue.state)) &&
        !issue.archived &&
        !issue.trashed,
    );
  }

  #named(ids: readonly IssueId[]): readonly MemoryIssue[] {
    const wanted = new Set(ids);
    return this.#board.issues.filter((issue) => wanted.has(issue.id));
  }

  #summary({
    id,
    identifier,
    title,
    state,
    priority,
    createdAt,
    updatedAt,
    ...issue
  }: MemoryIssue): IssueSummary {
    const may = dispatchability({
      ...issue,
      project: { name: issue.project, isOurs: issue.project === this.#scope.projectSlug },
      wanted: this.#board.userId(this.#scope.assignee),
    });
    return { id, identifier, title, state, priority, createdAt, updatedAt, ...may };
  }

  #status(issue: MemoryIssue): IssueStatus {
    return { ...this.#summary(issue), labels: labelsOf(issue.labels) };
  }

  #whole(issue: MemoryIssue): Issue {
    const { description, branchName, url } = issue;
    const blockedBy = this.#board.blockersOf(issue);
    const nativeRef = { id: issue.id, project: issue.project };
    const own = { nativeRef, assigneeId: issue.assignee };
    return { ...this.#status(issue), ...own, description, branchName, url, blockedBy };
  }

  async #enter(call: TrackerCall, ids: readonly IssueId[], signal: AbortSignal): Promise<void> {
    this.#asked.push({ call, ids });
    if (signal.aborted) throw givenUp(call);
    const at = this.#faults.findIndex((fault) => fault.calls === null || fault.calls.includes(call));
    const [fault] = at === -1 ? [] : this.#faults.splice(at, 1);
    if (fault?.type === "fail") throw fault.error;
    if (fault?.type === "hang") await aborted(signal, call);
  }
}

const givenUp = (call: TrackerCall): TrackerError =>
  new TrackerError("tracker_request", `The request for ${call} was given up by us.`);

const aborted = (signal: AbortSignal, call: TrackerCall): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(givenUp(call)), { once: true });
  });

const moveArguments = z.object({ id: z.string(), state: z.string() });

/** The board's one tool: moves an issue, named by its id or identifier, to another state. */
const moveTool = (board: MemoryBoard, run: ToolRun): AgentTool => ({
  name: "board_move",
  description: "Moves an issue of the board to another state.",
  inputSchema: {
    type: "object",
    properties: { id: { type: "string" }, state: { type: "string" } },
    required: ["id", "state"],
    additionalProperties: false,
  },
  call: async (args, callId) => {
    const said = { tool: "board_move", callId, operation: "board_move", fields: [], complexity: null };
    const asked = moveArguments.safeParse(args);
    const issue = board.issues.find(({ id, identifier }) => [id, identifier].includes(asked.data?.id ?? ""));
    const ids = issue === undefined ? [] : [issue.id];
    const error = asked.success ? "there is no such issue" : "the arguments must be an id and a state";
    const ok = asked.success && issue !== undefined;
    if (ok) {
      run.record({
        type: "tool_started",
        tool: "board_move",
        callId,
        operation: "board_move",
        fields: [],
        ids,
        newIds: [],
      });
      board.move(issue.id, asked.data.state);
    }
    run.publish({ type: "tool_called", ...said, ids, ok, error: ok ? null : error, tookMs: 0 });
    return { ok, text: ok ? `${issue.identifier} is in ${asked.data.state}` : error };
  },
});
