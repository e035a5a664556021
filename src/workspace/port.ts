/**
 * The workspace port: one directory per issue under a root, with the four hooks (SPEC 9). workspace/disk.ts is the
 * real thing, workspace/memory.ts a full fake; test/contract/workspace-suite.ts holds the cases both must pass.
 */
import type {
  FactBody,
  FailureKind,
  HookSettings,
  TrackerHome,
  WorkspaceSettings,
} from "../domain/domain.ts";
import type { Owner } from "./owner.ts";

export interface Workspace {
  /** Absolute real path. */
  readonly path: string;
  /**
   * Directory name: the identifier, sanitised (SPEC 4.2); the one it had when the directory was made, and with a suffix
   * when the directory of that name is another issue's.
   */
  readonly key: string;
  /** True when this call made the directory. */
  readonly createdNow: boolean;
}

/** Whom a workspace is for, and under which settings. Hooks see these as BATON_* variables. */
export interface WorkspaceFor {
  readonly identifier: string;
  readonly issueId: string;
  /** Where that id counts: with it, what tells this issue from all others. */
  readonly tracker: TrackerHome;
  readonly workflow: string;
  readonly runId: string | null;
  /** Unique over all runs of all installations: processes that carry it in BATON_RUN belong to this run. */
  readonly mark: string | null;
  readonly workspace: WorkspaceSettings;
  readonly hooks: HookSettings;
  readonly envPass: readonly string[];
}

export interface Workspaces {
  /**
   * Makes or reuses the issue's directory, and records whose it is; a new one gets `after_create`, and is removed again
   * when that fails. The issue is known by its id: one that has another identifier now keeps its directory, one whose
   * identifier another issue has too gets a directory beside, and says so. One without a record is taken over by name, and
   * so is one of an installation whose daemon has ended.
   * @throws WorkspaceError, also while the daemon of another installation works in it
   */
  prepare(of: WorkspaceFor, report: (fact: FactBody) => void, signal: AbortSignal): Promise<Workspace>;

  /** Runs `before_run`. @throws WorkspaceError when it fails or times out: the run must not start. */
  beforeRun(
    of: WorkspaceFor,
    workspace: Workspace,
    report: (fact: FactBody) => void,
    signal: AbortSignal,
  ): Promise<void>;

  /** Runs `after_run`; trouble is reported as a fact and otherwise ignored. Never rejects. */
  afterRun(of: WorkspaceFor, workspace: Workspace, report: (fact: FactBody) => void): Promise<void>;

  /**
   * Runs `before_remove` (trouble reported, ignored) and removes the directory: renamed out of the way first, then
   * deleted. Only what is this issue's: recorded so or, unless `which` is `recorded`, of its name and without a record. No
   * directory = nothing to do. The signal makes it give up before it has begun to remove: the directory
   * stays as it is, to be removed another time. @throws WorkspaceError, also when it has given up, and while the daemon
   * of another installation works in it.
   */
  remove(
    of: WorkspaceFor,
    report: (fact: FactBody) => void,
    signal?: AbortSignal,
    which?: "recorded" | "any",
  ): Promise<boolean>;

  /**
   * Keys of the directories that exist under this root. A root that does not exist has none. On the way, each half hour at
   * most, what removals could not delete is tried again.
   */
  existing(settings: WorkspaceSettings): Promise<readonly string[]>;

  /** Whose they are, by key, as far as it is recorded. Read from the disk: another daemon may use the root as well. */
  owners(settings: WorkspaceSettings): Promise<ReadonlyMap<string, Owner>>;

  /** Whether the daemon of another installation lives, and works in the directory with this record. */
  isElsewhere(owner: Owner): boolean;

  /** Records whose a directory is that has no record; nothing to do when it has one, or is not there. */
  adopt(settings: WorkspaceSettings, key: string, owner: Owner): Promise<void>;
}

/** The one error of this boundary. */
export class WorkspaceError extends Error {
  readonly kind: Extract<
    FailureKind,
    | "workspace_error"
    | "workspace_in_use"
    | "hook_failed"
    | "hook_timeout"
    | "invalid_workspace_cwd"
    | "root_unusable"
    | "shell_timeout"
  >;
  readonly hint: string | null;
  /** Captured output of a hook, bounded; null otherwise. */
  readonly output: string | null;

  constructor(
    kind: WorkspaceError["kind"],
    message: string,
    more: { readonly hint?: string; readonly output?: string; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.name = "WorkspaceError";
    this.kind = kind;
    this.hint = more.hint ?? null;
    this.output = more.output ?? null;
  }
}
