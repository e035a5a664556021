/** One save of a WORKFLOW.md, and what has to come of it, known from how it was made and not by asking the product. */
import { stringify } from "yaml";

export interface Case {
  readonly name: string;
  readonly content: Buffer | string;
  /** Null: either, as long as nothing is harmed. `marker` is what `agent.max_turns` is afterwards. */
  readonly expect: { readonly good: true; readonly marker: number | null } | { readonly good: false } | null;
  /** Whether the error has to name a line. A file that is no text has none. */
  readonly hasLine?: boolean;
  /** What the prompt must do: be made, or fail by name. Not tried if not said. */
  readonly prompt?: "made" | "refused";
}

/** Values that may stand in no text a person sees. */
export const secrets = {
  LINEAR_API_KEY: "lin_api_0123456789abcdefSECRET",
  GH_TOKEN: "ghp_0123456789abcdefSECRET",
  OTHER_KEY: "sk-0123456789abcdefSECRET",
};

export type Map = { readonly [key: string]: unknown };

const smallest = (marker: number): Map => ({
  tracker: { kind: "linear", project_slug: "web-1" },
  agent: { max_turns: marker },
});

/** A workflow with these keys besides the ones it needs. */
export const withKeys = (marker: number, keys: Map = {}, body = "Do {{ issue.identifier }}."): string =>
  `---\n${stringify(merged(smallest(marker), keys))}---\n${body}\n`;

/** The same with lines as they are at the end of the front matter. */
export const withText = (marker: number, lines: string, body = "Do it."): string =>
  `---\n${stringify(smallest(marker))}${lines}\n---\n${body}\n`;

function merged(a: Map, b: Map): Map {
  const result: Record<string, unknown> = { ...a };
  for (const [key, value] of Object.entries(b))
    result[key] = isMap(value) && isMap(result[key]) ? merged(result[key], value) : value;
  return result;
}

const isMap = (value: unknown): value is Map =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** `a.b.c: value` as maps. */
export const at = (path: readonly string[], value: unknown): Map =>
  path.toReversed().reduce<unknown>((inner, key) => ({ [key]: inner }), value) as Map;
