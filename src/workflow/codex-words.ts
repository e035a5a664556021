/**
 * Codex's own values are checked against what Codex 0.169 accepts: it answers others with an error at the first run, or
 * ignores them silently. Another spelling that can only mean one thing is translated; here is what the checks share.
 */
import { type CodexValue, isFields } from "../domain/domain.ts";

export type ValueMap = Readonly<Record<string, unknown>>;
export type PolicyMap = { readonly [key: string]: CodexValue };

export const isMap = (value: unknown): value is ValueMap =>
  isFields(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value));

/** `workspaceWrite`, `workspace_write` and `Workspace-Write` are three spellings of one word. */
export const plain = (word: string): string => word.replaceAll(/[-_\s]/g, "").toLowerCase();

export const spelled = (word: string, right: readonly string[]): string | null =>
  right.find((candidate) => plain(candidate) === plain(word)) ?? null;

export const list = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(", ");

/** Deeper than any policy; YAML can nest until the stack ends. */
const DEPTH_MAX = 16;

/** Whether Codex can be given the value: JSON, not nested too deeply. */
export function isCodexValue(value: unknown, depth = 0): value is CodexValue {
  if (value === null || ["string", "boolean"].includes(typeof value) || Number.isFinite(value)) return true;
  if (depth >= DEPTH_MAX) return false;
  if (Array.isArray(value)) return value.every((item) => isCodexValue(item, depth + 1));
  return isMap(value) && Object.values(value).every((item) => isCodexValue(item, depth + 1));
}
