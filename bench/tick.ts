/** A tick with 1,000 candidates: the scheduler in process, and the whole daemon with the reading of the list. */
import { policyOf } from "../src/daemon/policy.ts";
import { issueId, type Issue } from "../src/domain/issue.ts";
import { runId, threadId, turnId, workflowName } from "../src/domain/run.ts";
import { instant, type Instant } from "../src/domain/time.ts";
import { decide, initialState, nextDeadline } from "../src/scheduler/decide.ts";
import type { News } from "../src/scheduler/events.ts";
import { violations } from "../src/scheduler/invariants.ts";
import type { Policy, State } from "../src/scheduler/state.ts";
import { WorkflowFile } from "../src/workflow/workflow.ts";
import { aside, bounded, median, type Figure } from "./figure.ts";
import { Place } from "./place.ts";
import { session } from "./session.ts";

const CANDIDATES = 1000;
const SLOTS = 20;
const TICKS = 30;
const POLL_MS = 30_000;

export async function tick(): Promise<readonly Figure[]> {
  const { first, later } = decisions();
  const whole = await wholeDaemon();
  return [
    bounded(`a tick with ${CANDIDATES} candidates`, Math.max(first, ...later), {
      max: 20,
      unit: "CPU ms",
      digits: 1,
      how: `decide and its checks, the worst of ${TICKS + 1}; the first, which fills ${SLOTS} slots, ${first.toFixed(1)}; median ${median(later).toFixed(1)}`,
    }),
    aside(
      "  the whole daemon",
      `${whole.toFixed(0)} CPU ms`,
      `with reading ${CANDIDATES / 50} pages over HTTP; mean of ${SCANS} ticks`,
    ),
  ];
}

const workflow = workflowName("bench");

/** What the daemon makes of the WORKFLOW.md of the other benchmarks. */
function policyOfBench(): Policy {
  const place = new Place({ boardPort: 1, agent: "quiet", agentsMax: SLOTS, pollMs: POLL_MS });
  try {
    const file = new WorkflowFile(place.workflow, { LINEAR_API_KEY: "bench" }, place.home);
    return policyOf(file.current());
  } finally {
    place.remove();
  }
}

/** Milliseconds of CPU of each tick: as the loop does it, with the checks that it makes in production. */
function decisions(): { readonly first: number; readonly later: readonly number[] } {
  const scheduler = new Scheduler();
  const issues = board();
  scheduler.step({ type: "configured", policy: policyOfBench() });
  scheduler.step({ type: "began" });
  const first = cpuMs(() => {
    scheduler.step({ type: "polled", workflow, candidates: issues, tookMs: 100 });
    while (scheduler.revalidating.length > 0) scheduler.revalidate(issues);
  });
  scheduler.openAll();
  const later = Array.from({ length: TICKS }, () => {
    scheduler.pass(POLL_MS);
    // A list is a new one each time, as it is when it comes from the tracker.
    const listed = board();
    return cpuMs(() => {
      scheduler.step({ type: "woke" });
      scheduler.step({
        type: "refreshed",
        workflow,
        ids: scheduler.running,
        statuses: listed.slice(0, SLOTS),
      });
      scheduler.step({ type: "polled", workflow, candidates: listed, tookMs: 100 });
    });
  });
  return { first, later };
}

class Scheduler {
  #state: State = initialState;
  #now: Instant = instant(1_795_187_592_179);

  get revalidating(): readonly Issue["id"][] {
    return this.#state.workflows.get(workflow)?.revalidating ?? [];
  }

  get running(): readonly Issue["id"][] {
    return [...this.#state.claims.running.keys()];
  }

  step(event: News): void {
    const decision = decide(this.#state, { ...event, at: this.#now });
    const broken = violations(this.#state, decision);
    if (broken.length > 0) throw new Error(broken.join("; "));
    this.#state = decision.state;
    nextDeadline(decision.state, this.#now);
  }

  pass(ms: number): void {
    this.#now = instant(this.#now + ms);
  }

  revalidate(issues: readonly Issue[]): void {
    const ids = this.revalidating;
    const wanted = new Set(ids);
    this.step({ type: "revalidated", workflow, ids, issues: issues.filter(({ id }) => wanted.has(id)) });
  }

  /** Every run that was started has its thread and its first turn. */
  openAll(): void {
    for (const [id, claim] of this.#state.claims.running) {
      const of = { runId: runId(claim.run.id), issueId: id };
      this.step({ ...of, type: "opened", threadId: threadId(`t-${id}`), resumed: false, why: null });
      this.step({ ...of, type: "turn_started", turnId: turnId(`u-${id}`) });
    }
    if (this.running.length !== SLOTS) throw new Error(`${this.running.length} of ${SLOTS} slots are used`);
  }
}

const board = (): readonly Issue[] =>
  Array.from({ length: CANDIDATES }, (_, i) => ({
    id: issueId(`00000000-0000-4000-8000-${String(i).padStart(12, "0")}`),
    identifier: `MT-${i}`,
    title: `Show a hint when list ${i} is empty`,
    state: "Todo",
    // Neither sorted nor reversed: what sorting costs depends on it. The first ones are the best, so they are running.
    priority: i < SLOTS ? 1 : ((i * 7) % 3) + 2,
    createdAt: instant(1_790_000_000_000 + ((i * 7919) % CANDIDATES) * 60_000),
    updatedAt: instant(1_795_000_000_000),
    dispatchable: true,
    description: null,
    nativeRef: null,
    assigneeId: null,
    branchName: null,
    url: null,
    labels: ["agent"],
    blockedBy: [],
  }));

function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const SCANS = 10;
const WARM_SCANS = 3;
const SCAN_MS = 10_000;

/** CPU milliseconds per scan, with one quiet agent and no slot for the others. */
const wholeDaemon = (): Promise<number> =>
  session(1, async ({ board, daemon: start }) => {
    board.add(CANDIDATES);
    const { daemon } = start({ agent: "quiet", agentsMax: 1, pollMs: 500 });
    await daemon.until("turn_started", 1, SCAN_MS);
    await board.until("scanned", WARM_SCANS, SCAN_MS);
    const before = daemon.figures();
    await board.until("scanned", WARM_SCANS + SCANS, SCAN_MS * 2);
    const after = daemon.figures();
    await daemon.stop();
    return ((after.cpu - before.cpu) * 1000) / SCANS;
  });
