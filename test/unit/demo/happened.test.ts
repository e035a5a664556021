import { expect, test } from "vitest";
import { bareCommand, changed, happened } from "../../../src/demo/happened.ts";
import { BoardStore } from "../../../src/demo/board/store.ts";
import type { BoardChange } from "../../../src/demo/board/entities.ts";
import type { FactBody } from "../../../src/domain/fact.ts";
import { failure } from "../../../src/domain/failure.ts";
import { noTokens } from "../../../src/domain/run.ts";
import { instant } from "../../../src/domain/time.ts";

const told = (body: FactBody) => happened({ ...body, identifier: "DEMO-1", at: instant(0) });

test("who watches sees the work and the trouble, and not what is for the log", () => {
  expect(told({ type: "agent_said", text: "Hello" })).toEqual({
    text: expect.stringContaining("Hello"),
    trouble: false,
  });
  expect(told({ type: "polled", candidates: 3, tookMs: 4 })).toBeNull();
  expect(told({ type: "poll_failed", kind: "tracker_status", error: "502", retryAt: null })?.trouble).toBe(
    true,
  );
  expect(told({ type: "agent_warned", message: "no plugin" })).toBeNull();
});

test("a thread that goes on is worth a word, a new one is not", () => {
  expect(told({ type: "thread_opened", resumed: true, why: null })).not.toBeNull();
  expect(told({ type: "thread_opened", resumed: false, why: null })).toBeNull();
});

test("the end of a run says how and why, without what it cost", () => {
  const ending = { outcome: "failed", failure: failure("port_exit", "It exited with code 1.") } as const;
  const text = told({ type: "run_ended", ending, turns: 2, tokens: noTokens, tookMs: 3_000 })?.text;
  expect(text).toMatch(/^run failed after .*: It exited with code 1\.$/);
  expect(text).not.toContain("token");
});

test.each([
  ["/bin/bash -lc './test.sh'", "./test.sh"],
  ["/usr/bin/sh -c ls", "ls"],
  [`/bin/bash -lc 'echo '"'"'hi'"'"''`, "echo 'hi'"],
  ["git status", "git status"],
])("of %s the command is shown without its shell", (command, bare) => {
  expect(bareCommand(command)).toBe(bare);
});

test("of the board, comments and moves are told, other edits are not", () => {
  const store = new BoardStore({}, () => new Date(0));
  const changes: BoardChange[] = [];
  store.subscribe((change) => changes.push(change));
  const { id } = store.add({ title: "T" });
  store.comment({ issueId: id, body: "First line\nsecond" });
  store.move(id, "Done");
  store.edit(id, { title: "Other" });
  const name = (state: string): string => store.state(state).name;
  expect(changes.map((change) => changed(change, name)?.text ?? null)).toEqual([
    null,
    "commented: First line",
    'moved from "Todo" to "Done"',
    null,
  ]);
});
