/** `baton doctor` as a process: a codex of a few lines and a board on loopback stand for the real ones. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Check, examine } from "../../src/cli/doctor/check.ts";
import { codexCheck, codexHomeCheck, loginCheck } from "../../src/cli/doctor/codex-checks.ts";
import { ledgerCheck, stateDirectoryCheck, workspaceRootCheck } from "../../src/cli/doctor/disk-checks.ts";
import { sandboxCheck } from "../../src/cli/doctor/sandbox-check.ts";
import type { Subject } from "../../src/cli/doctor/subject.ts";
import { trackerChecks } from "../../src/cli/doctor/tracker-checks.ts";
import { isAlive } from "../../src/processes/alive.ts";
import { startBoard, type Board } from "../../src/demo/board/board.ts";
import { freshCodexHome } from "../../src/demo/model/codex-home.ts";
import { loadWorkflow } from "../../src/workflow/workflow.ts";
import { realCodex } from "../contract/codex-rig.ts";
import { eventually } from "../eventually.ts";
import { baton } from "./cli-child.ts";

let home: string;
let board: Board;
beforeEach(async () => {
  // Outside the temporary directory, as a real CODEX_HOME and its sandbox must be.
  const cache = join(homedir(), ".cache");
  mkdirSync(cache, { recursive: true });
  home = realpathSync(mkdtempSync(join(cache, "baton-doctor-test-")));
  mkdirSync(join(home, ".codex"));
  writeFileSync(join(home, "codex.mjs"), FAKE_CODEX);
  // For checks without a workflow, which ask the `codex` of a login shell.
  mkdirSync(join(home, "bin"));
  writeFileSync(
    join(home, "bin", "codex"),
    `#!/bin/sh\nexec "${process.execPath}" "${home}/codex.mjs" fine "$@"\n`,
    {
      mode: 0o700,
    },
  );
  writeFileSync(join(home, ".bash_profile"), `PATH="${home}/bin:$PATH"\n`);
  board = await startBoard();
});
afterEach(async () => {
  await board.close();
  rmSync(home, { recursive: true, force: true });
});

/** Its first argument says what is wrong with it. */
const FAKE_CODEX = `
import { createInterface } from "node:readline";
const [trouble, ...args] = process.argv.slice(2);
const say = (message) => process.stdout.write(JSON.stringify(message) + "\\n");
const serve = async () => {
  if (trouble === "exits") { process.stderr.write("no such profile\\n"); process.exit(3); }
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line);
    if (method === "initialize") say({ id, result: { userAgent: "fake" } });
    if (method !== "command/exec") continue;
    if (params.sandboxPolicy.type !== "workspaceWrite") say({ id, error: { code: -32600, message: "bad policy" } });
    else if (trouble === "no-sandbox") say({ id, result: { exitCode: 1, stdout: "", stderr: "bwrap: execvp failed" } });
    else if (trouble === "leaks") say({ id, result: { exitCode: 0, stdout: "ok\\nleak\\n", stderr: "" } });
    else say({ id, result: { exitCode: 0, stdout: "ok\\n", stderr: "" } });
  }
};
const question = args.join(" ");
if (question === "--version") process.stdout.write(trouble === "old" ? "codex-cli 0.120.0\\n" : "codex-cli 0.169.3\\n");
else if (question === "login status") {
  process.stdout.write(trouble === "logged-out" ? "Not logged in\\n" : "Logged in using an API key - sk-***XYZ\\n");
  process.exitCode = trouble === "logged-out" ? 1 : 0;
} else if (question === "doctor --json") {
  say({ checks: { "auth.credentials": { status: "fail", summary: "no credentials were found", remediation: "log in" } } });
  process.exitCode = 1;
} else if (question === "app-server") await serve();
`;

interface Made {
  readonly trouble?: string;
  readonly command?: string;
  readonly slug?: string;
  readonly sandbox?: string;
  readonly more?: string;
}

function workflow({ trouble = "fine", command, slug = "demo", sandbox, more = "" }: Made = {}): string {
  const path = join(home, "WORKFLOW.md");
  writeFileSync(
    path,
    `---
tracker: {kind: linear, endpoint: "${board.url}", api_key: $LINEAR_API_KEY, project_slug: ${slug}}
workspace: {root: ./workspaces}
codex: {command: '${command ?? `${process.execPath} ${home}/codex.mjs ${trouble} app-server`}'${sandbox === undefined ? "" : `, thread_sandbox: ${sandbox}`}}
${more}
---
Work on {{ issue.identifier }}.
`,
  );
  return path;
}

const keyed = { LINEAR_API_KEY: "board-key" };
const lookAt = (args: readonly string[], env: Record<string, string> = keyed) =>
  baton(["doctor", ...args], { cwd: home, env });

async function findings(made: Made, env: Record<string, string> = keyed) {
  const { code, out } = await lookAt([workflow(made), "--json"], env);
  const { checks } = JSON.parse(out) as {
    checks: { name: string; status: string; text: string; todo: string }[];
  };
  return { code, of: (name: string) => checks.find((check) => check.name === name) };
}

const look = (...checks: readonly Check[]) => Promise.all(examine(checks));

const subject = (made: Made, more: Record<string, string> = {}): Subject => {
  const loaded = loadWorkflow(workflow(made), keyed, home);
  if (!loaded.ok) throw loaded.error;
  return {
    env: { PATH: process.env["PATH"], HOME: home, ...more },
    home,
    now: () => Date.now(),
    workflow: loaded.workflow,
  };
};

describe("a machine with nothing in the way", () => {
  it("passes every check and changes nothing that stays", async () => {
    board.store.add({ title: "One" });
    const { code, out, err } = await lookAt([workflow()]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/^ok {4}codex {7}0\.169\.3$/m);
    expect(out).toMatch(/^ok {4}login {7}Logged in using an API key$/m);
    expect(out).toMatch(/^ok {4}sandbox {5}works \(workspaceWrite\)$/m);
    expect(out).toMatch(/^ok {4}tracker {5}http.*the key is Ada Byron's$/m);
    expect(out).toMatch(/^ok {4}candidates {2}1 issue in Todo or In Progress$/m);
    expect(out).toContain("Nothing stands in the way");
    expect(out).not.toContain("\u001b");
    expect(existsSync(join(home, ".baton")) || existsSync(join(home, "workspaces"))).toBe(false);
  });

  it("is looked at without a workflow, too", async () => {
    const { code, out } = await lookAt([]);
    expect(out).toContain("warn  workflow    there is no ./WORKFLOW.md here");
    expect(out).toMatch(/^skip {2}tracker/m);
    expect(out).toMatch(/^ok {4}sandbox/m);
    expect(code).toBe(0);
  });
});

describe("what is missing", () => {
  it.each<[string, (subject: Subject) => Check | undefined, Made, string, string]>([
    ["codex", codexCheck, { command: "no-such-codex app-server" }, "not found", "npm install"],
    ["its version", codexCheck, { trouble: "old" }, "0.120.0, and Baton is tested with", "If runs end oddly"],
    ["the login", loginCheck, { trouble: "logged-out" }, "no credentials were found", "codex login"],
    ["the sandbox", sandboxCheck, { trouble: "no-sandbox" }, "bwrap: execvp failed", "user namespaces"],
    ["a tight sandbox", sandboxCheck, { trouble: "leaks" }, "outside its workspace", "user namespaces"],
    ["any sandbox", sandboxCheck, { sandbox: "danger-full-access" }, "switched off", "thread_sandbox"],
    ["an app-server", sandboxCheck, { trouble: "exits" }, "no such profile", "Start that command by hand"],
    ["the project", (of) => trackerChecks(of)[1], { slug: "other" }, 'no project "other"', "project's URL"],
  ])("%s, is told with what to do", async (_name, check, made, text, todo) => {
    const found = await Promise.all(examine([check(subject(made))].filter((one) => one !== undefined)));
    expect(found).toHaveLength(1);
    expect(["warn", "fail"]).toContain(found[0]?.status);
    expect(found[0]?.text).toContain(text);
    expect(found[0]?.todo).toContain(todo);
  });

  it("is one failure where three checks need it: a codex that is not there", async () => {
    const { of } = await findings({ command: "no-such-codex app-server" });
    expect(of("codex")).toMatchObject({
      status: "fail",
      todo: expect.stringContaining("`npm install -g @openai/codex`") as string,
    });
    expect(of("login")).toMatchObject({ status: "skip", text: "needs a codex that starts" });
    expect(of("sandbox")).toMatchObject({ status: "skip", text: "needs a codex that starts" });
  });

  it("exits 5 when it is of this machine, 3 when only the file is wrong", async () => {
    expect((await findings({ trouble: "logged-out", slug: "other" })).code).toBe(5);
    expect((await findings({ more: "agent: 7" })).code).toBe(3);
    expect((await findings({ trouble: "old", slug: "other" })).code).toBe(3);
  });

  it("includes a key: not set, or not good, told once", async () => {
    const unset = await findings({}, {});
    expect(unset.code).toBe(5);
    expect(unset.of("workflow")?.text).toContain("LINEAR_API_KEY is not set");
    const wrong = await findings({}, { LINEAR_API_KEY: "wrong-key" });
    expect(wrong.code).toBe(5);
    expect(wrong.of("tracker")).toMatchObject({ status: "fail" });
    expect(wrong.of("candidates")).toMatchObject({ status: "skip", text: "needs a tracker that answers" });
  });

  it("includes a provider's key that agents would not get", async () => {
    const [found] = await look(loginCheck(subject({ trouble: "logged-out" }, { OPENAI_API_KEY: "sk-test" })));
    expect(found?.todo).toContain(
      "OPENAI_API_KEY is set, but agents do not get it: add it to codex.env_provider",
    );
  });

  it("includes a CODEX_HOME that is temporary or not there", async () => {
    const temporary = mkdtempSync(join(tmpdir(), "baton-codex-home-"));
    try {
      const [found] = await look(codexHomeCheck(subject({}, { CODEX_HOME: temporary })));
      expect(found).toMatchObject({ status: "fail" });
      expect(found?.text).toContain("under the temporary directory");
    } finally {
      rmSync(temporary, { recursive: true });
    }
    const [found] = await look(codexHomeCheck(subject({}, { CODEX_HOME: join(home, "none") })));
    expect(found?.text).toContain("which is not there");
  });

  it("includes a state directory that others can look into, a root that is a file, a foreign ledger", async () => {
    mkdirSync(join(home, ".baton"));
    chmodSync(join(home, ".baton"), 0o755);
    writeFileSync(join(home, ".baton", "ledger.db"), "this is no database, and long enough to look at");
    writeFileSync(join(home, "workspaces"), "");
    const of = subject({});
    const [state, root, ledger] = await look(
      stateDirectoryCheck(of),
      workspaceRootCheck(of),
      ledgerCheck(of),
    );
    expect(state).toMatchObject({ status: "warn", todo: `chmod 700 ${join(home, ".baton")}` });
    expect(root).toMatchObject({ status: "fail", blames: "configuration" });
    expect(root?.text).toContain("is not a directory");
    expect(ledger).toMatchObject({ status: "fail" });
  });
});

it.runIf(realCodex)("the real codex has a version that was tested and a sandbox that works", async () => {
  const codex = freshCodexHome({ modelUrl: "http://127.0.0.1:9/v1" });
  try {
    const binary = join(import.meta.dirname, "../../node_modules/.bin/codex");
    const of = subject({ command: `${binary} app-server` }, { CODEX_HOME: codex.path });
    expect(await look(codexCheck(of), codexHomeCheck(of), sandboxCheck(of))).toMatchObject([
      { status: "ok" },
      { status: "ok" },
      { status: "ok", text: "works (workspaceWrite)" },
    ]);
  } finally {
    codex.remove();
  }
});

describe("a codex that hangs", () => {
  it.each([
    ["version", codexCheck],
    ["sandbox", sandboxCheck],
  ])("is reported by the check of its %s when time is up, and is not left behind", async (_name, check) => {
    const pidFile = join(home, "pid");
    const program = join(home, "hangs");
    // A shell: it is sure to have begun when time is up, also on a busy machine.
    writeFileSync(program, `#!/bin/sh\necho $$ > "${pidFile}"\nexec sleep 600\n`, { mode: 0o700 });
    const [found] = examine([check(subject({ command: `${program} app-server` }))], 1_500);
    expect(await found).toMatchObject({ status: "fail", text: "gave no answer within 1.5 s" });
    const pid = Number(readFileSync(pidFile, "utf8"));
    await eventually(() => expect(isAlive(pid)).toBe(false));
  });
});
