/**
 * The look at Codex: whether the one that a workflow's command starts has what is needed. What it lacks is news; that it
 * lacks nothing, or that this cannot be known, is said once.
 */
import { type Fit, LACK_REMEDY, lackWords } from "../../agent/agent.ts";
import type { CodexSettings, Fact, WorkflowName } from "../../domain/domain.ts";
import type { News } from "../../scheduler/scheduler.ts";
import type { Clock } from "../clock.ts";
import type { Workflows } from "../workflows.ts";
import type { Chore } from "./chore.ts";

/** Never rejects. */
export type FitOf = (codex: CodexSettings, signal: AbortSignal) => Promise<Fit>;

export interface ExamineParts {
  readonly workflows: Pick<Workflows, "current">;
  /** Absent = nobody looks. */
  readonly fit?: FitOf | undefined;
  readonly clock: Clock;
  readonly publish: (fact: Fact) => void;
  readonly dispatch: (news: News) => void;
}

export class Examinations {
  readonly #parts: ExamineParts;
  /** What was said last of each. */
  readonly #said = new Map<WorkflowName, string>();

  constructor(parts: ExamineParts) {
    this.#parts = parts;
  }

  /** Never rejects. */
  async examine({ workflow, program }: Chore<"examine">, signal: AbortSignal): Promise<void> {
    const { fit, workflows, dispatch } = this.#parts;
    const found = await fit?.(workflows.current(workflow).settings.codex, signal);
    if (signal.aborted) return;
    if (found !== undefined) this.#say(workflow, found);
    const again = found !== undefined && !(found.is === "unknown" && found.lasting);
    dispatch({ type: "examined", workflow, program, lacks: lacksOf(found), again });
  }

  #say(workflow: WorkflowName, found: Fit): void {
    const { clock, publish } = this.#parts;
    const { version } = found;
    const unknown = found.is === "unknown" ? found.why : null;
    const text = JSON.stringify([found.is, version, unknown]);
    if (this.#said.get(workflow) === text) return;
    this.#said.set(workflow, text);
    // What it lacks is said by the hold.
    if (found.is !== "unfit")
      publish({ type: "codex_examined", version, unknown, workflow, at: clock.now() });
  }
}

function lacksOf(found: Fit | undefined): Extract<News, { type: "examined" }>["lacks"] {
  if (found?.is !== "unfit") return null;
  return { why: lackWords(found), remedy: LACK_REMEDY };
}
