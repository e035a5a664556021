/** What chores have in common: the work they take, and how they tell of trouble. */
import type { Instant } from "../../domain/domain.ts";
import type { Work } from "../../scheduler/scheduler.ts";
import { TrackerError } from "../../tracker/tracker.ts";

/** One kind of work, as the scheduler asks for it. */
export type Chore<T extends Work["type"]> = Extract<Work, { type: T }>;

/** What went wrong, as news and facts carry it. */
export interface Trouble {
  readonly kind: string;
  readonly error: string;
}

/** Any error in words. Only the tracker's have a kind that something depends on. */
export const troubleOf = (error: unknown): Trouble => ({
  kind: error instanceof TrackerError ? error.kind : "internal",
  error: error instanceof Error ? error.message : String(error),
});

/** When it makes sense to ask the tracker again, if the tracker said so. */
export const retryAtOf = (error: unknown): Instant | null =>
  error instanceof TrackerError ? error.retryAt : null;
