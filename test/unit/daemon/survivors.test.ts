import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterEach, expect, test } from "vitest";
import { killQuietly } from "../../../src/processes/kill.ts";
import { Census } from "../../../src/processes/census.ts";
import { machine } from "../../../src/processes/machine.ts";
import { ps } from "../../../src/processes/ps.ts";
import { endSurvivors } from "../../../src/daemon/survivors.ts";
import { noTokens, runId, threadId, workflowName } from "../../../src/domain/run.ts";
import { issueId } from "../../../src/domain/issue.ts";
import { instant } from "../../../src/domain/time.ts";
import type { OpenRun } from "../../../src/ledger/port.ts";
import { eventually } from "../../eventually.ts";
import { markedProcesses, shownProcesses, startTicks } from "../../processes.ts";

/** Unique to this test process: nothing else on the machine carries it. */
const ours = `ours${process.pid}`;
const theirs = `theirs${process.pid}`;
const everything = `SURVIVORS_TEST=${process.pid}`;
const hurried = { termMs: 300, killMs: 5_000 };

const children: ChildProcess[] = [];
afterEach(async () => {
  for (const pid of markedProcesses([everything])) killQuietly(pid, "SIGKILL");
  await Promise.all(
    children.splice(0).map(async (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    }),
  );
});

/** Runs a line of shell, in a group of its own, with these entries in its environment besides the test's mark. */
function shell(line: string, env: Record<string, string>): ChildProcess {
  const child = spawn("bash", ["-c", line], {
    env: { PATH: process.env["PATH"] ?? "", SURVIVORS_TEST: String(process.pid), ...env },
    stdio: "ignore",
    detached: true,
  });
  children.push(child);
  return child;
}

const marked = (run: string, installation = ours): Record<string, string> => ({
  BATON_RUN: `${installation}.${run}`,
});

const aliveCount = (): number => markedProcesses([everything]).length;

/** Waits until so many processes of this test run. */
const running = (count: number): Promise<void> =>
  eventually(() => expect(aliveCount()).toBeGreaterThanOrEqual(count));

const openRun = (more: Partial<OpenRun>): OpenRun => ({
  runId: runId("r1"),
  issueId: issueId("issue-1"),
  identifier: "MT-1",
  workflow: workflowName("main"),
  startedAt: instant(1),
  pid: null,
  startTicks: null,
  bootId: null,
  workspace: null,
  thread: null,
  turns: 0,
  tokens: noTokens,
  threadTotal: noTokens,
  ...more,
});

/** Ends the survivors of our installation; how many there were. None may be left. */
async function ended(open: readonly OpenRun[]): Promise<number> {
  const survivors = await endSurvivors(ours, open, hurried);
  expect(survivors.left).toEqual([]);
  return survivors.ended;
}

test("nothing is ended where nothing was left, and nothing waited for", async () => {
  // Longer than a test may take.
  const patient = { termMs: 600_000, killMs: 600_000 };
  expect(await endSurvivors(ours, [], patient)).toEqual({ ended: 0, left: [] });
});

test("everything that a killed daemon leaves behind is ended, however it tried to get away", async () => {
  // A daemon, its agents, and what those started: sessions of their own, twice forked, deaf to SIGTERM, without streams.
  const daemon = shell(
    `sleep 600 &
     setsid sleep 601 &
     (setsid bash -c 'trap "" TERM HUP INT; exec >&- 2>&- <&-; while :; do sleep 602; done' &) &
     (bash -c '(setsid nohup sleep 603 &)' &)
     bash -c 'trap "bash -c \\"trap : TERM; sleep 604\\" &" TERM; while :; do sleep 0.05; done' &
     wait`,
    marked("r1"),
  );
  await running(8);
  daemon.kill("SIGKILL");
  await once(daemon, "exit");
  expect(aliveCount()).toBeGreaterThanOrEqual(6);
  expect(await ended([])).toBeGreaterThanOrEqual(6);
  expect(aliveCount()).toBe(0);
});

test("processes of another installation, and of nobody, are left alone", async () => {
  const [other, longer, nobody, ofOurs] = [
    shell("sleep 600", marked("r1", theirs)),
    // Its name only begins as ours does.
    shell("sleep 600", { BATON_RUN: `${ours}2.r1` }),
    shell("sleep 600", { OTHER: `BATON_RUN=${ours}.r1` }),
    shell("sleep 600", marked("r7")),
  ];
  await running(4);
  expect(await ended([])).toBe(1);
  await eventually(() => expect(ofOurs.signalCode).toBe("SIGTERM"));
  for (const child of [other, longer, nobody]) expect(startTicks(child.pid ?? 0)).not.toBeNull();
});

test("a command of an open run's thread is found when its environment was made anew", async () => {
  shell("sleep 600", { CODEX_THREAD_ID: `thread-${ours}` });
  const other = shell("sleep 600", { CODEX_THREAD_ID: `thread-${theirs}` });
  await running(2);
  expect(await ended([openRun({ thread: threadId(`thread-${ours}`) })])).toBe(1);
  expect(startTicks(other.pid ?? 0)).not.toBeNull();
});

test("what hangs on a survivor goes with it, even without any mark", async () => {
  const child = shell(
    "env -i setsid sleep 600 & trap 'exit 0' TERM; while :; do sleep 0.05; done",
    marked("r1"),
  );
  await running(2);
  const bare = await eventually(() => {
    const found = shownProcesses().find(
      ({ parent, command }) => parent === child.pid && command.includes("600"),
    );
    expect(found).toBeDefined();
    return found?.pid ?? 0;
  });
  expect(await ended([])).toBeGreaterThanOrEqual(2);
  expect(startTicks(bare)).toBeNull();
});

test("a recorded process is ended only when start time and boot agree: a number alone may be another's", async () => {
  const child = shell("sleep 600", {});
  await running(1);
  const pid = child.pid ?? 0;
  const ticks = startTicks(pid);
  const lookalikes = [
    openRun({ pid, startTicks: ticks, bootId: "another boot" }),
    openRun({ pid, startTicks: ticks, bootId: null }),
    openRun({ pid, startTicks: (ticks ?? 0) + 1, bootId: machine.bootId() }),
    openRun({ pid, startTicks: null, bootId: machine.bootId() }),
  ];
  expect(await ended(lookalikes)).toBe(0);
  expect(startTicks(pid)).toBe(ticks);
  expect(await ended([openRun({ pid, startTicks: ticks, bootId: machine.bootId() })])).toBe(1);
  expect(startTicks(pid)).toBeNull();
});

test("who forks while being ended is ended too", async () => {
  shell("trap '' TERM; while :; do sleep 600 & sleep 0.005; done", marked("r1"));
  await running(20);
  await endSurvivors(ours, [], { termMs: 50, killMs: 8_000 });
  expect(aliveCount()).toBe(0);
}, 20_000);

test("what will not end in the time there is for it is said to be left", async () => {
  const child = shell("trap '' TERM; while :; do sleep 600; done", marked("r1"));
  await running(2);
  const { left } = await endSurvivors(ours, [], { termMs: 50, killMs: 0 });
  expect(left).toContain(child.pid);
});

test("those that started this daemon are spared, though they carry the mark", async () => {
  const script = `import { endSurvivors } from ${JSON.stringify(new URL("../../../src/daemon/survivors.ts", import.meta.url).pathname)};
    process.exitCode = (await endSurvivors(${JSON.stringify(ours)}, [])).ended === 0 ? 0 : 1;`;
  const child = shell(`"${process.execPath}" --input-type=module -e '${script}'; exit $?`, marked("r1"));
  expect(await once(child, "exit")).toEqual([0, null]);
});

test("survivors are found by ps as well, by mark and by what was recorded", async () => {
  const byPs = new Census(ps(process.platform === "linux" ? "procps" : "bsd"));
  const [marks, other, recorded] = [
    shell("setsid sleep 601 & sleep 600; :", marked("r1")),
    shell("exec sleep 600", marked("r1", theirs)),
    shell("exec sleep 600", {}),
  ];
  await running(5);
  const pid = recorded.pid ?? 0;
  const [bootId, startTicks] = [byPs.bootId(), byPs.startOf(pid)];
  // Their starts are counted in something else: nothing that was recorded by the other way is taken for one of these.
  const byProc = openRun({ pid: other.pid ?? 0, startTicks, bootId: machine.bootId() });
  const open = [openRun({ pid, startTicks, bootId }), ...(machine.source === "/proc" ? [byProc] : [])];
  const { ended, left } = await endSurvivors(ours, open, hurried, byPs);
  expect({ ended, left }).toEqual({ ended: 4, left: [] });
  expect([marks, other, recorded].map((child) => byPs.startOf(child.pid ?? 0) !== null)).toEqual([
    false,
    true,
    false,
  ]);
});
