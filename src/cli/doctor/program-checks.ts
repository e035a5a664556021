/** Node, git, bash and the system's processes: what every run needs before Codex comes in. */
import { plain } from "../../facts/facts.ts";
import { isTooOld } from "../../node-version.ts";
import { type Census, loginShellMs, machine, SHELL_HANGS, weaknessOf } from "../../processes/processes.ts";
import { type Check, CHECK_MS_MAX, fail, ok, warn } from "./check.ts";
import { agentEnv, runProgram, type Subject } from "./subject.ts";

export const nodeCheck: Check = {
  name: "node",
  run: async () =>
    isTooOld(process.versions.node)
      ? fail(`${process.versions.node} is too old`, "Install Node 24 (https://nodejs.org).")
      : ok(process.versions.node),
};

export const gitCheck = (subject: Subject): Check =>
  present(subject, "git", "Install git: workspaces are cloned with it, and agents commit with it.");

export const bashCheck = (subject: Subject): Check =>
  present(subject, "bash", "Install bash: hooks and Codex are started through `bash -lc`.");

/** From here on each hook, each start of an agent and each of its commands is kept waiting. */
const SHELL_SLOW_MS = 2_000;

/** A little less than a check may take, so that it can say itself what was found. */
const SHELL_HANGS_MS = CHECK_MS_MAX - 2_000;

export const loginShellCheck = (subject: Subject, timed = loginShellMs): Check => ({
  name: "login shell",
  run: async (signal) => {
    const tookMs = await timed({ cwd: subject.home, env: agentEnv(subject) }, SHELL_HANGS_MS, signal);
    if (tookMs === null)
      return fail(`\`bash -lc true\` did not come back within ${SHELL_HANGS_MS / 1_000} s`, SHELL_HANGS);
    const words = `\`bash -lc true\` takes ${(tookMs / 1_000).toFixed(2)} s`;
    return tookMs > SHELL_SLOW_MS
      ? warn(`${words}, and every hook and every start of an agent waits for it`, SHELL_HANGS)
      : ok(words);
  },
});

/** Whether what a run leaves behind can be found, and by what. */
export const processesCheck = (census: Pick<Census, "source" | "startOf"> = machine): Check => ({
  name: "processes",
  run: async () => {
    if (census.startOf(process.pid) === null)
      return fail(
        "neither /proc nor `ps` tells of them: what outlives its run, or a killed daemon, is not found",
        "Mount /proc, or install ps.",
      );
    const weakness = weaknessOf(census.source);
    return weakness === null
      ? ok(`read from ${census.source}`)
      : warn(weakness, 'See "Where there is no /proc" in docs/DEPLOY.md.');
  },
});

/** First line of `--version`; a banner longer than this is not one. */
const VERSION_CHARS_MAX = 80;

const present = (subject: Subject, name: string, todo: string): Check => ({
  name,
  run: async (signal) => {
    const { end, output } = await runProgram(subject, name, ["--version"], signal);
    if (end.type === "exited" && end.code === 0)
      return ok(plain(output.trim().split("\n")[0] ?? "", VERSION_CHARS_MAX));
    if (end.type === "unstartable") return fail("not found on the PATH", todo);
    return fail(`\`${name} --version\` does not work: ${plain(output, 200) || end.type}`, todo);
  },
});
