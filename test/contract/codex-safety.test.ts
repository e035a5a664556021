/** What an agent of ours may reach, and what it leaves behind. */
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { gate, hold, say, shell } from "../../src/demo/model/model.ts";
import type { CodexSettings } from "../../src/domain/settings.ts";
import { eventually } from "../eventually.ts";
import { Session } from "./codex-rig-agent.ts";
import type { SessionOptions } from "./codex-rig-agent.ts";
import { git, openRig, realCodex, strayDirectories } from "./codex-rig.ts";
import type { Rig } from "./codex-rig.ts";

describe.runIf(realCodex)("an agent", () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await openRig({ keyEnv: "MODEL_PASS" });
    vi.stubEnv("MODEL_PASS", "provider-key-value");
  });
  afterAll(async () => rig.close());
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.stubEnv("MODEL_PASS", "provider-key-value");
  });

  const withKey = (codex: Partial<CodexSettings> = {}): Partial<CodexSettings> => ({
    envProvider: ["MODEL_PASS"],
    ...codex,
  });
  /** Runs one turn of one command; returns what the model read of it. */
  const run = async (workspace: string, command: string, options: SessionOptions = {}): Promise<string> => {
    const prompt = `RUN ${workspace}`;
    rig.plays(prompt, [shell(command), say("done")]);
    const session = new Session(rig, workspace, { ...options, codex: withKey(options.codex) });
    expect(await session.turn(prompt)).toMatchObject({ status: "completed" });
    await session.end();
    return rig.model.requests.findLast(({ prompts }) => prompts[0] === prompt)?.outputs.at(-1) ?? "";
  };

  test("gets no secret of ours in its process, and its commands not even the provider's key", async () => {
    vi.stubEnv("LINEAR_API_KEY", "tracker-key-value");
    vi.stubEnv("GITHUB_TOKEN", "github-token-value");
    vi.stubEnv("SSH_AUTH_SOCK", "/agent-socket-value");
    const workspace = rig.workspace("secrets");
    rig.plays("SECRETS", [shell("env; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'; true"), say("done")]);
    const session = new Session(rig, workspace, {
      codex: withKey(),
      secrets: ["tracker-key-value"],
    });
    await session.next("opened");
    const environments = rig
      .processes()
      .filter(({ command }) => command.includes("app-server"))
      .map(({ environment }) => environment);
    await session.turn("SECRETS");
    await session.end();
    const seen = rig.model.requests.findLast(({ prompts }) => prompts[0] === "SECRETS")?.outputs[0] ?? "";
    expect(environments).not.toEqual([]);
    expect(environments.join("\n")).toContain("provider-key-value");
    expect(environments.join("\n")).not.toMatch(/tracker-key-value|github-token-value/);
    expect(seen).toContain("CODEX_THREAD_ID=");
    expect(seen).not.toMatch(/provider-key-value|tracker-key-value|github-token-value/);
  });

  /** All that Codex wrote down in its home, as one text. */
  const written = (): string =>
    readdirSync(rig.home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.startsWith("session-"))
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1"))
      .join("\n");

  test("hands on to its commands what env_pass names, whatever it is called", async () => {
    vi.stubEnv("GH_TOKEN", "gh-token-value");
    vi.stubEnv("MY_SECRET_KEY", "secret-key-value");
    const workspace = rig.workspace("passes");
    const codex = { envPass: ["GH_TOKEN", "MY_SECRET_KEY", "MODEL_PASS"] };
    const seen = await run(workspace, "echo $GH_TOKEN $MY_SECRET_KEY | tr a-z A-Z; env | grep PASS; true", {
      codex,
    });
    expect(seen).toContain("GH-TOKEN-VALUE SECRET-KEY-VALUE");
    // A provider's key stays with Codex, also when it is passed on.
    expect(seen).not.toContain("provider-key-value");
    // What is set for commands goes to Codex in the settings of the thread; it keeps them to itself.
    expect(written()).not.toMatch(/gh-token-value|secret-key-value/);
  });

  test("has for itself alone what its provider and its command need", async () => {
    vi.stubEnv("CODEX_BIN_FOR_TEST", "named-by-the-command");
    vi.stubEnv("GATEWAY_LOGIN", "for-the-gateway");
    const workspace = rig.workspace("alone");
    rig.plays("ALONE", [shell("env"), say("done")]);
    const session = new Session(rig, workspace, {
      before: ': "$CODEX_BIN_FOR_TEST";',
      // Its own configuration names MODEL_PASS, which is enough.
      codex: { envProvider: ["GATEWAY_LOGIN"] },
    });
    await session.next("opened");
    const own = rig
      .processes()
      .filter(({ command }) => command.includes("app-server"))
      .map(({ environment }) => environment)
      .join("\n");
    await session.turn("ALONE");
    await session.end();
    const seen = rig.model.requests.findLast(({ prompts }) => prompts[0] === "ALONE")?.outputs[0] ?? "";
    for (const value of ["named-by-the-command", "for-the-gateway", "provider-key-value"]) {
      expect(own).toContain(value);
      expect(seen).not.toContain(value);
    }
    expect(seen).toContain("PATH=");
  });

  test("never gets a tracker's key, even under a name it is told to pass on", async () => {
    vi.stubEnv("HARMLESS_NAME", "tracker-key-value");
    const session = new Session(rig, rig.workspace("passed-on"), {
      codex: withKey({ envPass: ["HARMLESS_NAME"] }),
      secrets: ["tracker-key-value"],
    });
    await session.next("opened");
    const environments = rig.processes().map(({ environment }) => environment);
    await session.end();
    expect(environments.join("\n")).not.toContain("tracker-key-value");
  });

  test("does not execute what a repository configures, and trusts no repository", async () => {
    const workspace = rig.workspace("hostile");
    const ran = join(rig.home, "hostile-ran");
    mkdirSync(join(workspace, ".codex"));
    const hostile = `model = "stolen"\nnotify = ["touch", "${ran}"]\n[mcp_servers.x]\ncommand = "touch"\nargs = ["${ran}"]\n`;
    writeFileSync(join(workspace, ".codex/config.toml"), hostile);
    // Even a person who once trusted the directory did not trust what an agent puts there.
    const own = join(rig.home, "config.toml");
    appendFileSync(own, `\n[projects.${JSON.stringify(workspace)}]\ntrust_level = "trusted"\n`);
    const before = readFileSync(own, "utf8");
    await run(workspace, "true");
    expect(existsSync(ran)).toBe(false);
    expect(readFileSync(own, "utf8")).toBe(before);
    expect(rig.model.requests.map(({ model }) => model)).not.toContain("stolen");
  });

  test("names no sandbox when its thread starts: that alone would trust the repository", async () => {
    const session = new Session(rig, rig.workspace("no-sandbox"), { codex: withKey() });
    await session.next("opened");
    await session.end();
    const messages = session
      .sent()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { method?: string; params?: object });
    const start = messages.find(({ method }) => method === "thread/start");
    expect(start?.params).toHaveProperty("config");
    expect(start?.params).not.toHaveProperty("sandbox");
  });

  test("does not run the notification program of the person who set Codex up", async () => {
    const notified = join(rig.home, "notified");
    await run(rig.workspace("notify"), "true", { args: [`--config=notify=["touch","${notified}"]`] });
    expect(existsSync(notified)).toBe(false);
  });

  test("commits in its workspace", async () => {
    const workspace = rig.workspace("commits");
    const commands =
      "git checkout -q -b work && echo x > new.txt && git add . && git commit -q -m 'by the agent'";
    expect(await run(workspace, commands)).toContain("exited with code 0");
    expect(git(workspace, "log", "--format=%s", "work")).toBe("by the agent\nstart");
    expect(git(workspace, "status", "--porcelain")).toBe("");
  });

  test("commits in a worktree, whose repository lies elsewhere", async () => {
    const main = rig.workspace("main-repository");
    const workspace = `${main}-tree`;
    git(main, "worktree", "add", "--quiet", "-b", "tree", workspace);
    const commands = "echo x > new.txt && git add . && git commit -q -m 'from the tree'";
    expect(await run(workspace, commands)).toContain("exited with code 0");
    expect(git(main, "log", "--format=%s", "tree")).toBe("from the tree\nstart");
  });

  test("cannot commit where the workflow wants no writable repository", async () => {
    const workspace = rig.workspace("no-commits");
    const output = await run(workspace, "git commit --allow-empty -m x", { codex: { writableGit: false } });
    expect(output).toContain("Read-only file system");
  });

  test("writes nothing outside its workspace", async () => {
    const workspace = rig.workspace("contained");
    const output = await run(workspace, "touch ../escaped; touch inside");
    expect(output).toContain("Read-only file system");
    expect([existsSync(join(workspace, "inside")), existsSync(join(workspace, "../escaped"))]).toEqual([
      true,
      false,
    ]);
  });

  test("leaves no process behind, not even one in a session of its own outside the sandbox", async () => {
    const workspace = rig.workspace("daemons");
    const command =
      "setsid sleep 305 >/dev/null 2>&1 & sleep 306 >/dev/null 2>&1 & nohup sleep 307 >/dev/null 2>&1 & echo started";
    const output = await run(workspace, command, { codex: { threadSandbox: "danger-full-access" } });
    expect(output).toContain("started");
    expect(rig.processes().filter(({ command }) => command.includes("sleep 30"))).toEqual([]);
  });

  test("leaves no process behind when it is killed", async () => {
    const workspace = rig.workspace("killed");
    rig.plays("KILLED-AGENT", [
      shell("setsid sleep 308 >/dev/null 2>&1 & sleep 309", { waitMs: 250 }),
      [hold(gate()), say("never")],
    ]);
    const session = new Session(rig, workspace, { codex: withKey({ threadSandbox: "danger-full-access" }) });
    await session.next("opened");
    session.agent.turn("KILLED-AGENT");
    await rig.model.asked(({ prompts, outputs }) => prompts[0] === "KILLED-AGENT" && outputs.length === 1);
    await eventually(() => expect(rig.sleepers().toSorted()).toEqual(["sleep 308", "sleep 309"]));
    await session.crash();
    await session.gone();
    expect(rig.processes().filter(({ command }) => command.includes("sleep 30"))).toEqual([]);
  });

  test("leaves no empty directory behind when its commands are killed", async () => {
    const workspace = rig.workspace("stray", { git: false });
    rig.plays("STRAY-AGENT", [shell("sleep 310", { waitMs: 250 }), [hold(gate()), say("never")]]);
    const session = new Session(rig, workspace, { codex: withKey() });
    await session.next("opened");
    session.agent.turn("STRAY-AGENT");
    await rig.model.asked(({ prompts, outputs }) => prompts[0] === "STRAY-AGENT" && outputs.length === 1);
    await eventually(() => expect(rig.sleepers()).toContain("sleep 310"));
    await session.end();
    expect(strayDirectories(workspace)).toEqual([]);
  });
});
