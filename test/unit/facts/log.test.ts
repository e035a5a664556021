import { EventEmitter } from "node:events";
import { closeSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import type { Fact } from "../../../src/domain/fact.ts";
import { Facts } from "../../../src/facts/bus.ts";
import { createLog } from "../../../src/facts/log.ts";
import { Redactor } from "../../../src/facts/redact.ts";
import { at, samples, scope } from "./samples.ts";

function paper() {
  const lines: string[] = [];
  return { lines, stream: { write: (line: string) => lines.push(line) } };
}

function logged(facts: readonly Fact[], options: Partial<Parameters<typeof createLog>[0]> = {}): string[] {
  const { lines, stream } = paper();
  const log = createLog({ pretty: false, level: "debug", stream, ...options });
  for (const fact of facts) log(fact);
  return lines;
}

const claimed: Fact = { type: "claimed", state: "Todo", attempt: null, kind: "first", ...scope, at };
const codeError = (code: string): Error => Object.assign(new Error(`${code}: write`), { code });

test("JSON: one object per fact, with its time, level, ids and words", () => {
  const [line = ""] = logged([claimed]);
  expect(JSON.parse(line)).toEqual({
    level: "info",
    time: "2031-05-09T08:00:00.000Z",
    fact: "claimed",
    workflow: "main",
    issue_id: "issue-12",
    issue_identifier: "MT-12",
    run_id: "r7",
    thread_id: "0199-thread",
    session_id: "0199-thread-0199-turn",
    state: "Todo",
    attempt: null,
    kind: "first",
    msg: 'claimed in state "Todo": first run',
  });
});

test("JSON: every fact is exactly one line, with names in snake_case", () => {
  const lines = logged(samples);
  expect(lines).toHaveLength(samples.length);
  for (const line of lines) {
    expect(line).toMatch(/^\{.*\}\n$/);
    const { limits: _limits, ...fields } = JSON.parse(line) as Record<string, unknown>;
    expect(JSON.stringify(fields)).not.toMatch(/"[a-z_]*[A-Z][A-Za-z]*":/);
  }
});

test("JSON: a flood of output is a line of bounded length", () => {
  const output = "x".repeat(500_000);
  const flood = {
    type: "command_ran",
    command: "yes",
    status: "failed",
    exitCode: 1,
    tookMs: 1,
    output,
    at,
  } as const;
  const [line = ""] = logged([flood]);
  expect(line.length).toBeLessThan(5_000);
});

test("readable: time, level, whom it is about, words; no ids that nobody reads", () => {
  expect(logged([claimed], { pretty: true })).toEqual([
    '2031-05-09T08:00:00Z info  MT-12 r7 claimed in state "Todo": first run\n',
  ]);
  expect(logged([{ type: "hold_ended", at }], { pretty: true })).toEqual([
    "2031-05-09T08:00:00Z info  runs start again\n",
  ]);
});

test("readable: what is about a workflow and no issue names the workflow", () => {
  const line = { type: "hold_ended", at, workflow: scope.workflow } as const;
  expect(logged([line], { pretty: true })).toEqual(["2031-05-09T08:00:00Z info  (main) runs start again\n"]);
});

test("readable: colours only when asked for, and then only around the same text", () => {
  const [plain = ""] = logged([claimed], { pretty: true });
  const [coloured = ""] = logged([claimed], { pretty: true, colour: true });
  expect(plain).not.toContain("\u001b");
  expect(coloured).toContain("\u001b[32m");
  expect(stripVTControlCharacters(coloured)).toBe(plain);
});

test("readable: a terminal gets colours unless NO_COLOR is set", () => {
  const before = process.env["NO_COLOR"];
  onTestFinished(() => {
    if (before === undefined) delete process.env["NO_COLOR"];
    else process.env["NO_COLOR"] = before;
  });
  const terminal = () => ({ ...paper(), isTTY: true });
  const line = (): string => {
    const { lines, stream } = terminal();
    createLog({ pretty: true, level: "info", stream: { ...stream, isTTY: true } as typeof stream })(claimed);
    return lines.join("");
  };
  process.env["NO_COLOR"] = "1";
  expect(line()).not.toContain("\u001b");
  process.env["NO_COLOR"] = "";
  expect(line()).toContain("\u001b");
});

test("readable: nothing an agent writes can move the cursor or start a line", () => {
  const evil = "\u001b[2J\u001b[Hroot#\u0007\r\nfake line\u009b31m";
  const lines = logged([{ type: "agent_said", text: evil, ...scope, identifier: `MT\u001b[1A-1\n`, at }], {
    pretty: true,
  });
  expect(lines).toHaveLength(1);
  // oxlint-disable-next-line no-control-regex
  expect(lines[0]?.slice(0, -1)).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
});

test("facts below the level are not logged", () => {
  const facts: Fact[] = [
    { type: "turn_started", turn: 1, at },
    { type: "warning", message: "w", at },
    { type: "workflow_rejected", path: "p", error: "e", at },
  ];
  expect(logged(facts, { level: "warn" }).map((line) => (JSON.parse(line) as { fact: string }).fact)).toEqual(
    ["warning", "workflow_rejected"],
  );
});

test("a line is in the file when the log returns", () => {
  const path = join(tmpdir(), `log-${process.pid}.txt`);
  const fd = openSync(path, "w");
  onTestFinished(() => rmSync(path));
  const log = createLog({ pretty: true, level: "info", fd });
  log(claimed);
  expect(readFileSync(path, "utf8")).toMatch(/claimed in state/);
  closeSync(fd);
});

test("a sink that is gone or full never stops the daemon: the others are told once", () => {
  for (const code of ["EPIPE", "ENOSPC"]) {
    const facts = new Facts(new Redactor());
    const heard: string[] = [];
    const sink = {
      write: () => {
        throw codeError(code);
      },
    };
    facts.subscribe(createLog({ pretty: false, level: "info", stream: sink }));
    facts.subscribe((fact) => void (fact.type === "warning" && heard.push(fact.message)));
    for (let n = 0; n < 3; n += 1) facts.publish(claimed);
    expect(heard).toEqual([expect.stringMatching(new RegExp(`^the log fails.*${code}`))]);
  }
});

test("a stream that reports its error later is a failure of the next line, not of the process", () => {
  const stream = Object.assign(new EventEmitter(), { write: () => true });
  const log = createLog({ pretty: true, level: "info", stream });
  log(claimed);
  stream.emit("error", codeError("EPIPE"));
  expect(() => log(claimed)).toThrow(/the stream takes no lines: EPIPE/);
  log(claimed);
});
