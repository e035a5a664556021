/** The `tracker` section as the tracker's client needs it: what every kind has here, the rest by its kind's own reader. */
import { stateKey, type TrackerSettings } from "../domain/domain.ts";
import { type Findings, shown } from "./findings.ts";
import { closest } from "./suggest.ts";
import { referenceIn, type Surroundings } from "./surroundings.ts";
import type { TrackerReader, TrackerReaders, TrackerSection } from "./tracker-kinds.ts";

const nowhere = { endpoint: "", apiKey: "", projectSlug: "", assignee: null };

/** Notes what is missing or cannot work; what it returns is only to be used when nothing was noted. */
export function trackerSettings(
  section: TrackerSection,
  around: Surroundings,
  findings: Findings,
  kinds: TrackerReaders,
): TrackerSettings {
  const read = readerOf(section.kind, kinds, findings);
  checkStates(section, findings);
  for (const list of ["required_labels", "active_states", "terminal_states"] as const)
    checkVariables(list, section[list], findings);
  if (section.required_labels.includes(""))
    findings.warn(
      ["tracker", "required_labels"],
      "holds a blank label, which no issue has, so nothing is taken. Name the label, or leave the key out to take every issue.",
    );
  return {
    kind: section.kind ?? "",
    ...(read?.(section, around, findings) ?? nowhere),
    requiredLabels: [...new Set(section.required_labels.map((label) => label.toLowerCase()))],
    activeStates: section.active_states,
    terminalStates: section.terminal_states,
  };
}

/** For a kind that is missing or unknown, which is noted, the nearest one: what else is wrong is told in the same go. */
function readerOf(
  kind: string | undefined,
  kinds: TrackerReaders,
  findings: Findings,
): TrackerReader | undefined {
  if (kind !== undefined && Object.hasOwn(kinds, kind)) return kinds[kind];
  const key = ["tracker", "kind"];
  const names = Object.keys(kinds);
  const near = closest(kind ?? "", names);
  const nearest = near ?? names[0] ?? "";
  if (findings.blames(key)) return kinds[nearest];
  const supported = names.map((name) => `\`${name}\``).join(", ");
  const text =
    kind === undefined
      ? `missing. Say where the issues are: \`kind: ${nearest}\`, under \`tracker:\` in the front matter.`
      : `${shown(kind)} is not supported. ${near === null ? `Supported: ${supported}.` : `Did you mean \`${near}\`?`}`;
  findings.problem(key, text, "unsupported_tracker_kind");
  return kinds[nearest];
}

/** Single keys may be a variable, lists may not: a label that nobody has takes no ticket, a state neither. */
function checkVariables(list: string, entries: readonly string[], findings: Findings): void {
  for (const name of entries.filter((entry) => referenceIn(entry) !== null))
    findings.warn(
      ["tracker", list],
      `${shown(name)} is taken as it is written: no variable stands for anything in a list. Write the name itself.`,
    );
}

function checkStates(
  { active_states: active, terminal_states: terminal }: TrackerSection,
  findings: Findings,
): void {
  if (active.length === 0)
    findings.problem(
      ["tracker", "active_states"],
      "names no state, so no issue would ever be taken. Name at least one.",
    );
  const over = new Set(terminal.map(stateKey));
  for (const state of active.filter((name) => over.has(stateKey(name))))
    findings.warn(
      ["tracker", "active_states"],
      `${shown(state)} is also a terminal state, so issues in it are never taken.`,
    );
}
