/** Codex itself: there, of a version that was tested, at home outside the temporary directory, and logged in. */
import { type Fields, fieldsOf } from "../../domain/domain.ts";
import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { plain } from "../../facts/facts.ts";
import {
  Fitness,
  LACK_REMEDY,
  lackWords,
  noKnownFits,
  programIn,
  TESTED_RELEASE,
} from "../../agent/agent.ts";
import { type Check, fail, type Finding, ok, skip, warn } from "./check.ts";
import { agentEnv, codexOf, runOf, runProgram, secretsOf, type Subject } from "./subject.ts";
import { isWritable } from "./writable.ts";

const installHint =
  "Install it (`npm install -g @openai/codex`) where a login shell finds it, or set codex.command in the workflow.";

const SAID_CHARS_MAX = 300;

export const codexCheck = (subject: Subject): Check => ({
  name: "codex",
  run: async (signal) => {
    const { end, output } = await ask(subject, "--version", signal);
    const said = plain(output, SAID_CHARS_MAX);
    if (end.type === "unstartable") return fail("bash could not be started to look for it", "Install bash.");
    if (end.type === "exited" && end.code === 127) return fail(`not found: ${said}`, installHint);
    if (end.type !== "exited" || end.code !== 0)
      return fail(
        `\`${programIn(codexOf(subject).command)} --version\` failed: ${said || end.type}`,
        installHint,
      );
    return versionFinding(said);
  },
});

function versionFinding(said: string): Finding {
  const version = /\d+\.\d+\.\d+\S*/.exec(said)?.[0] ?? null;
  if (version === null) return warn(`says "${said}" instead of a version`, "Check codex.command.");
  return version.startsWith(`${TESTED_RELEASE}.`)
    ? ok(version)
    : warn(
        `${version}, and Baton is tested with ${TESTED_RELEASE}.x`,
        `If runs end oddly, install that one: npm install -g @openai/codex@${TESTED_RELEASE}`,
      );
}

/** By its own schema, or by its release, as the daemon looks at its start. */
export const needsCheck = (subject: Subject): Check => ({
  name: "codex needs",
  run: async (signal) => {
    const parts = { env: subject.env, secrets: () => secretsOf(subject), mark: runOf("needs") };
    const found = await new Fitness({ ...parts, known: noKnownFits }).look(codexOf(subject), signal);
    switch (found.is) {
      case "fit":
        return ok("it has all that Baton needs of it");
      case "unfit":
        return fail(lackWords(found), LACK_REMEDY);
      case "unknown":
        return warn(
          `cannot be looked at, so nothing is held for it: ${plain(found.why, SAID_CHARS_MAX)}`,
          "Have codex.command end in `app-server`, and its program answer `--version` as Codex does.",
        );
    }
  },
});

/** What needs a codex that starts: where there is none, the check of codex itself says so, and what to do, once. */
export const withCodex = (subject: Subject, { name, run }: Check): Check => ({
  name,
  run: async (signal) =>
    (await codexStarts(subject, signal)) ? run(signal) : skip("needs a codex that starts"),
});

const started = new WeakMap<Subject, Promise<boolean>>();

/** Asked once. A command that answers no questions about its version may still serve. */
function codexStarts(subject: Subject, signal: AbortSignal): Promise<boolean> {
  const known = started.get(subject);
  if (known !== undefined) return known;
  const asked = ask(subject, "--version", signal).then(
    ({ end }) => end.type !== "unstartable" && !(end.type === "exited" && NO_PROGRAM.has(end.code)),
  );
  started.set(subject, asked);
  return asked;
}

/** The shell's own: not executable, not found. */
const NO_PROGRAM = new Set([126, 127]);

export const codexHomeCheck = (subject: Subject): Check => ({
  name: "codex home",
  run: async () => {
    const env = agentEnv(subject);
    const named = env["CODEX_HOME"] ?? "";
    const home = named === "" ? join(subject.home, ".codex") : named;
    const real = realOf(home);
    if (real === null)
      return named === ""
        ? ok(`${home} is not there yet; Codex makes it when you log in`)
        : fail(
            `CODEX_HOME is ${home}, which is not there`,
            `Make it (mkdir -m 700 ${home}) or unset CODEX_HOME.`,
          );
    const temporary = temporaryAround(real, env);
    if (temporary !== null)
      return fail(
        `${real} is under the temporary directory ${temporary}: Codex does not put its helpers there, and every sandboxed command can fail unseen`,
        "Set CODEX_HOME to a directory elsewhere, for example ~/.codex.",
      );
    return isWritable(real) ? ok(real) : fail(`${real} is not writable`, "Make it writable for this user.");
  },
});

const realOf = (path: string): string | null => {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
};

/** The temporary directory `path` lies in, as Codex sees it; null when it lies in none. */
export function temporaryAround(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  const directory = env["TMPDIR"] ?? "";
  const real = realOf(directory === "" ? tmpdir() : directory);
  return real !== null && (path === real || path.startsWith(real + sep)) ? real : null;
}

export const loginCheck = (subject: Subject): Check => ({
  name: "login",
  run: async (signal) => {
    const status = await ask(subject, "login status", signal);
    // What follows the dash is a part of the key.
    const said = plain(status.output, SAID_CHARS_MAX).replace(/ - .*$/, "");
    if (status.end.type === "exited" && status.end.code === 0) return ok(said);
    // Not everybody logs in: keys in the environment and providers without a login are known to `doctor` only.
    const report = await ask(subject, "doctor --json", signal);
    const hint = keyKept(subject) ?? loginHint;
    return credentialsFinding(report.output, hint) ?? fail(`unknown: ${said || "no answer"}`, hint);
  },
});

const loginHint = "Run `codex login` as the user that runs Baton, with the same CODEX_HOME.";

/** The usual surprise: the key is in the environment, but agents get only what the workflow names. */
function keyKept(subject: Subject): string | null {
  const got = agentEnv(subject);
  const name = ["OPENAI_API_KEY", "CODEX_API_KEY"].find(
    (key) => (subject.env[key] ?? "") !== "" && !(key in got),
  );
  return name === undefined
    ? null
    : `${name} is set, but agents do not get it: add it to codex.env_provider in the workflow, or run \`codex login\`.`;
}

function credentialsFinding(output: string, hint: string): Finding | null {
  const { status, summary } = credentialsIn(output);
  if (typeof status !== "string" || typeof summary !== "string") return null;
  const text = plain(summary, SAID_CHARS_MAX);
  if (status === "ok" || status === "idle") return ok(text);
  return status === "warning" ? warn(text, hint) : fail(text, hint);
}

function credentialsIn(output: string): Fields {
  try {
    const json = output.slice(output.indexOf("{"), output.lastIndexOf("}") + 1);
    const report: unknown = JSON.parse(json);
    return fieldsOf(fieldsOf(fieldsOf(report)["checks"])["auth.credentials"]);
  } catch {
    return {};
  }
}

const ask = (subject: Subject, question: string, signal: AbortSignal) =>
  runProgram(subject, "bash", ["-lc", `${programIn(codexOf(subject).command)} ${question}`], signal);
