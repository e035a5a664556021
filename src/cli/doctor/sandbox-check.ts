/**
 * Whether Codex's sandbox works on this machine: a command is run in it, as an agent's would be, without a model. The
 * configuration alone says nothing: kernels, containers and CODEX_HOME all can break it, and turns then still "complete".
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { strings, turnSandbox } from "../../agent/agent.ts";
import { plain } from "../../facts/facts.ts";
import { askAppServer } from "./app-server.ts";
import { type Check, fail, type Finding, ok, warn } from "./check.ts";
import { temporaryAround } from "./codex-checks.ts";
import { agentEnvAs, codexOf, type Subject } from "./subject.ts";

/** `touch` and `echo`; a sandbox needs a second at worst. */
const COMMAND_MS_MAX = 5_000;

const SAID_CHARS_MAX = 400;

export const sandboxCheck = (subject: Subject): Check => ({
  name: "sandbox",
  run: async (signal) => {
    const policy = policyOf(subject);
    const type = String(policy["type"]);
    if (type !== "workspaceWrite" && type !== "readOnly")
      return warn(
        `switched off (${type}): commands of agents can do whatever this user can`,
        "Set codex.thread_sandbox to workspace-write, or see to it that Baton runs in a container or virtual machine.",
      );
    const scratch = scratchPlace(subject);
    if (scratch === null) return fail("there is no place to try it out", "Make ~/.cache writable.");
    try {
      return await tryOut(subject, policy, scratch, signal);
    } finally {
      rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
    }
  },
});

/** That of a turn, without what the user's config.toml adds to it: that is not asked here. */
const policyOf = ({ workflow }: Subject): Policy =>
  workflow === null ? { type: "workspaceWrite" } : turnSandbox(workflow.settings.codex, {}, []);

type Policy = Readonly<Record<string, unknown>>;

async function tryOut(
  subject: Subject,
  policy: Policy,
  scratch: string,
  signal: AbortSignal,
): Promise<Finding> {
  const cwd = join(scratch, "workspace");
  mkdirSync(cwd);
  const inside = policy["type"] === "readOnly" ? "echo ok" : "touch probe && echo ok";
  // A write beside the workspace must fail, or there is no sandbox.
  const script = `${inside}; if touch ../leak 2>/dev/null; then echo leak; fi`;
  const answer = await askAppServer(
    { command: codexOf(subject).command, cwd, ...agentEnvAs(subject, "sandbox") },
    "command/exec",
    { command: ["sh", "-c", script], cwd, sandboxPolicy: policy, timeoutMs: COMMAND_MS_MAX },
    signal,
  );
  switch (answer.type) {
    case "result":
      return resultFinding(answer.result, policy);
    case "refused":
      return fail(`Codex refused to try it: ${plain(answer.message, SAID_CHARS_MAX)}`, sandboxHint);
    case "ended":
      return fail(
        `\`${codexOf(subject).command}\` ended before it was tried: ${plain(answer.said, SAID_CHARS_MAX) || "it said nothing"}`,
        "Start that command by hand: it should wait for input without a word.",
      );
  }
}

const sandboxHint =
  "Unprivileged user namespaces must be allowed (in Docker: a seccomp profile that lets bubblewrap through), and CODEX_HOME must be outside the temporary directory.";

const ended = z.object({ exitCode: z.number().nullable(), stdout: z.string(), stderr: z.string() });

function resultFinding(result: unknown, policy: Policy): Finding {
  const { exitCode, stdout, stderr } = ended
    .catch({ exitCode: null, stdout: "", stderr: "no result" })
    .parse(result);
  const lines = stdout.split("\n");
  // Roots that were added may hold the place beside the workspace.
  if (lines.includes("leak") && strings(policy["writableRoots"]).length === 0)
    return fail("a command could write outside its workspace", sandboxHint);
  if (lines.includes("ok")) return ok(`works (${String(policy["type"])})`);
  const said = plain(stderr, SAID_CHARS_MAX);
  return fail(`a command in it failed (exit ${String(exitCode)}): ${said}`, sandboxHint);
}

/** A new directory outside the temporary one, where every sandbox may write and nothing would be proved. */
function scratchPlace({ env, home, workflow }: Subject): string | null {
  const places = [
    env["XDG_CACHE_HOME"] ?? "",
    join(home, ".cache"),
    ...(workflow === null ? [] : [dirname(workflow.path)]),
    "/var/tmp",
  ];
  for (const place of places.filter((path) => path !== "")) {
    const made = madeIn(place);
    if (made === null) continue;
    if (temporaryAround(made, {}) === null && temporaryAround(made, env) === null) return made;
    rmSync(made, { recursive: true, force: true });
  }
  return null;
}

function madeIn(place: string): string | null {
  try {
    mkdirSync(place, { recursive: true });
    return realpathSync(mkdtempSync(join(place, "baton-doctor-")));
  } catch {
    return null;
  }
}
