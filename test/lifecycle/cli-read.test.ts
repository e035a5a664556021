/** The commands that ask the ledger, as processes, beside one that has it open for writing. */
import { chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { issueId } from "../../src/domain/issue.ts";
import { takeLock } from "../../src/ledger/lock.ts";
import { openLedger } from "../../src/ledger/sqlite.ts";
import type { Ledger } from "../../src/ledger/port.ts";
import { ago, issue, run, writeHistory } from "../unit/cli/history.ts";
import { baton, shell } from "./cli-child.ts";

let directory: string;
let writer: Ledger;
const open = (name: string): Ledger => openLedger(join(directory, name));

beforeAll(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "baton-cli-")));
  // No daemon would take this file: history is read without it.
  writeFileSync(join(directory, "WORKFLOW.md"), "---\nagent: 7\n---\n");
  writer = open(".baton/ledger.db");
  writeHistory(writer);
});
afterAll(() => {
  writer.close();
  rmSync(directory, { recursive: true, force: true });
});

const here = (env: Record<string, string> = {}) => ({ cwd: directory, env });
/** A user that is not the one of these tests. */
const SOMEBODY = 1;
const json = (text: string): unknown => JSON.parse(text);

describe("baton status", () => {
  it("tells a ledger that a daemon holds from one that nobody does", async () => {
    expect((await baton(["status"], here())).out).toContain("No daemon is running.");
    const lock = takeLock(join(directory, ".baton", "ledger.db"), {
      pid: process.pid,
      since: new Date().toISOString(),
      workflows: ["/srv/WORKFLOW.md"],
    });
    const { out } = await baton(["status", "--json"], here());
    lock.release();
    expect(json(out)).toMatchObject({ daemon: { pid: process.pid, workflows: ["/srv/WORKFLOW.md"] } });
    expect(json((await baton(["status", "--json"], here())).out)).toMatchObject({ daemon: null });
  });
});

describe("baton runs", () => {
  it("lists the runs of the ledger beside ./WORKFLOW.md while a daemon writes, without key or valid file", async () => {
    const { code, out, err } = await baton(["runs"], here());
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/^RUN {2}ISSUE/);
    expect(out).toContain("6 runs of 4 issues");
    // What a daemon commits is seen at once.
    const more = issue(16, "Another");
    writer.commit(
      [{ type: "run_started", run: run(7, more, ago(1)), issue: more, workflowHash: "hash-1" }],
      [],
    );
    expect((await baton(["runs"], here())).out).toContain("7 runs of 5 issues");
  });

  it("prints an array as JSON, filtered and limited", async () => {
    const { out } = await baton(["runs", "--json", "--issue", "mt-12", "--outcome", "failed"], here());
    expect(json(out)).toMatchObject([{ id: "r2", issue_identifier: "MT-12", outcome: "failed", turns: 0 }]);
    const limited = await baton(["runs", "--json", "--limit", "2"], here());
    expect(json(limited.out)).toHaveLength(2);
    expect((await baton(["runs", "--limit", "2"], here())).out).toContain("--limit 10 shows more");
  });

  it("writes no escape codes into a pipe, whatever the tickets hold", async () => {
    for (const args of [["runs"], ["show", "MT-12"], ["show", "MT-14"]]) {
      const { out } = await baton(args, here({ TERM: "xterm-256color", COLORTERM: "truecolor" }));
      expect(out).not.toContain("\u001b");
    }
  });

  it("does not mind a reader that has seen enough", async () => {
    const many = open("many.db");
    for (let n = 1; n <= 400; n++) {
      const of = { ...issue(12, "Again"), id: issueId(`issue-${n}`) };
      many.commit([{ type: "run_started", run: run(n, of, ago(n)), issue: of, workflowHash: "h" }], []);
    }
    many.close();
    const line = "$BATON runs --json --limit 400 --ledger many.db | head -n 1; echo ${PIPESTATUS[0]}";
    expect(await shell(line, here())).toEqual({ code: 0, out: "[\n0\n", err: "" });
  });

  it("says what to do next when there is no run, and when none fits", async () => {
    open("empty.db").close();
    const empty = await baton(["runs", "--ledger", "empty.db"], here());
    expect(empty).toMatchObject({ code: 0, out: expect.stringContaining("baton run WORKFLOW.md") as string });
    expect((await baton(["runs", "--ledger", "empty.db", "--json"], here())).out).toBe("[]\n");
    const none = await baton(["runs", "--workflow", "nope"], here());
    expect(none.out).toContain("No run fits --workflow nope.");
  });

  it("fails with what to do when there is no ledger", async () => {
    const { code, out, err } = await baton(["runs"], { cwd: directory, env: { BATON_LEDGER: "none.db" } });
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain(`no ledger at ${join(directory, "none.db")}`);
  });

  it.each([[["--outcome", "good"]], [["--limit", "0"]], [["--ledger", ""]], [["--nope"]]])(
    "refuses %j as usage",
    async (args) => {
      const { code, out, err } = await baton(["runs", ...args], here());
      expect({ code, out }).toEqual({ code: 2, out: "" });
      expect(err).toContain("error: ");
    },
  );
});

describe("baton show", () => {
  it("shows an issue, and a run", async () => {
    const page = await baton(["show", "MT-12"], here());
    expect(page).toMatchObject({ code: 0, err: "" });
    expect(page.out).toContain("now       was running (r6) when Baton's process ended");
    expect(page.out).toContain("$ npm test (exit 0, 12.0 s)");
    const one = await baton(["show", "r2", "--json"], here());
    expect(json(one.out)).toMatchObject({
      issue: { identifier: "MT-12" },
      runs: [{ id: "r2" }],
      timeline: [{ type: "run_started" }, { type: "hook_ran" }, { type: "run_ended" }],
    });
  });

  it("fails for a name that nobody knows, with what is near", async () => {
    const { code, out, err } = await baton(["show", "XX-13"], here());
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain("Did you mean MT-13?");
    expect(err).toContain("The tracker was not asked.");
  });
});

it("every command teaches itself in a terminal of 80 columns", async () => {
  for (const name of ["runs", "show", "validate", "doctor"]) {
    const { code, out } = await baton([name, "--help"], here());
    expect(code).toBe(0);
    expect(out).toContain(`$ baton ${name}`);
    expect(out.split("\n").filter((line) => line.length > 80)).toEqual([]);
  }
});

describe("who asks in the wrong place", () => {
  const elsewhere = (): string => {
    const path = realpathSync(mkdtempSync(join(tmpdir(), "baton-elsewhere-")));
    onTestFinished(() => rmSync(path, { recursive: true, force: true }));
    return path;
  };

  it.each(["status", "runs", "rescue list", "ledger check", "pause"])(
    "hears that there is no ledger: %s",
    async (command) => {
      const { code, out, err } = await baton(command.split(" "), { cwd: elsewhere() });
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err).toContain("baton: no ledger at");
    },
  );

  it("hears that a directory is none, and which file in it is", async () => {
    const ledger = join(directory, ".baton");
    for (const command of [["status"], ["pause"], ["ledger", "check"]]) {
      const { code, err } = await baton([...command, "--ledger", ledger], here());
      expect(code).toBe(1);
      expect(err).toContain(`${ledger} is a directory, and a ledger is a file`);
      expect(err).toContain(`the ledger in it is ${join(ledger, "ledger.db")}`);
    }
  });

  it
    .skipIf(process.getuid?.() !== 0)
    .each(["status", "runs", "show MT-1", "ledger check", "pause", "rescue list"])(
    "as another user hears whose the ledger is, without a stack trace: %s",
    async (command) => {
      const closed = elsewhere();
      mkdirSync(join(closed, ".baton"), { mode: 0o700 });
      chownSync(join(closed, ".baton"), SOMEBODY, SOMEBODY);
      // Whoever is root without its powers is a user like others.
      const powerless = `setpriv --bounding-set=-all --inh-caps=-all $BATON ${command}`;
      const { code, out, err } = await shell(powerless, { cwd: closed });
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err).toMatch(
        /^baton: .*ledger\.db cannot be read or written by this user \(\S+\), it belongs to \S+: run the same as that user, `sudo -u \S+ baton \.\.\.`\.\n$/,
      );
    },
  );
});
