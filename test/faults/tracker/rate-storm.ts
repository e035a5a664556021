/**
 * A Linear whose rate limit is used up, in virtual time: it refuses everything until a window ends, in all the ways in
 * which a server says so, and then begins the next window with the next request. Counts what is asked of it.
 */
import type { Instant } from "../../../src/domain/time.ts";
import type { Posted, Send } from "../../../src/tracker/linear/http.ts";

/** How a refusal is said. `until`: the time is said in a way that can be used. */
interface Manner {
  readonly status: number;
  readonly until: boolean;
  readonly headers: (now: number, end: number) => Readonly<Record<string, string>>;
}

const requests = (remaining: number, reset: number | string): Readonly<Record<string, string>> => ({
  "x-ratelimit-requests-limit": "2500",
  "x-ratelimit-requests-remaining": String(remaining),
  "x-ratelimit-requests-reset": String(reset),
});

const YEAR_MS = 365 * 24 * 3_600_000;

const seconds = (ms: number): number => Math.ceil(ms / 1_000);

const manners: readonly Manner[] = [
  { status: 400, until: true, headers: (_, end) => requests(0, end) },
  { status: 400, until: true, headers: (_, end) => requests(0, seconds(end)) },
  { status: 429, until: true, headers: (_, end) => requests(0, end) },
  { status: 429, until: true, headers: (now, end) => ({ "retry-after": String(seconds(end - now)) }) },
  {
    status: 429,
    until: true,
    headers: (_, end) => ({ "retry-after": new Date(seconds(end) * 1_000).toUTCString() }),
  },
  { status: 200, until: true, headers: (_, end) => requests(0, end) },
  { status: 400, until: false, headers: () => ({}) },
  { status: 429, until: false, headers: () => ({}) },
  { status: 400, until: false, headers: (now) => requests(0, now - 60_000) },
  { status: 429, until: false, headers: (now) => ({ "retry-after": new Date(now - 5_000).toUTCString() }) },
  { status: 400, until: false, headers: (now) => requests(0, now + 30 * YEAR_MS) },
  { status: 429, until: false, headers: () => ({ "retry-after": "999999999999" }) },
  { status: 429, until: false, headers: () => ({ "retry-after": "-1" }) },
  { status: 400, until: false, headers: () => requests(0, "NaN") },
  { status: 400, until: false, headers: () => requests(0, -1) },
  // Near, and near again: a time that never comes is none.
  { status: 429, until: false, headers: (now) => requests(0, now + 1) },
];

const told = manners.filter(({ until }) => until);
const untold = manners.filter(({ until }) => !until);

/** Linear's window; also that of a server which does not say when it ends. */
export const HOUR_MS = 3_600_000;

/** Pauses without a word of the server grow to an hour within so many refusals. */
const WARM_UP = 10;

const limited = JSON.stringify({
  errors: [{ message: "Rate limit exceeded", extensions: { code: "RATELIMITED", type: "ratelimited" } }],
});

export interface Storm {
  readonly refusals: number;
  /** How the windows say their end; the last of them is as the first of these. */
  readonly manners: "any" | "told" | "untold";
}

export class StormyLinear {
  readonly #now: () => Instant;
  readonly #random: () => number;
  readonly #answer: (body: string) => string;
  #left = 0;
  #manners: readonly Manner[] = manners;
  #manner: Manner | null = null;
  #windowEnd = 0;
  #inWindow = 0;
  #sinceAnswer = 0;
  refused = 0;
  answered = 0;
  windows = 0;
  /** The most requests in one window whose end was said, and in one that was not, apart from the first few refusals. */
  toldMost = 0;
  untoldMost = 0;

  /** `answer` is what it says when all is well. */
  constructor(now: () => Instant, random: () => number, answer: (body: string) => string) {
    this.#now = now;
    this.#random = random;
    this.#answer = answer;
  }

  begin({ refusals, manners: kinds }: Storm): void {
    this.#left = refusals;
    this.#manners = { any: manners, told, untold }[kinds];
    this.#windowEnd = 0;
    this.#sinceAnswer = 0;
  }

  get isOver(): boolean {
    return this.#left === 0;
  }

  /** When the last window ends, which is when it answers again. */
  get end(): number {
    return this.#windowEnd;
  }

  readonly send: Send = async ({ body }) => {
    const now = this.#now();
    if (now < this.#windowEnd) return this.#refuse(now);
    if (this.#left > 0) {
      this.#openWindow(now);
      return this.#refuse(now);
    }
    this.answered++;
    const headers = requests(100, now + HOUR_MS);
    return { status: 200, headers, body: [Buffer.from(this.#answer(body))] };
  };

  #openWindow(now: number): void {
    // The end of a storm is known, or could not be met.
    const all = this.#left === 1 && this.#manners === manners ? told : this.#manners;
    const manner = all[Math.floor(this.#random() * all.length)] ?? null;
    this.#manner = manner;
    this.#inWindow = 0;
    this.windows++;
    this.#windowEnd =
      now + (manner?.until === true ? 1_000 + Math.floor(this.#random() * (HOUR_MS - 1_000)) : HOUR_MS);
  }

  #refuse(now: number): Posted {
    const manner = this.#manner;
    if (manner === null) throw new Error("refused without a reason");
    this.refused++;
    this.#sinceAnswer++;
    this.#left = Math.max(0, this.#left - 1);
    this.#inWindow++;
    if (manner.until) this.toldMost = Math.max(this.toldMost, this.#inWindow);
    else if (this.#sinceAnswer > WARM_UP) this.untoldMost = Math.max(this.untoldMost, this.#inWindow);
    const headers = manner.headers(now, this.#windowEnd);
    const body = [Buffer.from(manner.status === 429 ? "slow down" : limited)];
    return { status: manner.status, headers, body };
  }
}
