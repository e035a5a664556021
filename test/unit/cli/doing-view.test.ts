import { expect, test } from "vitest";
import { doingLines, doingNow } from "../../../src/cli/doing-view.ts";
import { runId } from "../../../src/domain/run.ts";
import { after } from "../../../src/domain/time.ts";
import type { Heartbeat } from "../../../src/ledger/heartbeat.ts";
import { madeIssue, madeRunning, madeWaiting } from "../scheduler/made.ts";
import { now } from "./history.ts";

const running = madeRunning(madeIssue("A-1"));
const work = [{ what: "$ npm test", since: after(now, -123_000) }];
const heartbeat = (run = running.run.id, at = now): Heartbeat => ({
  at,
  beat: { pid: 1, phase: "serving", stuck: null, workflows: [], underWay: [{ run, work }] },
});

test("what an agent does just now is shown with its age", () => {
  const found = doingNow(running, heartbeat());
  expect(found === null ? [] : doingLines(found, now)).toEqual(["$ npm test, for 2m03s"]);
});

test("of a daemon that is stopped or hangs it is shown as it was last heard", () => {
  const at = after(now, -60_000);
  const found = doingNow(running, heartbeat(running.run.id, at));
  expect(found === null ? [] : doingLines(found, now)).toEqual([
    "$ npm test, for 1m03s (as of 1 min ago, when the daemon was last heard)",
  ]);
});

test("nothing is under way without a daemon, in another run, or in a ticket that does not run", () => {
  expect(doingNow(running, null)).toBeNull();
  expect(doingNow(running, { at: now, beat: null })).toBeNull();
  expect(doingNow(running, heartbeat(runId("r99")))).toBeNull();
  expect(doingNow(madeWaiting(madeIssue("A-1")), heartbeat())).toBeNull();
  expect(doingNow(null, heartbeat())).toBeNull();
});
