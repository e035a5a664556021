/** What keeps whole workflows from starting anything, in words: pauses by people, holds by faults that are nobody's ticket. */
import { EVERYTHING, type Instant, type WorkflowName } from "../domain/domain.ts";
import { plain, sentence } from "../facts/facts.ts";
import type { Saved } from "../ledger/ledger.ts";
import type { Hold, Pause } from "../scheduler/scheduler.ts";
import { fullStamp, relative, wrapTo } from "../terminal/terminal.ts";
import type { Look } from "./runs-view.ts";

const WORDS_MAX = 300;

/** Pauses, then holds; workflows that are held alike are told in one. */
export function stopLines({ pauses, holds }: Pick<Saved, "pauses" | "holds">, look: Look): readonly string[] {
  const paused = [...pauses].map(([scope, pause]) => pauseWords(scope, pause, look.now));
  const held = alike(holds).map((some) => holdWords(some, look.now));
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

/** By reason and remedy; the one that ends first is first. */
function alike(holds: Saved["holds"]): readonly (readonly [WorkflowName, Hold])[][] {
  const groups = new Map<string, (readonly [WorkflowName, Hold])[]>();
  for (const [name, hold] of [...holds].toSorted(([, a], [, b]) => a.until - b.until)) {
    const key = JSON.stringify([hold.why, hold.remedy]);
    groups.set(key, [...(groups.get(key) ?? []), [name, hold]]);
  }
  return [...groups.values()];
}

function holdWords(held: readonly (readonly [WorkflowName, Hold])[], now: Instant): string {
  const [first] = held;
  if (first === undefined) return "";
  const { why, remedy } = first[1];
  const each = held.map(([name, hold]) => `${name} ${trialWords(hold, now)}`).join("; ");
  return `held: ${each}: ${told(why)} What to do: ${told(remedy)}`;
}

const told = (text: string): string => sentence(plain(text, WORDS_MAX));

function trialWords({ kind, until, trial }: Hold, now: Instant): string {
  // No run is spent on it.
  if (kind === "codex_unfit")
    return `until Codex has it, which is looked at again ${until > now ? relative(until, now) : "now"}`;
  if (until > now) return `until ${fullStamp(until)} (${relative(until, now)}), then one run tries`;
  if (trial !== null) return `while run ${trial} tries whether it is over`;
  return `until a run that tries comes through; one is due since ${relative(until, now)}`;
}

function pauseWords(scope: string, { why, since, until }: Pause, now: Instant): string {
  const [what, option] = scope === EVERYTHING ? ["everything", ""] : [scope, ` --workflow ${scope}`];
  const end = until === null ? "" : `, until ${fullStamp(until)} (${relative(until, now)})`;
  const reason = why === "" ? "" : ` (${plain(why, WORDS_MAX)})`;
  return `paused: ${what}, since ${fullStamp(since)}${end}${reason}; baton resume${option} ends it`;
}
