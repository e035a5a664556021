/** How times, counts, token totals and failures are put into words. */
import {
  type Cause,
  duration,
  type Failure,
  type Instant,
  type Outcome,
  type RunKind,
  type Tokens,
} from "../domain/domain.ts";

export { duration };

/** `in 40.0 s`, `now` when the time has come. */
export const inTime = (until: Instant, at: Instant): string =>
  until <= at ? "now" : `in ${duration(until - at)}`;

/** `2031-05-09 08:00:00 UTC`: the same for everybody who reads it. */
export function clockTime(at: Instant): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "an unknown time";
  return `${date.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** `1 turn`, `3 turns`. */
export const counted = (n: number, one: string, many = `${one}s`): string =>
  `${number(n)} ${n === 1 ? one : many}`;

/** `1,234,567`, in every locale. */
export const number = (n: number): string => String(n).replaceAll(/\B(?=(\d{3})+$)/g, ",");

export const tokenWords = ({ total, input, cachedInput, output }: Tokens): string =>
  total === 0
    ? "no tokens"
    : `${number(total)} tokens (${number(input)} in, ${number(cachedInput)} of them cached, ${number(output)} out)`;

/** With its full stop, for what follows; what was cut off keeps its dots. */
export const sentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

/** Message and what to do about it. */
export const failureWords = ({ message, hint }: Failure): string =>
  hint === null ? message : `${sentence(message)} ${hint}`;

/** `cause`: why it begins, where that is known. */
export function runWords(kind: RunKind, attempt: number | null, cause?: Cause["type"]): string {
  switch (kind) {
    case "first":
      return attempt === null ? "first run" : `first run, attempt ${attempt}`;
    case "continuation":
      return `another run${cause === undefined ? "" : CAUSES[cause]}`;
    case "retry":
      return `retry ${attempt ?? 1}`;
  }
}

const CAUSES: Readonly<Record<Cause["type"], string>> = {
  first: "",
  continued: ", the issue is still active",
  restarted: ", the last one was cut short when Baton ended",
  given_back: ", somebody has moved the issue",
  released: ", somebody released it",
  retried: ", the last one failed",
};

export function outcomeWords(outcome: Outcome): string {
  switch (outcome) {
    case "completed":
      return "completed";
    case "failed":
      return "failed";
    case "timed_out":
      return "ran out of time";
    case "stalled":
      return "stalled: the agent fell silent";
    case "canceled":
      return "was canceled";
    case "interrupted":
      return "was interrupted";
    case "lost":
      return "was lost: the daemon died under it";
  }
}
