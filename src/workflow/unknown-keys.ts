/**
 * Keys nobody reads: passed over (SPEC 5.3), but said, because most of them are slips of the pen. A slip in a key that
 * says which issues are taken is refused: without it, agents would work on issues that nobody gave them.
 */
import { isFields } from "../domain/domain.ts";
import type { Findings } from "./findings.ts";
import { frontMatter, providerKeys, sections } from "./schema.ts";
import { closest } from "./suggest.ts";

/** Settings of other programs that read WORKFLOW.md: no slips, and nothing to correct. */
const FOREIGN = new Set(["worker", "observability", "codex.attach_worktree_owner"]);

/** Keys of the tracker without which more issues are taken than somebody meant. */
const NARROWING: ReadonlySet<string> = new Set(["required_labels", "active_states", "assignee"]);

/** What people call them who do not look them up. */
const ALSO_CALLED: ReadonlyMap<string, string> = new Map([
  ["label", "required_labels"],
  ["labels", "required_labels"],
  ["state", "active_states"],
  ["states", "active_states"],
]);

const rootKeys = Object.keys(frontMatter.shape);
const sectionKeys: ReadonlyMap<string, readonly string[]> = new Map([
  ...Object.entries(sections).map(([name, section]) => [name, Object.keys(section.shape)] as const),
  ["tracker.provider", Object.keys(providerKeys.shape)],
]);

/** Tells of every key of the front matter that means nothing here, with what was probably meant. */
export function warnOfUnknownKeys(config: Readonly<Record<string, unknown>>, findings: Findings): void {
  check(config, [], rootKeys, findings);
  for (const [name, keys] of sectionKeys) {
    const path = name.split(".");
    const value = path.reduce<unknown>((at, key) => (isFields(at) ? at[key] : undefined), config);
    if (isFields(value)) check(value, path, keys, findings);
  }
}

function check(
  value: Record<string, unknown>,
  path: string[],
  known: readonly string[],
  findings: Findings,
): void {
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue;
    const full = [...path, key].join(".");
    const narrowing = narrowingKey(key, path);
    if (narrowing !== null && !FOREIGN.has(full)) {
      const text = `unknown key. Did you mean \`tracker.${narrowing}\`? Without it, more issues are taken than are meant.`;
      findings.problem([...path, key], text);
      continue;
    }
    findings.warn(
      [...path, key],
      () => (FOREIGN.has(full) ? FOREIGN_TEXT : `unknown key, ignored.${hint(key, path, known)}`),
      "key",
    );
  }
}

/** Which of the keys that say what is taken this is, misspelt or in the wrong place; null = none of them. */
function narrowingKey(key: string, path: readonly string[]): string | null {
  const word = key.split(".").at(-1) ?? key;
  const near = closest(word, inTracker);
  const meant = path[0] === "tracker" ? (ALSO_CALLED.get(word) ?? near) : path.length === 0 ? near : word;
  return meant !== null && NARROWING.has(meant) ? meant : null;
}

const inTracker = Object.keys(sections.tracker.shape);

const FOREIGN_TEXT = "belongs to another program that reads WORKFLOW.md; ignored here.";

function hint(key: string, path: readonly string[], known: readonly string[]): string {
  const homes = [...sectionKeys].filter(([, keys]) => keys.includes(key)).map(([name]) => `${name}.${key}`);
  const dotted = key.split(".");
  if (dotted.length === 2 && sectionKeys.get(dotted[0] ?? "")?.includes(dotted[1] ?? ""))
    return ` Write \`${dotted[1]}:\` on a line of its own under \`${dotted[0]}:\`.`;
  if (homes[0] !== undefined) return ` Did you mean \`${homes[0]}\`?`;
  const near = closest(key, known);
  return near === null ? "" : ` Did you mean \`${[...path, near].join(".")}\`?`;
}
