import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually } from "../eventually.ts";
import { shownProcesses } from "../processes.ts";
import { program } from "../programs.ts";

/** The demo promises less than a minute. */
const DEMO_MAX_MS = 60_000;

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "baton-demo-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true, maxRetries: 3 }));

const main = program("src/main.ts");
const place = (...parts: readonly string[]): string => join(home, "cache", "baton", "demo", ...parts);
const ledger = (): string => place(".baton", "ledger.db");

const environment = (): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"],
  HOME: home,
  // Every process of this demo has it in its environment, so all of them can be found.
  XDG_CACHE_HOME: join(home, "cache"),
  LANG: "C.UTF-8",
});

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the demo; `onOutput` sees all output so far whenever there is more. */
function runDemo(onOutput: (out: string, pid: number) => void = () => undefined): Promise<Ended> {
  const child = spawn(process.execPath, [main, "demo"], {
    env: environment(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk.toString();
    onOutput(out, child.pid ?? 0);
  });
  child.stderr.on("data", (chunk: Buffer) => {
    err += chunk.toString();
  });
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, out, err })));
}

const baton = (...args: readonly string[]): string =>
  execFileSync(process.execPath, [main, ...args, "--ledger", ledger()], {
    env: environment(),
    encoding: "utf8",
  });

const git = (...args: readonly string[]): string =>
  execFileSync("git", ["-C", place("origin.git"), ...args], { encoding: "utf8" });

/** Commands of the processes that have this demo in their environment. */
const processes = (): readonly string[] =>
  shownProcesses().flatMap(({ pid, command, environment }) =>
    environment.includes(home) ? [`${pid} ${command}`] : [],
  );

/** A killed process may be in the table for a moment after its parent's end. */
const noProcessIsLeft = (): Promise<void> => eventually(() => expect(processes()).toEqual([]));

/** The cells of the line that begins with this ticket's row in the last table. */
const row = (out: string, identifier: string): readonly string[] =>
  (out.split("\n").findLast((line) => line.startsWith(`${identifier} `)) ?? "")
    .trim()
    .split(/\s{2,}|\s+(?=\d)/);

interface RunJson {
  readonly issue_identifier: string;
  readonly kind: string;
  readonly outcome: string | null;
  readonly turns: number;
  readonly thread_id: string;
  readonly tokens: { readonly total_tokens: number };
}

test(
  "the demo finishes four tickets, leaves two alone, and can be asked afterwards what happened",
  async () => {
    const { code, out, err } = await runDemo();
    expect({ code, err }, out).toEqual({ code: 0, err: "" });
    // oxlint-disable-next-line no-control-regex
    expect(out).not.toMatch(/\u001b/);
    expect(out).toContain("4 tickets done, 2 left alone");

    for (const identifier of ["DEMO-1", "DEMO-2", "DEMO-3", "DEMO-4"]) {
      const commit = git("rev-parse", "--short", `agent/${identifier}`).trim();
      expect(out.split("\n").findLast((line) => line.startsWith(identifier))).toContain(commit);
      expect(git("rev-list", "--count", `main..agent/${identifier}`).trim()).toBe(
        identifier === "DEMO-4" ? "2" : "1",
      );
      expect(out).toMatch(new RegExp(`${identifier} +commented: `));
    }
    expect(row(out, "DEMO-5").slice(0, 2)).toEqual(["DEMO-5", "Todo"]);
    expect(row(out, "DEMO-6").slice(0, 2)).toEqual(["DEMO-6", "Todo"]);
    expect(git("show", "agent/DEMO-4:words/fr")).toBe("Bonjour\n");

    const runs = JSON.parse(baton("runs", "--json")) as readonly RunJson[];
    const of = (identifier: string) => runs.filter((run) => run.issue_identifier === identifier).toReversed();
    expect(of("DEMO-1").map(({ kind, outcome }) => [kind, outcome])).toEqual([
      ["first", "failed"],
      ["retry", "completed"],
    ]);
    expect(new Set(of("DEMO-1").map((run) => run.thread_id)).size).toBe(1);
    expect(of("DEMO-2").map(({ outcome, turns }) => [outcome, turns])).toEqual([["completed", 2]]);
    expect(of("DEMO-3").map(({ outcome, turns }) => [outcome, turns])).toEqual([["completed", 1]]);
    expect(of("DEMO-4").map(({ outcome, turns }) => [outcome, turns])).toEqual([["completed", 1]]);
    expect(runs).toHaveLength(5);
    for (const run of runs) expect(run.tokens.total_tokens).toBeGreaterThan(0);
    expect(baton("show", "DEMO-1")).toContain("./test.sh");

    await noProcessIsLeft();
    expect(readdirSync(place("workspaces")).filter((name) => name.startsWith("DEMO"))).toEqual([]);
  },
  DEMO_MAX_MS,
);

test(
  "interrupted in the middle, the demo stops its agents, leaves no process and no open run, and says so",
  async () => {
    let asked = false;
    const { code, err } = await runDemo((out, pid) => {
      if (asked || !/DEMO-2 +turn 1 started/.test(out)) return;
      asked = true;
      process.kill(pid, "SIGINT");
    });
    expect(code).toBe(1);
    expect(err).toContain("It was stopped before it was over.");
    expect(err).toContain("baton.log");
    const runs = JSON.parse(baton("runs", "--json")) as readonly RunJson[];
    expect(runs.length).toBeGreaterThan(0);
    for (const run of runs) expect(run.outcome).not.toBeNull();
    await noProcessIsLeft();
  },
  DEMO_MAX_MS,
);

test("without git the demo says what to install and starts nothing", async () => {
  const env = { ...environment(), PATH: "/nowhere" };
  const child = spawn(process.execPath, [main, "demo"], { env, stdio: ["ignore", "ignore", "pipe"] });
  let err = "";
  child.stderr.on("data", (chunk: Buffer) => {
    err += chunk.toString();
  });
  const code = await new Promise((resolve) => child.on("close", resolve));
  expect({ code, err }).toEqual({ code: 5, err: expect.stringContaining("Install git") as string });
  expect(existsSync(ledger())).toBe(false);
  await noProcessIsLeft();
});
