/** Text of a WORKFLOW.md to its front-matter map, each key with its place, and the prompt body (SPEC 5.2). */
import { isFields } from "../domain/domain.ts";
import type { Document } from "yaml";
import { isAlias, isMap, isNode, isSeq, LineCounter, parseDocument } from "yaml";
import { type KeyPath, type Locate, shown } from "./findings.ts";
import { cut, dashesIn, placeAt } from "./front-matter.ts";
import { pairOf, wrongMerge } from "./merges.ts";
import { endlessAlias, type RepeatedKey, repeatedKeys } from "./meaningless.ts";
import type { Place, Problem } from "./workflow-error.ts";
import { danglingAlias, type YamlError, yamlErrors } from "./yaml-errors.ts";

/** Far above any prompt people maintain by hand; a bound on what one bad save can cost the daemon. */
export const WORKFLOW_BYTES_MAX = 256 * 1024;

/** Room for long hook scripts. What the YAML library makes of the worst text this long takes less than a second. */
const FRONT_MATTER_CHARACTERS_MAX = 64 * 1024;

/** Aliases that may be expanded: enough for shared lists, too few for a billion laughs. */
const ALIASES_MAX = 100;

/** YAML errors after the first few are consequences of it. */
const YAML_ERRORS_SHOWN_MAX = 3;

export type Source =
  | {
      readonly ok: true;
      readonly config: Readonly<Record<string, unknown>>;
      readonly locate: Locate;
      readonly template: string;
      readonly oddities: readonly { readonly place: Place; readonly text: string }[];
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

type Failed = Extract<Source, { ok: false }>;

/** Reads the text; what is wrong with it comes back as problems, nothing is thrown. */
export function readSource(text: string): Source {
  const bytes = Buffer.byteLength(text);
  if (bytes > WORKFLOW_BYTES_MAX) return unparsable(null, tooLarge(bytes));
  const parts = cut(text);
  if (parts === null) return unparsable({ line: 1, column: 1 }, neverClosed(text));
  if (parts.yaml === null) return withoutFrontMatter(parts.template, text);
  return readYaml(text, parts.yaml, parts.yamlAt, parts.template);
}

export const tooLarge = (bytes: number): string =>
  `the file has ${bytes} bytes; at most ${WORKFLOW_BYTES_MAX} are read. Move long reference text into files of the repository and name them in the prompt.`;

const tooLong = (characters: number): string =>
  `the front matter has ${characters} characters; at most ${FRONT_MATTER_CHARACTERS_MAX} are read. Move long scripts into files and call them from the hooks.`;

/** More of a line says nothing new. */
const LINE_SHOWN_MAX = 20;

function neverClosed(text: string): string {
  const meant = dashesIn(text, text.indexOf("\n") + 1);
  const near =
    meant === null
      ? ""
      : ` Line ${meant.line} (\`${meant.text.slice(0, LINE_SHOWN_MAX)}\`) does not: it must be three dashes, with nothing but a comment behind them.`;
  return `the front matter opened by this \`---\` is never closed. Put a second line \`---\` after the last setting.${near}`;
}

function withoutFrontMatter(template: string, text: string): Source {
  if (/^\uFEFF?---/.test(text))
    return unparsable(
      { line: 1, column: 1 },
      "this line begins with dashes and opens no front matter. Write `---`, three dashes with nothing but a comment behind them; a prompt without settings must begin with something else.",
    );
  if (template.startsWith("---"))
    return unparsable(
      { line: 1, column: 1 },
      "the file has lines before its opening `---`. Make `---` the very first line, or the settings are taken for prompt text.",
    );
  return { ok: true, config: {}, locate: () => ({ line: 1, column: 1 }), template, oddities: [] };
}

function readYaml(text: string, yaml: string, yamlAt: number, template: string): Source {
  const lines = new LineCounter();
  const firstLine = placeAt(text, yamlAt).line;
  const place = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: firstLine + line - 1, column: col };
  };
  if (yaml.length > FRONT_MATTER_CHARACTERS_MAX)
    return unparsable({ line: firstLine, column: 1 }, tooLong(yaml.length));
  // prettyErrors would quote lines of the file, and with them a key that somebody wrote there.
  const options = {
    lineCounter: lines,
    prettyErrors: false,
    logLevel: "error",
    uniqueKeys: false,
    merge: true,
  } as const;
  const parsed = attempt(() => parseDocument(yaml, options));
  if (!parsed.ok) return unparsable({ line: firstLine, column: 1 }, `not readable as YAML: ${parsed.why}`);
  const document = parsed.value;
  if (document.errors.some(({ code }) => code === "RESOURCE_EXHAUSTION"))
    return unparsable({ line: firstLine, column: 1 }, "the front matter is nested too deeply to be read.");
  if (document.errors.length > 0) return notYaml(yamlErrors(yaml, document, YAML_ERRORS_SHOWN_MAX), place);
  const repeated = repeatedKeys(document, YAML_ERRORS_SHOWN_MAX);
  if (repeated.length > 0) return writtenTwice(repeated, place);
  const endless = endlessAlias(document);
  if (endless !== null)
    return unparsable(
      place(endless.at),
      `the alias \`*${endless.name}\` stands inside of what it stands for, without an end. Write out what is meant.`,
    );
  const dangling = danglingAlias(document);
  if (dangling !== null) return notYaml([dangling], place);
  const wrong = wrongMerge(document.contents);
  if (wrong !== null) return unparsable(place(wrong.at), wrong.text);
  const content = attempt<unknown>(() => document.toJS({ maxAliasCount: ALIASES_MAX }));
  if (!content.ok) return unparsable({ line: firstLine, column: 1 }, `not readable as YAML: ${content.why}`);
  const config = content.value ?? {};
  const isNoMap = !isMap(document.contents) && document.contents !== null && content.value !== null;
  if (isNoMap || !isFields(config)) return notAMap({ line: firstLine, column: 1 }, config);
  return {
    ok: true,
    config,
    locate: (key, part) => place(offsetOf(document, key, part)),
    template,
    oddities: document.warnings.map(({ pos, message }) => ({ place: place(pos[0]), text: message })),
  };
}

/** The YAML library reports some bombs (aliases, depth) by throwing; here they become one sentence. */
function attempt<T>(read: () => T): { ok: true; value: T } | { ok: false; why: string } {
  try {
    return { ok: true, value: read() };
  } catch (error) {
    return { ok: false, why: error instanceof Error ? error.message : String(error) };
  }
}

function notYaml(errors: readonly YamlError[], place: (offset: number) => Place): Failed {
  const problems = errors.map(({ at, text }) => ({
    kind: "workflow_parse_error" as const,
    place: place(at),
    key: null,
    text: `the front matter is not valid YAML: ${text}`,
  }));
  return { ok: false, problems };
}

function writtenTwice(repeated: readonly RepeatedKey[], place: (offset: number) => Place): Failed {
  const problems = repeated.map(({ name, at }) => ({
    kind: "workflow_parse_error" as const,
    place: place(at),
    key: null,
    text: `the key ${shown(name)} is there twice in one map. Leave one of them, with what both hold.`,
  }));
  return { ok: false, problems };
}

function unparsable(place: Place | null, text: string): Failed {
  return { ok: false, problems: [{ kind: "workflow_parse_error", place, key: null, text }] };
}

function notAMap(place: Place, value: unknown): Failed {
  const found = Array.isArray(value) ? "a list" : `a ${typeof value}`;
  const text = `the front matter must be a map of keys such as \`tracker:\` and \`agent:\`, but it is ${found}.`;
  return { ok: false, problems: [{ kind: "workflow_front_matter_not_a_map", place, key: null, text }] };
}

/** Offset of a key's value (or the key itself); of the deepest ancestor that is written when the key is not. */
function offsetOf(document: Document, key: KeyPath, part: "key" | "value"): number {
  let node: unknown = document.contents;
  let at = 0;
  for (const [depth, name] of key.entries()) {
    const last = depth === key.length - 1;
    const pair = isMap(node) ? pairOf(node, name, (alias) => alias.resolve(document)) : undefined;
    const value: unknown =
      pair === undefined ? (isSeq(node) ? node.items[Number(name)] : undefined) : pair.value;
    const keyAt = pair === undefined ? undefined : startOf(pair.key);
    if (keyAt === undefined && startOf(value) === undefined) return at;
    at = (last && part === "value" ? startOf(value) : undefined) ?? keyAt ?? startOf(value) ?? at;
    node = isAlias(value) ? value.resolve(document) : value;
  }
  return at;
}

const startOf = (node: unknown): number | undefined => (isNode(node) ? node.range?.[0] : undefined);
