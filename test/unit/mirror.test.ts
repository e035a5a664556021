/**
 * `test/unit/` mirrors `src/`: a test has the name of the file it tries, and who looks for the tests of a file finds them
 * at once. What is tried elsewhere is named here with the place; the lists can only become shorter.
 */
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const repository = join(import.meta.dirname, "../..");
const inFolder = (folder: string, pattern: string): readonly string[] =>
  globSync(pattern, { cwd: join(repository, folder) }).toSorted();

/** Files of `src/` whose rules are tried under another name. */
const triedElsewhere: Readonly<Record<string, string>> = {
  // What the file is about, seen from outside.
  "demo/board/resolvers.ts": "test/unit/demo/board/board.test.ts",
  "demo/model/stream.ts": "test/unit/demo/model/model.test.ts",
  "workspace/git/progress.ts": "test/contract/workspace-progress.test.ts",
  "workspace/memory.ts": "test/contract/workspace-suite.ts",
  "agent/scripted.ts": "test/contract/agent-suite.ts",
  // Programs, tried as programs.
  "main.ts": "test/lifecycle/bad-start.test.ts",
  "cli/cli.ts": "test/lifecycle/cli-read.test.ts",
  "cli/demo.ts": "test/lifecycle/demo.test.ts",
  "cli/doctor/doctor.ts": "test/lifecycle/cli-doctor.test.ts",
  "cli/doctor/app-server.ts": "test/lifecycle/cli-doctor.test.ts",
  "cli/doctor/disk-checks.ts": "test/lifecycle/cli-doctor.test.ts",
  "cli/doctor/sandbox-check.ts": "test/lifecycle/cli-doctor.test.ts",
  "cli/doctor/subject.ts": "test/lifecycle/cli-doctor.test.ts",
  "cli/doctor/workflow-check.ts": "test/lifecycle/cli-doctor.test.ts",
  "cli/check-commands.ts": "test/lifecycle/cli-doctor.test.ts",
  "cli/ledger.ts": "test/lifecycle/full-disk.test.ts",
  "cli/order-commands.ts": "test/lifecycle/recovery.test.ts",
  "cli/runs.ts": "test/lifecycle/cli-read.test.ts",
  "cli/show.ts": "test/lifecycle/cli-read.test.ts",
  "cli/stack.ts": "test/lifecycle/built.test.ts",
  "cli/status.ts": "test/lifecycle/cli-read.test.ts",
  "cli/why-files.ts": "test/lifecycle/why.test.ts",
  "cli/rescue.ts": "test/lifecycle/cli-rescue.test.ts",
  "cli/rescue-view.ts": "test/lifecycle/cli-rescue.test.ts",
  "cli/run.ts": "test/lifecycle/daemon.test.ts",
  "demo/demo.ts": "test/lifecycle/demo.test.ts",
  "demo/demo-daemon.ts": "test/lifecycle/demo.test.ts",
  "demo/gather.ts": "test/lifecycle/demo.test.ts",
  "demo/watch.ts": "test/lifecycle/demo.test.ts",
  "demo/world.ts": "test/lifecycle/demo.test.ts",
};

/** Tests of `test/unit/` about more than one file, and what they hold. */
const acrossFiles: Readonly<Record<string, string>> = {
  "ledger/releases.test.ts": "rows that released versions wrote",
  "ledger/plans.test.ts": "how each statement is answered: none reads all of a table that grows",
  "demo/workflow.test.ts": "the WORKFLOW.md that the demo runs",
  "ledger/docs.test.ts": "docs/LEDGER.md",
  "tracker/linear/bad-answers.test.ts": "answers that cannot be believed, through the whole adapter",
  "workflow/fuzz.test.ts": "any text at all",
  "workflow/published.test.ts": "workflows that others have published",
  "workspace/given-up.test.ts": "work that is given up half-way",
};

/** These folders hold tests of what is not in `src/`. */
const otherRooms = /^(docs|scripts|workflows)\//;

test("every test has the file it tries", () => {
  const astray = inFolder("test/unit", "**/*.test.ts").filter((name) => {
    const source = name.replace(/(\.property)?\.test\.ts$/, ".ts");
    return (
      !otherRooms.test(name) && !existsSync(join(repository, "src", source)) && name !== "mirror.test.ts"
    );
  });
  expect(astray).toEqual(Object.keys(acrossFiles).toSorted());
});

test("every file with a rule has its test, or stands in a list with the place where it is tried", () => {
  const untried = inFolder("src", "**/*.ts").filter((name) => hasRule(name) && !isTried(name));
  const listed = Object.keys(triedElsewhere).toSorted();
  expect(untried).toEqual(listed);
});

test("the other places where something is tried are there", () => {
  const places = [...new Set(Object.values(triedElsewhere))];
  expect(places.filter((place) => !existsSync(join(repository, place)))).toEqual([]);
});

function isTried(name: string): boolean {
  const test = join(repository, "test/unit", name.replace(/\.ts$/, ""));
  return existsSync(`${test}.test.ts`) || existsSync(`${test}.property.test.ts`);
}

/**
 * Something in it can be wrong: it branches. Types, lists, faces, texts and what only passes things on, in however many
 * functions, have nothing that a test could hold.
 */
function hasRule(name: string): boolean {
  const code = readFileSync(join(repository, "src", name), "utf8").replaceAll(
    /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm,
    "",
  );
  return /\b(if|for|while|switch)\b *\(|\bcase\b| \? |&&|\|\||\?\?/.test(
    code.replaceAll(/^(import|export) .* from .*$/gm, ""),
  );
}
