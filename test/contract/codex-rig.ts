/**
 * What the contract tests share: the installed binary, a scripted model, a CODEX_HOME of their own, workspaces, and the
 * proof at the end that no process is left. One rig per test file; tests keep apart by their prompts and workspaces.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freshCodexHome, scripted, scenario, startModel } from "../../src/demo/model/model.ts";
import type { CodexHomeOptions, Model, Scenario, Script } from "../../src/demo/model/model.ts";
import { Wire } from "./codex-rig-wire.ts";
import type { WireOptions } from "./codex-rig-wire.ts";
import { type Shown, shownProcesses } from "../processes.ts";

const require = createRequire(import.meta.url);
/** The package ships the binary for this platform in the repository's own dependencies. */
export const realCodex = process.platform === "linux" && process.arch === "x64";
/**
 * The binary itself: its npm wrapper costs 30 ms and one more process per launch. Empty where there is none. Another
 * release than the pinned one by `BATON_CODEX` (`npm run contract`).
 */
export const binary = process.env["BATON_CODEX"] ?? pinned();

function pinned(): string {
  if (!realCodex) return "";
  const home = dirname(require.resolve("@openai/codex-linux-x64/package.json"));
  return join(home, "vendor/x86_64-unknown-linux-musl/bin/codex");
}

export interface Rig {
  readonly model: Model;
  readonly home: string;
  /** Environment that shows this rig and nothing of the person who runs the tests; our own process has it too. */
  readonly env: NodeJS.ProcessEnv;
  /** What the model does on threads whose first prompt holds `prompt`. */
  plays(prompt: string, ...turns: Scenario["turns"]): void;
  /** A new directory outside the temporary one; with a git repository of one commit unless `git` is false. */
  workspace(name: string, options?: { git?: boolean }): string;
  wire(options?: WireOptions): Promise<Wire>;
  /** Processes that belong to this rig and still live: every child of Codex carries the home in its environment. */
  processes(): readonly Process[];
  /** The commands of scripts that have begun to sleep, and do it still. */
  sleepers(): readonly string[];
  /** Ends everything; throws when a process outlives it. */
  close(): Promise<void>;
}

export async function openRig(options: Partial<CodexHomeOptions> = {}): Promise<Rig> {
  const scripts = new Map<string, Script>();
  const model = await startModel((request) => scriptFor(scripts, request.prompts[0] ?? "")(request));
  // The model is offered agents of its own, as it is out there.
  const home = freshCodexHome({ modelUrl: model.url, agents: true, ...options });
  const ground = `${home.path}-work`;
  mkdirSync(join(ground, "empty-home"), { recursive: true });
  const env = {
    PATH: process.env["PATH"],
    LANG: "C.UTF-8",
    // An empty home: the login shell has no profile to run, git no identity to find.
    HOME: join(ground, "empty-home"),
    CODEX_HOME: home.path,
  };
  const wires: Wire[] = [];
  const before = { HOME: process.env["HOME"], CODEX_HOME: process.env["CODEX_HOME"] };
  Object.assign(process.env, { HOME: env.HOME, CODEX_HOME: env.CODEX_HOME });

  return {
    model,
    home: home.path,
    env,
    plays: (prompt, ...turns) => scripts.set(prompt, scripted(scenario({ match: prompt, turns }))),
    workspace: (name, { git = true } = {}) => {
      const path = join(ground, name);
      mkdirSync(path);
      if (git) commitFirst(path);
      return path;
    },
    wire: async ({ env: more = {}, ...options } = {}) => {
      const wire = new Wire(binary, { ...options, env: { ...env, ...more } });
      wires.push(wire);
      await wire.open();
      return wire;
    },
    processes: () => processesWith(home.path),
    sleepers: () =>
      processesWith(home.path).flatMap(({ command }) => (command.startsWith("sleep ") ? [command] : [])),
    close: async () => {
      await Promise.all(wires.map((wire) => wire.close()));
      await model.close();
      restore(before);
      try {
        await allGone(home.path);
      } finally {
        rmSync(ground, { recursive: true, force: true, maxRetries: 3 });
        home.remove();
      }
    },
  };
}

/** The longest key in the prompt is meant: NO-TOOL is not about TOOL. */
function scriptFor(scripts: ReadonlyMap<string, Script>, prompt: string): Script {
  const keys = [...scripts.keys()].filter((key) => prompt.includes(key));
  const [key = ""] = keys.toSorted((a, b) => b.length - a.length);
  return scripts.get(key) ?? scripted();
}

function restore(before: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(before)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}

/** Runs git as somebody in particular, whatever the machine is set up for. */
export const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync("git", args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], HOME: cwd, GIT_CONFIG_NOSYSTEM: "1" },
  }).trim();

function commitFirst(path: string): void {
  git(path, "init", "--quiet", "--initial-branch=main");
  git(path, "config", "user.name", "Contract");
  git(path, "config", "user.email", "contract@baton.invalid");
  writeFileSync(join(path, "README.md"), "start\n");
  git(path, "add", ".");
  git(path, "commit", "--quiet", "--message=start");
}

export type Process = Shown;

/** All processes whose environment holds `mark`. */
const processesWith = (mark: string): readonly Process[] =>
  shownProcesses().filter(({ environment }) => environment.includes(mark));

/** A process that was told to go may take a moment; one that stays is ended here and reported. */
async function allGone(mark: string): Promise<void> {
  const deadline = Date.now() + GONE_MS;
  while (processesWith(mark).length > 0 && Date.now() < deadline) await sleep(10);
  const left = processesWith(mark);
  for (const { pid } of left) process.kill(pid, "SIGKILL");
  if (left.length > 0)
    throw new Error(`processes outlived the tests: ${left.map(({ command }) => command).join("; ")}`);
}
const GONE_MS = 3000;

/** Directories that a killed sandbox leaves behind. */
export const strayDirectories = (path: string): readonly string[] =>
  [".git", ".agents", ".codex", ".aws"].filter((name) => existsSync(join(path, name)));
