/** WORKFLOW.md to a `Workflow` (SPEC 5, 6): read, cut, parse, validate, resolve. Every trouble comes back as a value. */
import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import path from "node:path";
import { codeOf, type Workflow } from "../domain/domain.ts";
import { packageRoot } from "../package-root.ts";
import { Findings, shown } from "./findings.ts";
import { type FrontMatter, frontMatter } from "./schema.ts";
import { settingsFrom } from "./settings.ts";
import { readSource, tooLarge, WORKFLOW_BYTES_MAX } from "./source.ts";
import { type TrackerReaders, trackerReaders } from "./tracker-kinds.ts";
import { warnOfUnknownKeys } from "./unknown-keys.ts";
import { line, type Problem, WorkflowError } from "./workflow-error.ts";

export type Loaded =
  | { readonly ok: true; readonly workflow: Workflow; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly error: WorkflowError };

type Env = Readonly<Record<string, string | undefined>>;

/** What a file was at one moment. Two reads of the same `state` saw the same. */
export type FileRead = { readonly state: string } & (
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly why: string }
);

/** Reads the file, whatever it is, and waits for nothing. */
export function readWorkflow(file: string): FileRead {
  const read = readBounded(path.resolve(file));
  return { ...read, state: read.ok ? hashOf(read.bytes) : read.why };
}

/** Loads the file at `file`. `env` and `home` are what `$VAR` and `~` in it stand for. */
export const loadWorkflow = (file: string, env: Env, home: string): Loaded =>
  loadRead(readWorkflow(file), file, env, home);

/** The same for a file that was read already. `kinds`: the trackers that it may name. */
export function loadRead(
  read: FileRead,
  file: string,
  env: Env,
  home: string,
  kinds: TrackerReaders = trackerReaders,
): Loaded {
  const absolute = path.resolve(file);
  if (!read.ok)
    return rejected(absolute, [{ kind: "missing_workflow_file", place: null, key: null, text: read.why }]);
  const unusable = decodeProblem(read.bytes);
  if (unusable !== null)
    return rejected(absolute, [{ kind: "workflow_parse_error", place: null, key: null, text: unusable }]);
  return parseWorkflow(read.bytes.toString("utf8"), absolute, env, home, kinds);
}

/**
 * The same for a text that is already there. Looks at the disk only for what the text names: the file of a secret, and
 * whether the workspace root really lies around the file.
 */
export function parseWorkflow(
  text: string,
  file: string,
  env: Env,
  home: string,
  kinds: TrackerReaders = trackerReaders,
): Loaded {
  const absolute = path.resolve(file);
  const source = readSource(text);
  if (!source.ok) return rejected(absolute, source.problems);
  const findings = new Findings(source.locate);
  warnOfUnknownKeys(source.config, findings);
  const front = validated(withoutNulls(source.config), findings);
  const settings = settingsFrom(front, { env, home, file: absolute }, findings, kinds);
  if (findings.problems.length > 0) return rejected(absolute, findings.problems);
  const oddities = source.oddities.map(({ place, text: what }) =>
    line(absolute, { place, key: null, text: what }),
  );
  return {
    ok: true,
    workflow: {
      path: absolute,
      text,
      hash: hashOf(Buffer.from(text)),
      settings,
      template: source.template,
    },
    warnings: [...oddities, ...findings.warnings(absolute)],
  };
}

const hashOf = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

const rejected = (file: string, problems: readonly Problem[]): Loaded => ({
  ok: false,
  error: new WorkflowError(file, problems),
});

type Bytes = { readonly ok: true; readonly bytes: Buffer } | { readonly ok: false; readonly why: string };

/** A pipe would be waited for, and with it the whole daemon. */
const OPENING = constants.O_RDONLY | constants.O_NONBLOCK;

/** At most one byte more than is accepted, so that a huge file costs no more than a large one. */
function readBounded(file: string): Bytes {
  const buffer = Buffer.allocUnsafe(WORKFLOW_BYTES_MAX + 1);
  let descriptor: number | null = null;
  try {
    descriptor = openSync(file, OPENING);
    const found = fstatSync(descriptor);
    if (!found.isFile()) return { ok: false, why: notAFile(found.isDirectory()) };
    let length = 0;
    for (let read = -1; read !== 0 && length < buffer.length; length += read)
      read = readSync(descriptor, buffer, length, buffer.length - length, null);
    return { ok: true, bytes: buffer.subarray(0, length) };
  } catch (error) {
    return { ok: false, why: unreadable(codeOf(error)) };
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

const WHAT_TO_DO = `Name a workflow file, or start from one of the ready ones in ${path.join(packageRoot, "workflows")}.`;

const notAFile = (isDirectory: boolean): string =>
  `this is ${isDirectory ? "a directory" : "a pipe or a device"}. ${WHAT_TO_DO}`;

function unreadable(code: string | null): string {
  const why =
    code === "ENOENT" || code === "ENOTDIR"
      ? "there is no such file"
      : code === "EACCES"
        ? "it may not be read by this user"
        : `it cannot be read (${code ?? "unknown error"})`;
  return `${why}. ${WHAT_TO_DO}`;
}

function decodeProblem(bytes: Buffer): string | null {
  if (bytes.length > WORKFLOW_BYTES_MAX) return tooLarge(bytes.length);
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return null;
  } catch {
    return "the file is not UTF-8 text. Save it as UTF-8.";
  }
}

/** An empty key (`model:`) is YAML's null and means the same as no key. */
function withoutNulls(config: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept = Object.entries(config).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(
    kept.map(([key, value]) => [key, isPlainMap(value) ? withoutNulls(value) : value]),
  );
}

const isPlainMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** What is parsed once in a while is not worth a function compiled for each of its parts. */
const once = { jitless: true };

/** Notes every value of the wrong shape and goes on with its default, so that the rest is checked as well. */
function validated(config: Record<string, unknown>, findings: Findings): FrontMatter {
  const first = frontMatter.safeParse(config, once);
  if (first.success) return first.data;
  let repaired = config;
  for (const { path: where, message } of first.error.issues) {
    const key = where.map(String);
    // A number may be wrong in two ways that are one.
    if (findings.blames(key)) continue;
    findings.problem(key, `${message}, got ${seen(config, key)}.`);
    repaired = withoutKey(repaired, key);
  }
  return frontMatter.safeParse(repaired).data ?? frontMatter.parse({});
}

/** Keys whose value may be, or hold, an API key that somebody wrote there. */
const UNSHOWN = new Set(["api_key", "provider", "tracker"]);

function seen(config: Record<string, unknown>, key: readonly string[]): string {
  if (UNSHOWN.has(key.at(-1) ?? "")) return "something else";
  const value = key.reduce<unknown>((at, name) => (isPlainMap(at) ? at[name] : undefined), config);
  return shown(value);
}

function withoutKey(
  map: Record<string, unknown>,
  [first, ...rest]: readonly string[],
): Record<string, unknown> {
  if (first === undefined || !Object.hasOwn(map, first)) return map;
  const { [first]: child, ...others } = map;
  return rest.length > 0 && isPlainMap(child) ? { ...others, [first]: withoutKey(child, rest) } : others;
}
