/** Keys nobody reads: kept (SPEC 5.3), but said, because most of them are slips of the pen. */
import { isFields } from "../domain/domain.ts";
import type { Findings } from "./findings.ts";
import { frontMatter, providerKeys, sections } from "./schema.ts";
import { closest } from "./suggest.ts";

/** Settings of other programs that read WORKFLOW.md: no slips, and nothing to correct. */
const FOREIGN = new Set(["worker", "observability", "codex.attach_worktree_owner"]);

const rootKeys = Object.keys(frontMatter.shape);
const sectionKeys: ReadonlyMap<string, readonly string[]> = new Map([
  ...Object.entries(sections).map(([name, section]) => [name, Object.keys(section.shape)] as const),
  ["tracker.provider", Object.keys(providerKeys.shape)],
]);

/** Warns of every key of the front matter that means nothing here, with what was probably meant. */
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
    findings.warn(
      [...path, key],
      () => (FOREIGN.has(full) ? FOREIGN_TEXT : `unknown key, ignored.${hint(key, path, known)}`),
      "key",
    );
  }
}

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
