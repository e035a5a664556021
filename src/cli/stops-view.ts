/** What keeps whole workflows from starting anything, in words: pauses by people, holds by faults that are nobody's ticket. */
import { EVERYTHING, type Instant, type WorkflowName } from "../domain/domain.ts";
import { plain } from "../facts/facts.ts";
import type { Saved } from "../ledger/ledger.ts";
import type { Hold, Pause } from "../scheduler/scheduler.ts";
import { fullStamp, relative, wrapTo } from "../terminal/terminal.ts";
import type { Look } from "./runs-view.ts";

const WORDS_MAX = 300;

/** Pauses, then holds; workflows that are held alike are told in one. */
export function stopLines({ pauses, holds }: Pick<Saved, "pauses" | "holds">, look: Look): readonly string[] {
  const paused = [...pauses].map(([scope, pause]) => pauseWords(scope, pause, look.now));
  const held = alike(holds).map(([names, hold]) => holdWords(names, hold, look.now));
  return [...paused, ...held]
    .flatMap((words) => wrapTo(look.columns, words))
    .map((line) => look.paint("yellow", line));
}

/** What a due ticket of this workflow waits for besides its turn; null = nothing. */
export const stopOf = (
  { pauses, holds }: Pick<Saved, "pauses" | "holds">,
  workflow: WorkflowName,
): "held" | "paused" | null => {
  if (pauses.has(EVERYTHING) || pauses.has(workflow)) return "paused";
  return holds.has(workflow) ? "held" : null;
};

/** By reason and remedy, each with the hold of theirs that ends first. */
function alike(holds: Saved["holds"]): readonly (readonly [readonly string[], Hold])[] {
  const groups = new Map<string, { readonly names: string[]; hold: Hold }>();
  for (const [name, hold] of [...holds].toSorted(([, a], [, b]) => a.until - b.until)) {
    const key = JSON.stringify([hold.why, hold.remedy]);
    const group = groups.get(key) ?? { names: [], hold };
    group.names.push(name);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ names, hold }) => [names.toSorted(), hold] as const);
}

function holdWords(names: readonly string[], hold: Hold, now: Instant): string {
  const { why, remedy } = hold;
  return `held: ${names.join(", ")} ${trialWords(names.length, hold, now)}: ${sentence(why)} What to do: ${sentence(remedy)}`;
}

function trialWords(workflows: number, { kind, until, trial }: Hold, now: Instant): string {
  // No run is spent on it.
  if (kind === "codex_unfit")
    return `until Codex has it, which is looked at again ${until > now ? relative(until, now) : "now"}`;
  const one = workflows === 1 ? "one run" : "one run of each";
  if (until > now) return `until ${fullStamp(until)} (${relative(until, now)}), then ${one} tries`;
  if (trial !== null) return `while run ${trial} tries whether it is over`;
  return `until ${one} that tries comes through; due since ${fullStamp(until)} (${relative(until, now)})`;
}

const sentence = (text: string): string => {
  const words = plain(text, WORDS_MAX);
  return /[.!?…]$/u.test(words) ? words : `${words}.`;
};

function pauseWords(scope: string, { why, since, until }: Pause, now: Instant): string {
  const [what, option] = scope === EVERYTHING ? ["everything", ""] : [scope, ` --workflow ${scope}`];
  const end = until === null ? "" : `, until ${fullStamp(until)} (${relative(until, now)})`;
  const reason = why === "" ? "" : ` (${plain(why, WORDS_MAX)})`;
  return `paused: ${what}, since ${fullStamp(since)}${end}${reason}; baton resume${option} ends it`;
}
