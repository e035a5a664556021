/**
 * All claims: an issue has one, in one phase (I3 of docs/ARCHITECTURE.md). Asked after every event, so what is asked
 * has its own place: the few that run by themselves, those that wait in the order in which they are due. Made anew with
 * each change.
 */
import type { Instant, IssueId } from "../domain/domain.ts";
import { PersistentMap } from "./persistent-map.ts";
import type { Claim, Parked, Running, Waiting } from "./state.ts";

interface Places {
  readonly running: ReadonlyMap<IssueId, Running>;
  /** Earliest first. */
  readonly waiting: readonly Waiting[];
  /** All that do not run. */
  readonly idle: PersistentMap<IssueId, Waiting | Parked>;
}

export class Claims {
  readonly #places: Places;

  private constructor(places: Places) {
    this.#places = places;
  }

  static of(claims: Iterable<Claim>): Claims {
    const idle: [IssueId, Waiting | Parked][] = [];
    const running = new Map<IssueId, Running>();
    for (const claim of claims) {
      if (claim.phase === "running") running.set(claim.issue.id, claim);
      else idle.push([claim.issue.id, claim]);
    }
    const kept = PersistentMap.of(idle);
    const waiting = [...kept.values()].filter((claim) => claim.phase === "waiting").sort(byDue);
    return new Claims({ running, waiting, idle: kept });
  }

  /** Those that run; as many as there are slots. */
  get running(): ReadonlyMap<IssueId, Running> {
    return this.#places.running;
  }

  /** Those that wait for a time, the earliest first. */
  get waiting(): readonly Waiting[] {
    return this.#places.waiting;
  }

  get size(): number {
    const { running, idle } = this.#places;
    return running.size + idle.size;
  }

  get(id: IssueId): Claim | undefined {
    const { running, idle } = this.#places;
    return running.get(id) ?? idle.get(id);
  }

  has(id: IssueId): boolean {
    return this.get(id) !== undefined;
  }

  /** All of them. */
  *values(): Generator<Claim, undefined> {
    const { running, idle } = this.#places;
    yield* running.values();
    yield* idle.values();
    return undefined;
  }

  /** Those whose time to wait is over. */
  due(at: Instant): readonly Waiting[] {
    const { waiting } = this.#places;
    return waiting.slice(0, placeAfter(waiting, at));
  }

  /** When the next wait that is not over yet will be; null = nobody waits for a time. */
  nextDue(at: Instant): Instant | null {
    const { waiting } = this.#places;
    return waiting[placeAfter(waiting, at)]?.retryAt ?? null;
  }

  /** Claims that are here and were not in `before`, or not as they are. */
  newSince(before: Claims): readonly Claim[] {
    const [is, was] = [this.#places, before.#places];
    const running =
      is.running === was.running
        ? []
        : [...is.running.values()].filter((claim) => was.running.get(claim.issue.id) !== claim);
    return [...running, ...is.idle.newSince(was.idle)];
  }

  /** The same with this claim in the place of what the issue had. */
  with(claim: Claim): Claims {
    const { running, waiting, idle } = this.#places;
    const { id } = claim.issue;
    // What happens all the time: something new is known of one that runs.
    if (claim.phase === "running" && running.has(id))
      return new Claims({ running: new Map(running).set(id, claim), waiting, idle });
    const others = this.without(id).#places;
    if (claim.phase === "running")
      return new Claims({ ...others, running: new Map(others.running).set(id, claim) });
    const kept = others.idle.with(id, claim);
    if (claim.phase === "parked") return new Claims({ ...others, idle: kept });
    return new Claims({ ...others, idle: kept, waiting: inserted(others.waiting, claim) });
  }

  /** The same without a claim on this issue. */
  without(id: IssueId): Claims {
    const { running, waiting, idle } = this.#places;
    if (running.has(id)) {
      const others = new Map(running);
      others.delete(id);
      return new Claims({ running: others, waiting, idle });
    }
    const claim = idle.get(id);
    if (claim === undefined) return this;
    const left = claim.phase === "waiting" ? waiting.toSpliced(placeOf(waiting, claim), 1) : waiting;
    return new Claims({ running, waiting: left, idle: idle.without(id) });
  }
}

/** By when they are due; by id where that is the same, so that each has one place. */
const byDue = (a: Waiting, b: Waiting): number =>
  a.retryAt - b.retryAt || (a.issue.id < b.issue.id ? -1 : a.issue.id > b.issue.id ? 1 : 0);

const inserted = (waiting: readonly Waiting[], claim: Waiting): readonly Waiting[] =>
  waiting.toSpliced(placeOf(waiting, claim), 0, claim);

/** Where this claim is, or would be. */
const placeOf = (waiting: readonly Waiting[], claim: Waiting): number =>
  firstPlace(waiting, (one) => byDue(one, claim) >= 0);

/** The place of the first that is due after this instant. */
const placeAfter = (waiting: readonly Waiting[], at: Instant): number =>
  firstPlace(waiting, (one) => one.retryAt > at);

/** The first place from which on this is true, by halves. */
function firstPlace(waiting: readonly Waiting[], isTrue: (claim: Waiting) => boolean): number {
  let [low, high] = [0, waiting.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const claim = waiting[middle];
    if (claim !== undefined && isTrue(claim)) high = middle;
    else low = middle + 1;
  }
  return low;
}
