/** What befalls the machine and its network: full disks, clocks that jump, sleep, outages. */
import { instant } from "../../src/domain/time.ts";
import { duration } from "../../src/facts/words.ts";
import { WORKFLOWS } from "./config.ts";
import type { Counted } from "./figures.ts";
import { often, type Ground } from "./ground.ts";
import type { Installation } from "./installation.ts";
import type { People } from "./people.ts";
import type { Supervisor } from "./supervisor.ts";
import { DAY_MS, HOUR_MS } from "./timeline.ts";

interface Around {
  readonly ground: Ground;
  readonly installation: Installation;
  readonly supervisor: Supervisor;
  readonly people: People;
}

/** From now on these things happen, as often as the climate has it. */
export function misfortunes(around: Around): void {
  const { ground, supervisor } = around;
  often(ground, "killsPerDay", () => supervisor.daemon?.kill("is killed with SIGKILL"));
  often(ground, "fullPerDay", () => fill(around));
  often(ground, "lowPerDay", () => runLow(around));
  often(ground, "jumpsPerDay", () => jump(around));
  often(ground, "outagesPerDay", () => outage(around));
}

function fill({ ground, installation, people }: Around): void {
  const { random, timeline } = ground;
  befalls(ground, "ledgerDiskFull", "the disk of the ledger", "is full");
  installation.full = true;
  // Nothing moves, and people try what they can.
  for (const ms of [5_000, 20_000]) if (random.chance(0.5)) timeline.in(ms, () => people.order());
  timeline.in(random.spread(1_000, 2 * HOUR_MS), () => {
    installation.full = false;
  });
}

function runLow({ ground, installation: { low }, supervisor }: Around): void {
  const { random, timeline } = ground;
  const workflow = random.pick(WORKFLOWS);
  low.add(workflow);
  befalls(ground, "workspaceDiskLow", workflow, "has too little room for workspaces");
  supervisor.say({ type: "disk_checked", workflow, low: "the disk is nearly full" });
  timeline.in(random.spread(60_000, 4 * HOUR_MS), () => {
    if (low.delete(workflow)) supervisor.say({ type: "disk_checked", workflow, low: null });
  });
}

/** The machine sleeps, or its wall clock is set: to something wrong, or right again. A running daemon counts on. */
function jump({ ground }: Around): void {
  const { random, timeline } = ground;
  if (random.chance(0.3)) {
    const ms = random.spread(60_000, 10 * HOUR_MS);
    timeline.sleep(ms);
    return befalls(ground, "machineSlept", "the machine", `slept for ${duration(ms)}`);
  }
  const before = timeline.wrongBy;
  const aMoment = random.between(-60_000, 60_000);
  timeline.wrongBy = random.pick([0, 0, -HOUR_MS, HOUR_MS, -DAY_MS, DAY_MS, aMoment]);
  const ms = timeline.wrongBy - before;
  if (ms > 0) befalls(ground, "clockForward", "the wall clock", `is set forward by ${duration(ms)}`);
  if (ms < 0) befalls(ground, "clockBack", "the wall clock", `is set back by ${duration(-ms)}`);
}

function outage({ ground, installation }: Around): void {
  const { random, timeline } = ground;
  const ms = random.spread(60_000, 6 * HOUR_MS);
  installation.outageUntil = instant(timeline.true + ms);
  befalls(ground, "outages", "the tracker", `is out of order for ${duration(ms)}`);
}

function befalls({ figures, tell }: Ground, counted: Counted, who: string, words: string): void {
  figures.add(counted);
  tell("fault", who, () => words);
}
