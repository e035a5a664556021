/** All fault suites, in the order in which they are best run: the long ones first. */
import { killedWriter } from "./ledger/killed-writer.ts";
import { killedDaemon } from "./daemon/killed-daemon.ts";
import { killedAtPoints } from "./daemon/killed-at-points.ts";
import { fullDisk } from "./ledger/full-disk.ts";
import { damagedLedger } from "./ledger/damage.ts";
import { otherPrograms } from "./ledger/other-programs.ts";
import { anyMessage } from "./agent/any-message.ts";
import { spoiledAnswers } from "./tracker/spoiled-answers.ts";
import { refusalStorm } from "./tracker/refusal-storm.ts";
import { processesThatStay } from "./agent/processes-that-stay.ts";
import { dyingAgents } from "./agent/dying-agents.ts";
import { stopsAtAnyMoment } from "./daemon/stops.ts";
import { simulatedDays } from "./daemon/simulated-days.ts";
import { longWork } from "./daemon/soak.ts";
import { killedMigrations } from "./ledger/killed-migrations.ts";
import { hostileWorkspaces } from "./workspace/hostile-workspaces.ts";
import { wrongSaves } from "./workflow/wrong-saves.ts";
import type { Suite } from "./suite.ts";

export const suites: readonly Suite[] = [
  longWork,
  killedDaemon,
  stopsAtAnyMoment,
  killedAtPoints,
  anyMessage,
  killedWriter,
  spoiledAnswers,
  hostileWorkspaces,
  killedMigrations,
  simulatedDays,
  processesThatStay,
  damagedLedger,
  wrongSaves,
  dyingAgents,
  fullDisk,
  refusalStorm,
  otherPrograms,
];
