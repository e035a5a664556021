/** One tick of a workflow: what could run, how the disk is, and what runs although it could not (SPEC 8.1). */
import type { Fact, IssueId, WorkflowName, WorkspaceSettings } from "../../domain/domain.ts";
import type { Tracker } from "../../tracker/tracker.ts";
import type { Clock } from "../clock.ts";
import type { News } from "../../scheduler/scheduler.ts";
import type { TrackerFor } from "../trackers.ts";
import type { Workflows } from "../workflows.ts";
import { readEach } from "./each.ts";
import { type Chore, retryAtOf, troubleOf } from "./chore.ts";

export interface PollParts {
  readonly workflows: Pick<Workflows, "check" | "current">;
  readonly trackerFor: TrackerFor;
  /** Why the disk takes no more work, in words; null = it does. */
  readonly diskLow: (settings: WorkspaceSettings) => Promise<string | null>;
  readonly clock: Clock;
  readonly publish: (fact: Fact) => void;
  readonly dispatch: (news: News) => void;
}

/**
 * A scan; then, by id, the running issues that it left out, for those it lists were seen by it. What the scan says is told
 * last: it ends the poll, and a refresh told after it could be overtaken by that of the next poll. When the scan does
 * not work, all running issues are asked for by id: a list that is never whole must not keep finished runs alive (I7 of
 * docs/ARCHITECTURE.md).
 * Where the tracker's limits allow fewer scans than wished for, only running issues are looked up, as far as these do.
 * Never rejects: what fails says so by itself, and the next is done all the same.
 */
export async function poll(work: Chore<"poll">, parts: PollParts, signal: AbortSignal): Promise<void> {
  const { workflow, scope, running, apart } = work;
  const { clock, dispatch } = parts;
  // The safety net under the watcher: events get lost, hashes do not (SPEC 6.2).
  parts.workflows.check(workflow);
  const tracker = (): Tracker => parts.trackerFor(parts.workflows.current(workflow));
  const refreshed = (ids: readonly IssueId[]): Promise<void> =>
    refresh({ workflow, scope, apart }, ids, parts, tracker, signal);
  const looked = lookAtDisk(workflow, parts);
  const startedAt = clock.now();
  const wishedMs = parts.workflows.current(workflow).settings.pollIntervalMs;
  try {
    const { pacer } = tracker();
    if (pacer?.beginScan(wishedMs) === false) {
      await looked;
      if (running.length > 0 && pacer.beginRefresh(running.length)) await refreshed(running);
      return dispatch({ type: "scan_put_off", workflow, scope, pace: pacer.pace(wishedMs) });
    }
    const candidates = await tracker().candidates(signal);
    const tookMs = clock.now() - startedAt;
    await looked;
    const listed = new Set(candidates.map(({ id }) => id));
    await refreshed(running.filter((id) => !listed.has(id)));
    const pace = pacer?.pace(wishedMs);
    dispatch({
      type: "polled",
      workflow,
      scope,
      candidates,
      tookMs,
      ...(pace === undefined ? {} : { pace }),
    });
  } catch (error) {
    await looked;
    await refreshed(running);
    dispatch({ type: "poll_failed", workflow, scope, ...troubleOf(error), retryAt: retryAtOf(error) });
  }
}

async function refresh(
  { apart, ...of }: Pick<Chore<"poll">, "workflow" | "scope" | "apart">,
  ids: readonly IssueId[],
  { dispatch }: PollParts,
  tracker: () => Tracker,
  signal: AbortSignal,
): Promise<void> {
  if (ids.length === 0) return;
  try {
    const { found: statuses, unreadable } = await readEach(ids, apart, (some) =>
      tracker().statuses(some, signal),
    );
    dispatch({ type: "refreshed", ...of, ids, statuses, ...(unreadable.length > 0 && { unreadable }) });
  } catch (error) {
    dispatch({ type: "refresh_failed", ...of, ...troubleOf(error) });
  }
}

/** Told before the scan's answer, so that nothing of it is started on a full disk. A disk that cannot be asked is said, not feared. */
async function lookAtDisk(workflow: WorkflowName, parts: PollParts): Promise<void> {
  const { workflows, diskLow, dispatch, publish, clock } = parts;
  try {
    const low = await diskLow(workflows.current(workflow).settings.workspace);
    dispatch({ type: "disk_checked", workflow, low });
  } catch (error) {
    publish({ type: "warning", message: troubleOf(error).error, workflow, at: clock.now() });
  }
}
