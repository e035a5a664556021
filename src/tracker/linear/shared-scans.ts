/**
 * One scan for all workflows on one project with one key: who asks for candidates at about the same time gets its own part
 * of one answer. A workflow that has shared its project with nobody for an hour, a replaced text of its own included, does
 * not wait.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { after, type Instant, type IssueSummary } from "../../domain/domain.ts";
import { TrackerError } from "../port.ts";
import { type CandidateScope, isWorthSharing, ownScan, sharedScan } from "./candidates.ts";
import type { LinearClient } from "./client.ts";
import type { Scanned } from "./scan.ts";

/**
 * How long the first to ask waits for others: polls that fall due together are some milliseconds apart. Holds up no end of
 * the process.
 */
const GATHER_MS = 250;

/** Who has not asked for so long is no company any more: a workflow's text that was replaced, say. */
const COMPANY_MS = 60 * 60_000;

/** Workflows in one scan: its filter and its price stay in bounds. */
const SHARERS_MAX = 20;

/** Lists candidates for one tracker. @throws TrackerError */
export interface Scans {
  list(client: LinearClient, scope: CandidateScope, signal: AbortSignal): Promise<Scanned<IssueSummary>>;
}

/** Of a tracker that shares with nobody. */
export const ownScans = (projectSlug: string): Scans => ({
  list: (client, scope, signal) => ownScan(client, projectSlug, scope, signal),
});

interface Asker {
  readonly client: LinearClient;
  readonly scope: CandidateScope;
  readonly signal: AbortSignal;
  readonly resolve: (list: Scanned<IssueSummary>) => void;
  readonly reject: (error: unknown) => void;
}

/** A tracker that may ask. */
interface Sharer {
  askedAt: Instant;
}

export class SharedScans {
  readonly #projectSlug: string;
  readonly #clock: () => Instant;
  readonly #gather: () => Promise<unknown>;
  #sharers: readonly Sharer[] = [];
  #waiting: Asker[] = [];

  /** `gather` resolves when those who ask at about the same time have asked. */
  constructor(
    projectSlug: string,
    clock: () => Instant,
    gather: () => Promise<unknown> = () => sleep(GATHER_MS, undefined, { ref: false }),
  ) {
    this.#projectSlug = projectSlug;
    this.#clock = clock;
    this.#gather = gather;
  }

  /** The scans of one more tracker. */
  join(): Scans {
    const sharer: Sharer = { askedAt: this.#clock() };
    this.#sharers = [...this.#sharers, sharer];
    return {
      list: (client, scope, signal) => {
        this.#heardOf(sharer);
        return this.#sharers.length > 1
          ? this.#ask(client, scope, signal)
          : ownScan(client, this.#projectSlug, scope, signal);
      },
    };
  }

  /** Who was away for too long is company no more; one that was, and asks, is back. */
  #heardOf(sharer: Sharer): void {
    const now = this.#clock();
    sharer.askedAt = now;
    this.#sharers = this.#sharers.filter(({ askedAt }) => after(askedAt, COMPANY_MS) > now);
    if (!this.#sharers.includes(sharer)) this.#sharers = [...this.#sharers, sharer];
  }

  #ask(client: LinearClient, scope: CandidateScope, signal: AbortSignal): Promise<Scanned<IssueSummary>> {
    const { promise, resolve, reject } = Promise.withResolvers<Scanned<IssueSummary>>();
    const giveUp = (): void => reject(givenUp());
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    this.#waiting.push({ client, scope, signal, resolve, reject });
    if (this.#waiting.length === 1) void this.#gather().then(() => this.#go());
    return promise.finally(() => signal.removeEventListener("abort", giveUp));
  }

  #go(): void {
    const asking = this.#waiting.filter(({ signal }) => !signal.aborted);
    this.#waiting = [];
    for (let from = 0; from < asking.length; from += SHARERS_MAX) {
      const group = asking.slice(from, from + SHARERS_MAX);
      if (isWorthSharing(group.map(({ scope }) => scope))) void this.#together(group);
      else for (const asker of group) void this.#alone(asker);
    }
  }

  async #alone({ client, scope, signal, resolve, reject }: Asker): Promise<void> {
    await ownScan(client, this.#projectSlug, scope, signal).then(resolve, reject);
  }

  /** Sent by the first; given up only when nobody waits for it any more. */
  async #together(group: readonly Asker[]): Promise<void> {
    const [first] = group;
    if (first === undefined) return;
    const nobody = new AbortController();
    const left = (): void => {
      if (group.every(({ signal }) => signal.aborted)) nobody.abort();
    };
    for (const { signal } of group) signal.addEventListener("abort", left);
    try {
      const scopes = group.map(({ scope }) => scope);
      const lists = await sharedScan(first.client, this.#projectSlug, scopes, nobody.signal);
      for (const [n, { resolve }] of group.entries()) resolve(lists[n] ?? { issues: [], rejected: [] });
    } catch (error) {
      for (const { reject } of group) reject(error);
    } finally {
      for (const { signal } of group) signal.removeEventListener("abort", left);
    }
  }
}

const givenUp = (): TrackerError =>
  new TrackerError("tracker_request", "The request for the scan for candidates was given up by us.");

/** One per place, key and project, however many workflows and reloads use it. */
export function scansByProject(
  clock: () => Instant,
): (of: { readonly endpoint: string; readonly apiKey: string; readonly projectSlug: string }) => SharedScans {
  const scans = new Map<string, SharedScans>();
  return ({ endpoint, apiKey, projectSlug }) => {
    const name = JSON.stringify([endpoint, apiKey.trim(), projectSlug]);
    const shared = scans.get(name) ?? new SharedScans(projectSlug, clock);
    scans.set(name, shared);
    return shared;
  };
}
