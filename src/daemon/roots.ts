/**
 * Where workspaces were before: `workspace.root` may be changed while tickets are open, and what lies in the old place is
 * still theirs. The ledger knows where each run worked.
 */
import { dirname } from "node:path";
import type { IssueId } from "../domain/domain.ts";
import type { RunFilter, RunRow } from "../ledger/ledger.ts";

/** Whose directory a path was, by the last run that worked there. */
export type Past = Pick<RunRow, "issueId" | "identifier" | "workflow">;

/** Weeks of a busy installation; read once in a life, in some 50 ms. */
const LATEST_RUNS = 5_000;

/** An issue has a handful of runs; a root is not changed more often. */
const RUNS_OF_ISSUE = 100;

export class Roots {
  readonly #runs: (filter: RunFilter) => readonly RunRow[];
  #late: ReadonlyMap<string, Past> | null = null;

  constructor(runs: (filter: RunFilter) => readonly RunRow[]) {
    this.#runs = runs;
  }

  /** Those that runs of late have had, in this life and before it. */
  all(): ReadonlySet<string> {
    return new Set([...this.#latest().keys()].map((path) => dirname(path)));
  }

  /** Those that runs of this issue have had. */
  of(issue: IssueId): ReadonlySet<string> {
    const rows = this.#runs({ issue, limit: RUNS_OF_ISSUE });
    return new Set(rows.flatMap(({ workspace }) => (workspace === null ? [] : [dirname(workspace)])));
  }

  /** Null when no run of late worked there. */
  whose(path: string): Past | null {
    return this.#latest().get(path) ?? null;
  }

  #latest(): ReadonlyMap<string, Past> {
    if (this.#late !== null) return this.#late;
    const late = new Map<string, Past>();
    for (const { workspace, issueId, identifier, workflow } of this.#runs({ limit: LATEST_RUNS }))
      if (workspace !== null && !late.has(workspace)) late.set(workspace, { issueId, identifier, workflow });
    this.#late = late;
    return late;
  }
}
