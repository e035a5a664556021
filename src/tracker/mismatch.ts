/** Settings held against what the board calls things: what no issue can ever be in or have. Pure. */
import { stateKey, type TrackerSettings } from "../domain/domain.ts";
import type { Vocabulary } from "./port.ts";

export interface Mismatch {
  readonly of: "project" | "states" | "labels";
  /** One sentence that names what is there. */
  readonly text: string;
  /** As it is, nothing can ever be taken. */
  readonly isFatal: boolean;
}

/** More names would be a list to read, not a hint. */
const NAMES_SHOWN_MAX = 12;

export function mismatches(settings: TrackerSettings, found: Vocabulary): readonly Mismatch[] {
  if (found.scope === null) {
    const text = `There is no project "${settings.projectSlug}", or this key may not see it.`;
    return [{ of: "project", text, isFatal: true }];
  }
  return [...ofStates(settings, found), ...ofLabels(settings, found)];
}

/** A state counts as there when any team has it: who writes several means all of them together. */
function ofStates(
  { activeStates, terminalStates }: TrackerSettings,
  { states }: Vocabulary,
): readonly Mismatch[] {
  if (states.length === 0) return [];
  const there = new Set(states.flatMap(({ names }) => names.map(stateKey)));
  const isMissing = (name: string): boolean => !there.has(stateKey(name));
  const missing = activeStates.filter(isMissing);
  const isFatal = missing.length === activeStates.length;
  const active = missing.map((name) => ({
    of: "states" as const,
    text: `tracker.active_states: no state is called "${name}" in ${has(states)}.`,
    isFatal,
  }));
  // The usual ones are many, so that each board has one of them: only a board that has none is wrong.
  if (terminalStates.some((name) => !isMissing(name))) return active;
  const text = `tracker.terminal_states: none of ${quoted(terminalStates)} is a state in ${has(states)}. No workspace would ever be removed.`;
  return [...active, { of: "states", text, isFatal: false }];
}

function ofLabels(
  { requiredLabels }: TrackerSettings,
  { labels, isAllLabels }: Vocabulary,
): readonly Mismatch[] {
  const there = new Set(labels.map(stateKey));
  const more = isAllLabels ? "" : ", and more";
  const are = labels.length === 0 ? "there is none at all" : `there are: ${shown(labels)}${more}`;
  return requiredLabels
    .filter((name) => !there.has(stateKey(name)))
    .map((name) => ({
      of: "labels",
      text: `tracker.required_labels: no label is called "${name}"; ${are}. Nothing is taken until an issue has it.`,
      isFatal: false,
    }));
}

const has = (states: Vocabulary["states"]): string =>
  states.map(({ of, names }) => `${of}; it has: ${shown(names)}`).join("; nor in ");

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(", ");

const shown = (names: readonly string[]): string =>
  names.length > NAMES_SHOWN_MAX
    ? `${names.slice(0, NAMES_SHOWN_MAX).join(", ")}, and ${names.length - NAMES_SHOWN_MAX} more`
    : names.join(", ");
