/** The daemon's hold on an issue, in words and as JSON. An issue without a claim is `released`. */
import type { Instant } from "../domain/time.ts";
import { plain } from "../facts/plain.ts";
import type { Claim } from "../scheduler/state.ts";
import { fullStamp, isoTime, relative, span } from "./amounts.ts";
import { kindWords } from "./run-view.ts";
import { counted } from "../facts/words.ts";

/** Room for a sentence and its reason; the whole text is in the JSON. */
const wordsMax = 500;

/** One or two lines: what the daemon does with the issue and what comes next. */
export function claimLines(claim: Claim | null, now: Instant): readonly string[] {
  if (claim === null) return ["released: nothing holds it; it is taken up again when the tracker offers it"];
  switch (claim.phase) {
    case "running": {
      const { run, step, turns, ending } = claim;
      const doing = ending === null ? stepWords[step] : `ending: ${plain(endingWords(ending), wordsMax)}`;
      return [`running: ${run.id} for ${span(now - run.startedAt)}, ${counted(turns, "turn")}, ${doing}`];
    }
    case "waiting": {
      const { retryAt, kind, attempt, why } = claim;
      return [
        `waiting: ${kindWords(kind, attempt)} ${relative(retryAt, now)} (${fullStamp(retryAt)})`,
        `because ${plain(why, wordsMax)}`,
      ];
    }
    case "parked": {
      const { reason, why, release, since } = claim;
      return [
        `parked (${reason}) since ${fullStamp(since)}: ${plain(why, wordsMax)}`,
        `to release it: ${plain(release, wordsMax)}`,
      ];
    }
  }
}

type Running = Extract<Claim, { phase: "running" }>;

const stepWords: Readonly<Record<Running["step"], string>> = {
  starting: "being prepared",
  turn: "in a turn",
  checking: "between two turns",
  ending: "ending",
};

const endingWords = ({ outcome, failure }: NonNullable<Running["ending"]>): string =>
  failure === null ? outcome : failure.message;

export type ClaimView = { readonly phase: "released" | Claim["phase"] } & Readonly<Record<string, unknown>>;

export function claimView(claim: Claim | null): ClaimView {
  if (claim === null) return { phase: "released" };
  switch (claim.phase) {
    case "running":
      return {
        phase: "running",
        run_id: claim.run.id,
        step: claim.step,
        attempt: claim.run.attempt,
        kind: claim.run.kind,
        turns: claim.turns,
        thread_id: claim.thread,
        ending: claim.ending?.outcome ?? null,
      };
    case "waiting":
      return {
        phase: "waiting",
        retry_at: isoTime(claim.retryAt),
        attempt: claim.attempt,
        kind: claim.kind,
        why: claim.why,
        error: claim.failure?.message ?? null,
      };
    case "parked":
      return {
        phase: "parked",
        reason: claim.reason,
        why: claim.why,
        release: claim.release,
        since: isoTime(claim.since),
      };
  }
}
