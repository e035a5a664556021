/**
 * Codex's own values are checked against what Codex 0.169 accepts: it answers others with an error at the first run, or
 * ignores them silently. Another spelling that can only mean one thing is translated; here is what the checks share.
 */
import type { CodexValue } from "../domain/settings.ts";

export type ValueMap = Readonly<Record<string, unknown>>;
export type PolicyMap = { readonly [key: string]: CodexValue };

export const isMap = (value: unknown): value is ValueMap =>
  typeof value === "object" &&
  value !== null &&
  [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);

/** `workspaceWrite`, `workspace_write` and `Workspace-Write` are one word in three dresses. */
export const plain = (word: string): string => word.replaceAll(/[-_\s]/g, "").toLowerCase();

export const spelled = (word: string, right: readonly string[]): string | null =>
  right.find((candidate) => plain(candidate) === plain(word)) ?? null;

export const list = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(", ");
