/** Node, git and bash: what every run needs before Codex comes in. */
import { plain } from "../../facts/plain.ts";
import { nodeProblem } from "../../node-version.ts";
import { type Check, fail, ok } from "./check.ts";
import { runProgram, type Subject } from "./subject.ts";

export const nodeCheck: Check = {
  name: "node",
  run: async () =>
    nodeProblem(process.versions.node) === null
      ? ok(process.versions.node)
      : fail(`${process.versions.node} is too old`, "Install Node 24 (https://nodejs.org)."),
};

export const gitCheck = (subject: Subject): Check =>
  present(subject, "git", "Install git: workspaces are cloned with it, and agents commit with it.");

export const bashCheck = (subject: Subject): Check =>
  present(subject, "bash", "Install bash: hooks and Codex are started through `bash -lc`.");

/** First line of `--version`; a banner longer than this is not one. */
const versionCharsMax = 80;

const present = (subject: Subject, name: string, todo: string): Check => ({
  name,
  run: async (signal) => {
    const { end, output } = await runProgram(subject, name, ["--version"], signal);
    if (end.type === "exited" && end.code === 0)
      return ok(plain(output.trim().split("\n")[0] ?? "", versionCharsMax));
    if (end.type === "unstartable") return fail("not found on the PATH", todo);
    return fail(`\`${name} --version\` does not work: ${plain(output, 200) || end.type}`, todo);
  },
});
