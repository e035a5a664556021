/** The tracker's answers: right, late, old, twice, in part, or none. One per daemon; what it tells a dead one, nobody hears. */
import type { News } from "../../src/scheduler/events.ts";
import { failure } from "../../src/domain/failure.ts";
import type { IssueId, IssueSummary } from "../../src/domain/issue.ts";
import type { WorkflowName } from "../../src/domain/run.ts";
import type { Instant } from "../../src/domain/time.ts";
import { duration } from "../../src/facts/words.ts";
import { isOver } from "../../src/scheduler/eligible.ts";
import type { Work } from "../../src/scheduler/effects.ts";
import type { Policy } from "../../src/scheduler/state.ts";
import { retryAtOf } from "../../src/tracker/linear/rates.ts";
import { STALE_MAX_MS } from "./board.ts";
import { strikes, type Ground } from "./ground.ts";
import { shownUnder } from "./projects.ts";

/** A request that gets no answer is given up by then. */
const SILENCE_MS = 30_000;

/** Between two turns the daemon waits this long for a tracker that does not answer. */
const CHECK_PATIENCE_MS = 5 * 60_000;

/** An answer by id leaves out one that is there, as often as this, and shows it the next time. */
const ABSENT_CHANCE = 0.03;

/** Of a list that is not whole, this share is missing: records that could not be read are left out (SPEC 11.1). */
const MISSING_SHARE = 0.3;

type Of<T extends Work["type"]> = Extract<Work, { type: T }>;

export interface TrackerParts {
  readonly ground: Ground;
  readonly clock: () => Instant;
  /** The settings in force in the daemon. */
  readonly policyOf: (name: WorkflowName) => Policy;
  readonly say: (news: News) => void;
  /** True time at which the outage that is under way ends. */
  readonly outageUntil: () => Instant;
  /** Which of these issues have a workspace. */
  readonly hasWorkspace: (id: IssueId) => boolean;
}

/** Of which workflow, and of which issues it was told to take. */
interface Asked {
  readonly workflow: WorkflowName;
  readonly scope: string;
}

interface Question {
  /** What is asked, of which workflow: answers to the same question may overtake each other. */
  readonly what: string;
  readonly answer: () => void;
  readonly fail: (trouble: Trouble) => void;
  /** What follows in any case. */
  readonly next?: () => void;
}

interface Trouble {
  readonly kind: string;
  readonly error: string;
  readonly retryAt: Instant | null;
}

export class SimTracker {
  readonly #parts: TrackerParts;
  #asked = 0;
  /** What the last answer by id left out, and has to show the next time. */
  #absent: IssueId | null = null;
  /** The youngest question of its kind that was answered. */
  readonly #answered = new Map<string, number>();

  constructor(parts: TrackerParts) {
    this.#parts = parts;
  }

  /** Scans, then asks by id for the running issues that the scan left out, or for all of them when it did not work. */
  poll({ workflow, running, scope }: Of<"poll">): void {
    const { ground, policyOf, say } = this.#parts;
    this.#ask({
      what: `scan ${workflow}`,
      answer: () => {
        const agoMs = this.#age();
        const policy = { ...policyOf(workflow), scope };
        const all = ground.board.candidates(policy, agoMs);
        this.#tellStale("all issues", workflow, agoMs, () =>
          this.#differ(all, ground.board.candidates(policy, 0)),
        );
        const candidates = this.#inPart(all);
        const listed = new Set(candidates.map(({ id }) => id));
        const left = running.filter((id) => !listed.has(id));
        this.#refresh({ workflow, scope }, left, () =>
          say({ type: "polled", workflow, scope, candidates, tookMs: 1 }),
        );
      },
      fail: ({ kind, error, retryAt }) =>
        this.#refresh({ workflow, scope }, running, () =>
          say({ type: "poll_failed", workflow, scope, kind, error, retryAt }),
        ),
    });
  }

  #refresh(asked: Asked, ids: readonly IssueId[], next: () => void): void {
    const { workflow } = asked;
    if (ids.length === 0) return next();
    this.#ask({
      what: `refresh ${workflow}`,
      answer: () => {
        const agoMs = this.#age();
        const statuses = this.#lacking(this.#byId(asked, ids, agoMs));
        this.#tellStale("its running issues", workflow, agoMs, () =>
          this.#differ(statuses, this.#byId(asked, ids, 0)),
        );
        this.#parts.say({ type: "refreshed", ...asked, ids, statuses });
      },
      fail: ({ kind, error }) => this.#parts.say({ type: "refresh_failed", ...asked, kind, error }),
      next,
    });
  }

  revalidate({ workflow, scope, ids }: Of<"revalidate">): void {
    const { say } = this.#parts;
    const asked = { workflow, scope };
    this.#ask({
      what: `revalidate ${workflow}`,
      answer: () =>
        say({ type: "revalidated", ...asked, ids, issues: this.#lacking(this.#byId(asked, ids, 0)) }),
      fail: ({ kind, error, retryAt }) =>
        say({ type: "revalidation_failed", ...asked, kind, error, retryAt }),
    });
  }

  /** Repeated in place, like daemon/chores/check.ts does it. */
  check({ runId, issueId, workflow, scope }: Of<"check">): void {
    const { say, ground, clock } = this.#parts;
    const about = { runId, issueId, scope };
    const ask = (waited: number): void =>
      this.#ask({
        what: `check ${runId}`,
        answer: () => {
          const [status = null] = this.#byId({ workflow, scope }, [issueId], 0);
          say({ type: "checked", ...about, status });
        },
        fail: ({ error, retryAt }) => {
          const pause = Math.max(30_000, (retryAt ?? 0) - clock());
          if (waited + pause > CHECK_PATIENCE_MS)
            return say({ type: "check_failed", ...about, failure: failure("tracker_error", error) });
          ground.timeline.in(pause, () => ask(waited + pause));
        },
      });
    ask(0);
  }

  sweep({ workflow, scope }: Of<"sweep">): void {
    const { ground, policyOf, hasWorkspace, say } = this.#parts;
    this.#ask({
      what: `sweep ${workflow}`,
      answer: () => {
        const issues = ground.board
          .issues(this.#age())
          .map((issue) => shownUnder(issue, { scope }))
          .filter((issue) => isOver(issue, policyOf(workflow)) && hasWorkspace(issue.id));
        if (issues.length > 0) say({ type: "leftovers_found", workflow, scope, issues });
      },
      fail: () => {},
    });
  }

  /** One that is there may be missing, but not twice in a row. */
  #lacking<T extends { readonly id: IssueId; readonly identifier: string }>(
    found: readonly T[],
  ): readonly T[] {
    const { ground } = this.#parts;
    const before = this.#absent;
    const may = found.filter(({ id }) => id !== before);
    if (may.length < found.length) this.#absent = null;
    if (this.#absent !== null || ground.calm() || !ground.absences.chance(ABSENT_CHANCE)) return found;
    const absent = ground.absences.pick(may);
    if (absent === undefined) return found;
    this.#absent = absent.id;
    ground.figures.add("absences");
    ground.tell("fault", "the tracker", () => `leaves ${absent.identifier} out of an answer by id`);
    return found.filter((one) => one !== absent);
  }

  #byId = (asked: Asked, ids: readonly IssueId[], agoMs: number) =>
    this.#parts.ground.board
      .issues(agoMs)
      .filter((issue) => ids.includes(issue.id))
      .map((issue) => shownUnder(issue, asked));

  #age(): number {
    const { ground } = this.#parts;
    return strikes(ground, ground.faults().stale, "staleAnswers")
      ? ground.random.spread(1_000, STALE_MAX_MS)
      : 0;
  }

  #inPart(list: readonly IssueSummary[]): readonly IssueSummary[] {
    const { ground } = this.#parts;
    if (list.length === 0 || !strikes(ground, ground.faults().partial, "partialLists")) return list;
    const part = list.filter(() => !ground.random.chance(MISSING_SHARE));
    const missing = list.filter((one) => !part.includes(one)).map(({ identifier }) => identifier);
    ground.tell("fault", "the tracker", () =>
      missing.length > 0 ? `leaves ${missing.join(" and ")} out of a list` : null,
    );
    return part;
  }

  /** Only what is not as it is now is worth a word. */
  #tellStale(what: string, workflow: WorkflowName, agoMs: number, differs: () => boolean): void {
    if (agoMs === 0) return;
    const words = (): string => `shows ${workflow} ${what} as they were ${duration(agoMs)} ago`;
    this.#parts.ground.tell("fault", "the tracker", () => (differs() ? words() : null));
  }

  #differ = (one: readonly IssueSummary[], other: readonly IssueSummary[]): boolean =>
    one.length !== other.length ||
    one.some((issue, n) => issue.id !== other[n]?.id || issue.state !== other[n].state);

  #ask({ what, answer, fail, next = () => {} }: Question): void {
    const { ground } = this.#parts;
    const { random, faults, timeline } = ground;
    const number = (this.#asked += 1);
    const heard = (): void => {
      this.#note(what, number);
      answer();
    };
    const trouble = this.#trouble();
    const ms = strikes(ground, faults().slow, "slowAnswers")
      ? random.between(1_000, 60_000)
      : random.between(30, 600);
    timeline.in(trouble?.afterMs ?? ms, () => {
      if (trouble !== null) fail(trouble.tell());
      else heard();
      next();
    });
    // The same request went out twice, or its answer was held up on the way.
    if (trouble === null && strikes(ground, faults().twice, "answersTwice"))
      timeline.in(ms + random.spread(1, 60_000), heard);
  }

  #note(what: string, number: number): void {
    const youngest = this.#answered.get(what) ?? 0;
    if (number < youngest) this.#parts.ground.figures.add("answersOvertaken");
    else this.#answered.set(what, number);
  }

  /** What is wrong with this request, and when that is known; null = nothing. */
  #trouble(): { readonly afterMs: number; readonly tell: () => Trouble } | null {
    const { ground, outageUntil } = this.#parts;
    const { random, faults, timeline } = ground;
    const { trackerFails, trackerRefuses } = faults();
    if (timeline.true < outageUntil() || random.chance(trackerFails)) {
      const silent = strikes(ground, 0.3, "silences");
      if (!silent) ground.figures.add("serverErrors");
      const error = silent ? "no answer within 30 s" : "HTTP 502";
      const afterMs = silent ? SILENCE_MS : random.between(30, 600);
      return { afterMs, tell: () => ({ kind: "tracker_status", error, retryAt: null }) };
    }
    if (!strikes(ground, trackerRefuses, "refusals429")) return null;
    return { afterMs: random.between(30, 600), tell: () => this.#refusal() };
  }

  /** 429, with whatever servers say about when to come back; read by the real reader of headers. */
  #refusal(): Trouble {
    const { ground, clock } = this.#parts;
    const { random, timeline } = ground;
    const inMs = random.spread(1_000, 30 * 60_000);
    const headers = random.pick<Readonly<Record<string, string>>>([
      { "retry-after": String(Math.ceil(inMs / 1000)) },
      { "retry-after": new Date(timeline.true + inMs).toUTCString() },
      { "x-ratelimit-requests-remaining": "0", "x-ratelimit-requests-reset": String(timeline.true + inMs) },
      { "x-ratelimit-requests-remaining": "0", "x-ratelimit-requests-reset": String(timeline.true - inMs) },
      {},
    ]);
    return {
      kind: "tracker_rate_limited",
      error: "HTTP 429",
      retryAt: retryAtOf(headers, clock()),
    };
  }
}
