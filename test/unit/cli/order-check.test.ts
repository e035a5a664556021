import { expect, test } from "vitest";
import { notHeld, refusal } from "../../../src/cli/order-check.ts";
import { EVERYTHING } from "../../../src/domain/order.ts";
import { workflowName } from "../../../src/domain/run.ts";
import { instant } from "../../../src/domain/time.ts";
import { MemoryLedger } from "../../../src/ledger/memory.ts";

const release = (issue: string) => ({ type: "release", issue, addRuns: 0, addTokens: 0 }) as const;
const pause = (scope: string) =>
  ({ type: "pause", scope: workflowName(scope), why: "x", until: null }) as const;

/** A ledger of a daemon that has loaded one workflow and done nothing. */
function ledger() {
  const memory = new MemoryLedger();
  const [path, hash] = ["/srv/triage.md", "h"];
  memory.append({
    type: "workflow_loaded",
    workflow: workflowName("triage"),
    path,
    hash,
    warnings: [],
    at: instant(Date.now()),
  });
  return memory;
}

test("a release of a ticket that was never taken is refused", () => {
  expect(refusal(ledger(), release("LAB-999"), true)).toContain("no ticket LAB-999 was ever taken here");
});

test("a pause of a workflow that nobody knows is refused with the names that are known, where no daemon can be asked", () => {
  expect(refusal(ledger(), pause("typo"), false)).toBe(
    'no workflow called "typo" is known here; there is "triage".',
  );
  expect(refusal(ledger(), pause("triage"), false)).toBeNull();
  expect(refusal(ledger(), pause("typo"), true)).toBeNull();
});

test("a pause of everything and a drain are refused by nobody", () => {
  expect(refusal(ledger(), { type: "resume", scope: EVERYTHING }, false)).toBeNull();
  expect(refusal(ledger(), { type: "drain", why: "x" }, false)).toBeNull();
});

test("of a ticket that nothing holds is told why, and what takes it up", () => {
  const at = instant(0);
  const done = { at, runId: null, fact: { type: "released", why: "it is done", at } } as const;
  expect(notHeld({ identifier: "OPS-1", state: "Done" }, [done])).toBe(
    'nothing holds OPS-1 (last seen in "Done"), it was let go of because it is done: there is nothing to release, and it is taken up when the tracker shows it in an active state. `baton show OPS-1` asks.',
  );
  expect(notHeld({ identifier: "OPS-1", state: null }, [])).toMatch(/^nothing holds OPS-1: there is/);
});
