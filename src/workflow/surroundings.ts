/** What a WORKFLOW.md's values may refer to: environment variables, the home directory, the file's own directory. */
import { codeOf } from "../domain/domain.ts";
import { readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** Absolute path of the WORKFLOW.md. */
  readonly file: string;
}

const WHOLE_REFERENCE = /^\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\})$/;
const REFERENCE = /\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\})/g;

/** The name in `$NAME` or `${NAME}`; null when the value is anything else. */
export function referenceIn(value: string): string | null {
  const match = WHOLE_REFERENCE.exec(value.trim());
  return match?.[1] ?? match?.[2] ?? null;
}

/** The variable's value, trimmed; null when it is unset or empty (SPEC 5.3.1 treats both as missing). */
export function variable(name: string, { env }: Surroundings): string | null {
  const value = env[name]?.trim() ?? "";
  return value === "" ? null : value;
}

/** No key is longer: a longer file was named by mistake. */
const SECRET_BYTES_MAX = 16 * 1024;

export type Secret = { readonly value: string } | { readonly missing: string };

/**
 * A secret by the name of its variable: the variable, or the content of the file that NAME_FILE names (containers and
 * service managers hand secrets over as files). `missing` says what was looked for, never what was found.
 */
export function secret(name: string, around: Surroundings): Secret {
  const value = variable(name, around);
  if (value !== null) return { value };
  const file = variable(`${name}_FILE`, around);
  if (file === null) return { missing: `${name} is not set, and neither is ${name}_FILE` };
  try {
    const stat = statSync(file);
    if (!stat.isFile() || stat.size > SECRET_BYTES_MAX)
      return { missing: `${name}_FILE names ${file}, which is not a small regular file` };
    const content = readFileSync(file, "utf8").trim();
    return content === "" ? { missing: `${name}_FILE names ${file}, which is empty` } : { value: content };
  } catch (error) {
    const code = codeOf(error) ?? "unknown error";
    return { missing: `${name}_FILE names ${file}, which cannot be read (${code})` };
  }
}

/** The system's temporary directory as `env` has it, so that a service's own TMPDIR counts. */
export const temporaryDirectory = (around: Surroundings): string =>
  variable("TMPDIR", around) ?? variable("TMP", around) ?? variable("TEMP", around) ?? tmpdir();

/** An absolute path, or the name of the variable that stands in the way of it. */
export type Expanded = { readonly path: string } | { readonly unset: string };

/** Expands `~`, `$VAR` and `${VAR}`; a relative path counts from the file's directory, wherever the daemon was started. */
export function expandPath(value: string, around: Surroundings): Expanded {
  const unset: string[] = [];
  const filled = value.trim().replaceAll(REFERENCE, (_, bare?: string, braced?: string) => {
    const name = bare ?? braced ?? "";
    const found = variable(name, around);
    if (found === null) unset.push(name);
    return found ?? "";
  });
  if (unset[0] !== undefined) return { unset: unset[0] };
  const homed = filled === "~" || filled.startsWith("~/") ? path.join(around.home, filled.slice(1)) : filled;
  return { path: path.resolve(path.dirname(around.file), homed) };
}
