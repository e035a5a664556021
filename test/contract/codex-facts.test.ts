/**
 * What our client relies on Codex to do, asked of Codex itself without our client in between. When a new version of the
 * binary breaks one of these rules, the client has to change; the test names say where to look.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { gate, hold, say, shell, usage, writeCodexHome } from "../../src/demo/model/model.ts";
import { eventually } from "../eventually.ts";
import { openRig, realCodex, strayDirectories } from "./codex-rig.ts";
import type { Rig } from "./codex-rig.ts";
import type { Fields, Wire } from "./codex-rig-wire.ts";

describe.runIf(realCodex)("codex app-server", () => {
  let rig: Rig;
  let wire: Wire;
  beforeAll(async () => {
    rig = await openRig();
    wire = await rig.wire();
  });
  afterAll(async () => rig.close());

  const writing = { sandboxPolicy: { type: "workspaceWrite", excludeSlashTmp: true } };
  const lastOutput = (thread: string): string =>
    rig.model.requests.findLast((request) => request.thread === thread)?.outputs.at(-1) ?? "";
  const config = (): string => readFileSync(join(rig.home, "config.toml"), "utf8");

  test("a home under the temporary directory is complained of on stderr only", async () => {
    const home = mkdtempSync(join(tmpdir(), "baton-home-"));
    writeCodexHome(home, { modelUrl: rig.model.url });
    const misplaced = await rig.wire({ env: { CODEX_HOME: home } });
    await misplaced.close();
    rmSync(home, { recursive: true, force: true });
    expect(misplaced.stderr).toContain("Refusing to create helper binaries under temporary dir");
    expect(JSON.stringify(misplaced.heard)).not.toContain("temporary dir");
    expect(wire.stderr).not.toContain("temporary dir");
  });

  test("a probe by command/exec may write where the server was started, and nowhere else", async () => {
    const [cwd, elsewhere] = [rig.workspace("probe"), rig.workspace("elsewhere")];
    const prober = await rig.wire({ cwd });
    const probe = (where: string): Promise<Fields> =>
      prober.request("command/exec", { command: ["touch", "probe"], cwd: where, ...writing });
    const codes = [await probe(cwd), await probe(elsewhere)].map(({ exitCode }) => exitCode);
    await prober.close();
    expect(codes).toEqual([0, 1]);
    expect(existsSync(join(cwd, "probe"))).toBe(true);
  });

  test("a git directory is read-only to commands unless it is a writable root", async () => {
    const cwd = rig.workspace("read-only-git");
    const commit = "git commit --allow-empty -m x";
    rig.plays("GIT", [shell(commit), say("tried")], [shell(commit), say("done")]);
    const thread = await wire.thread({ cwd, approvalPolicy: "never" });
    await wire.turn(thread, "GIT", writing);
    expect(lastOutput(thread)).toContain("Read-only file system");
    const writableRoots = [join(cwd, ".git")];
    await wire.turn(thread, "again", { sandboxPolicy: { ...writing.sandboxPolicy, writableRoots } });
    expect(lastOutput(thread)).toContain("exited with code 0");
  });

  test("rm -f is refused without asking anybody when the policy is never", async () => {
    const cwd = rig.workspace("rm");
    rig.plays("REMOVE", [shell("rm -f README.md"), say("done")]);
    const thread = await wire.thread({ cwd, approvalPolicy: "never" });
    expect((await wire.turn(thread, "REMOVE", writing)).status).toBe("completed");
    expect(lastOutput(thread)).toContain("rm -f");
    expect(existsSync(join(cwd, "README.md"))).toBe(true);
  });

  test("a thread that names its sandbox trusts the repository and runs its MCP servers; a turn that does, not", async () => {
    const trusting = await openRig();
    const repository = (name: string): string => {
      const cwd = trusting.workspace(name);
      mkdirSync(join(cwd, ".codex"));
      const server = `[mcp_servers.x]\ncommand = "touch"\nargs = [${JSON.stringify(join(cwd, "ran"))}]\n`;
      writeFileSync(join(cwd, ".codex/config.toml"), server);
      return cwd;
    };
    const [named, unnamed] = [repository("named"), repository("unnamed")];
    trusting.plays("TRUST", [say("done")]);
    const wire = await trusting.wire();
    const careful = await wire.thread({ cwd: unnamed, approvalPolicy: "never" });
    await wire.turn(careful, "TRUST", writing);
    const untouched = readFileSync(join(trusting.home, "config.toml"), "utf8");
    const careless = await wire.thread({ cwd: named, approvalPolicy: "never", sandbox: "workspace-write" });
    await wire.turn(careless, "TRUST");
    await eventually(() => expect(existsSync(join(named, "ran"))).toBe(true));
    const trusted = readFileSync(join(trusting.home, "config.toml"), "utf8");
    expect(existsSync(join(unnamed, "ran"))).toBe(false);
    await trusting.close();
    expect(untouched).not.toContain("trust_level");
    expect(trusted).toContain(named);
    expect(trusted).not.toContain(unnamed);
  });

  test("commands see the server's environment unless its policy drops names that look like secrets", async () => {
    const cwd = rig.workspace("environment");
    const args = ["--config=shell_environment_policy.ignore_default_excludes=false"];
    const careful = await rig.wire({ args, env: { LINEAR_API_KEY: "seen-by-nobody" } });
    const careless = await rig.wire({ env: { LINEAR_API_KEY: "seen-by-all" } });
    rig.plays("ENV", [shell("env"), say("done")]);
    for (const one of [careful, careless]) {
      await one.turn(await one.thread({ cwd, approvalPolicy: "never" }), "ENV", writing);
    }
    await Promise.all([careful.close(), careless.close()]);
    const seen = rig.model.requests.flatMap(({ outputs }) => outputs).join("\n");
    expect(seen).toContain("seen-by-all");
    expect(seen).not.toContain("seen-by-nobody");
  });

  test("a provider that cannot be reached fails the turn when unbounded retries are off", async () => {
    const args = [
      "--config=features.unbounded_connection_retries=false",
      '--config=model_providers.scripted.base_url="http://127.0.0.1:9/v1"',
    ];
    const lonely = await rig.wire({ args });
    const thread = await lonely.thread({ cwd: rig.workspace("lonely"), approvalPolicy: "never" });
    const turn = await lonely.turn(thread, "anybody there?");
    await lonely.close();
    expect(turn.status).toBe("failed");
    expect(turn.error?.["codexErrorInfo"]).toEqual({ httpConnectionFailed: { httpStatusCode: null } });
  });

  test("a second turn/start while a turn runs steers it and gets the same id", async () => {
    const answer = gate();
    rig.plays("STEER", [[hold(answer), say("done")]]);
    const thread = await wire.thread({ cwd: rig.workspace("steered"), approvalPolicy: "never" });
    const first = await wire.start(thread, "STEER");
    await rig.model.asked(({ thread: of }) => of === thread);
    const input = [{ type: "text", text: "and this" }];
    const { turn } = await wire.request("turn/start", { threadId: thread, input });
    await rig.model.asked(({ thread: of, prompts }) => of === thread && prompts.includes("and this"));
    answer.open();
    expect((turn as Fields)["id"]).toBe(first);
    expect((await wire.ended(first)).status).toBe("completed");
  });

  test("interrupting a turn leaves its commands running until background terminals are cleaned", async () => {
    const cwd = rig.workspace("background");
    rig.plays("BACKGROUND", [shell("sleep 301", { waitMs: 250 }), [hold(gate()), say("never")]]);
    const thread = await wire.thread({ cwd, approvalPolicy: "never" });
    const turnId = await wire.start(thread, "BACKGROUND", writing);
    await rig.model.asked(({ thread: of, outputs }) => of === thread && outputs.length === 1);
    await wire.request("turn/interrupt", { threadId: thread, turnId });
    expect(await wire.ended(turnId)).toMatchObject({ status: "interrupted", error: null });
    await eventually(() => expect(rig.sleepers()).toContain("sleep 301"));
    await wire.request("thread/backgroundTerminals/clean", { threadId: thread });
    await eventually(() => expect(rig.sleepers()).not.toContain("sleep 301"));
  });

  test("a command that was killed leaves empty directories behind in the workspace", async () => {
    const cwd = rig.workspace("stray", { git: false });
    rig.plays("STRAY", [shell("sleep 302", { waitMs: 250 }), say("done")]);
    const dying = await rig.wire();
    const thread = await dying.thread({ cwd, approvalPolicy: "never" });
    await dying.turn(thread, "STRAY", writing);
    await eventually(() => expect(rig.sleepers()).toContain("sleep 302"));
    await dying.close();
    await eventually(() => expect(rig.sleepers()).not.toContain("sleep 302"));
    expect(strayDirectories(cwd)).toEqual([".git", ".agents", ".codex", ".aws"]);
  });

  test("a command may end after its turn", async () => {
    rig.plays("LATE", [shell("read line < go; echo late", { waitMs: 250 }), say("done")]);
    const cwd = rig.workspace("late");
    const thread = await wire.thread({ cwd, approvalPolicy: "never" });
    execFileSync("mkfifo", [join(cwd, "go")]);
    await wire.turn(thread, "LATE", writing);
    const ended = wire.heard.findLastIndex(({ method }) => method === "turn/completed");
    await writeFile(join(cwd, "go"), "now\n");
    const { item } = await wire.notice(
      "item/completed",
      ({ item, threadId }) => threadId === thread && (item as Fields)["type"] === "commandExecution",
    );
    const done = wire.heard.findIndex(({ params }) => params?.["item"] === item);
    expect(done).toBeGreaterThan(ended);
    expect(item).toMatchObject({ status: "completed", exitCode: 0, aggregatedOutput: "late\n" });
  });

  test("the model is offered a tool to start turns by itself unless goals are off", async () => {
    rig.plays("GOALS", [say("done")]);
    const cwd = rig.workspace("goals");
    const off = await rig.wire({ args: ["--config=features.goals=false"] });
    await wire.turn(await wire.thread({ cwd }), "GOALS");
    await off.turn(await off.thread({ cwd }), "GOALS");
    await off.close();
    const [byDefault, without] = rig.model.requests
      .filter(({ prompts }) => prompts[0] === "GOALS")
      .map(({ tools }) => tools.includes("create_goal"));
    expect([byDefault, without]).toEqual([true, false]);
  });

  // Why a thread's own budget is left out: docs/decisions/no-goal-budget.md.
  describe("the token budget of a thread's goal", () => {
    const budget = (threadId: string, status: string): Fields => ({
      threadId,
      objective: "finish",
      status,
      tokenBudget: 1_000,
    });

    test("is refused where goals are off", async () => {
      const off = await rig.wire({ args: ["--config=features.goals=false"] });
      const thread = await off.thread({ cwd: rig.workspace("budget-off") });
      const set = off.request("thread/goal/set", budget(thread, "active"));
      await expect(set).rejects.toThrow("goals feature is disabled");
      await off.close();
    });

    test("makes the server start a turn nobody asked for when the goal is active", async () => {
      const thread = await wire.thread({ cwd: rig.workspace("budget-active") });
      await wire.request("thread/goal/set", budget(thread, "active"));
      const { turn } = await wire.notice("turn/started", ({ threadId }) => threadId === thread);
      await wire.ended((turn as { id: string }).id);
    });

    test("counts nothing and ends nothing when the goal is paused", async () => {
      rig.plays("BUDGET", [
        [usage({ input: 900, output: 10 }), shell("true")],
        [usage({ input: 900, output: 10 }), say("done")],
      ]);
      const thread = await wire.thread({ cwd: rig.workspace("budget-paused"), approvalPolicy: "never" });
      await wire.request("thread/goal/set", budget(thread, "paused"));
      expect((await wire.turn(thread, "BUDGET")).status).toBe("completed");
      const { goal } = await wire.request("thread/goal/get", { threadId: thread });
      expect(goal).toMatchObject({ status: "paused", tokenBudget: 1_000, tokensUsed: 0 });
    });
  });

  test("a thread has one writer, and the thread's total of tokens survives it", async () => {
    rig.plays(
      "WRITER",
      [[usage({ input: 100, output: 7 }), say("one")]],
      [[usage({ input: 200, output: 3 }), say("two")]],
    );
    const cwd = rig.workspace("writer");
    const first = await rig.wire();
    const thread = await first.thread({ cwd, approvalPolicy: "never" });
    await first.turn(thread, "WRITER");
    const second = await rig.wire();
    const resume = { threadId: thread, excludeTurns: true };
    await expect(second.request("thread/resume", resume)).rejects.toThrow("already has an active writer");
    await first.close("SIGKILL");
    // A process that was just being started may hold the lock a moment longer.
    await eventually(async () =>
      expect(await second.request("thread/resume", resume)).toHaveProperty("thread"),
    );
    await second.turn(thread, "go on");
    const totals = second
      .all("thread/tokenUsage/updated")
      .map(({ tokenUsage }) => (tokenUsage as Totals).total);
    await second.close();
    // Once for the resume, with what was spent before it; once for the turn.
    expect(totals.map(({ inputTokens, totalTokens }) => [inputTokens, totalTokens])).toEqual([
      [100, 107],
      [300, 310],
    ]);
  });

  test("64 requests at a time are all answered", async () => {
    const answers = await Promise.all(
      Array.from({ length: 64 }, () => wire.request("thread/list", { limit: 1 })),
    );
    expect(answers).toHaveLength(64);
  });

  test("a turn ends in turn/completed alone, and no event of the old protocol is sent", () => {
    const turns = wire.heard.flatMap(({ method }) => (method?.startsWith("turn/") ? [method] : []));
    const old = wire.heard.filter(({ method }) => method?.startsWith("codex/event"));
    expect(new Set(turns)).toEqual(new Set(["turn/started", "turn/completed"]));
    expect(old).toEqual([]);
  });

  test("nothing above has written trust into the configuration", () => {
    expect(config()).not.toContain("trust_level");
  });
});

interface Totals {
  readonly total: { readonly inputTokens: number; readonly totalTokens: number };
}
