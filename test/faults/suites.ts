/** All fault suites, in the order in which they are best run: the long ones first. */
import { f1 } from "./ledger/killed-writer.ts";
import { f2 } from "./daemon/killed-daemon.ts";
import { f3 } from "./daemon/killed-at-points.ts";
import { f5 } from "./ledger/full-disk.ts";
import { f6 } from "./ledger/damage.ts";
import { f7 } from "./ledger/other-programs.ts";
import { f8 } from "./agent/any-message.ts";
import { f9 } from "./tracker/spoiled-answers.ts";
import { f10 } from "./tracker/refusal-storm.ts";
import { f14 } from "./agent/processes-that-stay.ts";
import { f15 } from "./agent/dying-agents.ts";
import { f18 } from "./daemon/stops.ts";
import { f19 } from "./daemon/simulated-days.ts";
import { f20 } from "./daemon/soak.ts";
import { f21 } from "./ledger/killed-migrations.ts";
import { f23 } from "./workspace/hostile-workspaces.ts";
import { f24 } from "./workflow/wrong-saves.ts";
import type { Suite } from "./suite.ts";

export const suites: readonly Suite[] = [
  f20,
  f2,
  f18,
  f3,
  f8,
  f1,
  f9,
  f23,
  f21,
  f19,
  f14,
  f6,
  f24,
  f15,
  f5,
  f10,
  f7,
];
