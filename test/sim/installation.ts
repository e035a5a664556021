/** What outlives a daemon: its ledger, its WORKFLOW.md files, its workspaces, and how its disks and its tracker are. */
import { LedgerError } from "../../src/ledger/ledger-error.ts";
import { instant, type Instant } from "../../src/domain/time.ts";
import type { WorkflowName } from "../../src/domain/run.ts";
import { MemoryLedger } from "../../src/ledger/memory.ts";
import type { Policy } from "../../src/scheduler/state.ts";
import { WORKFLOWS, calmPolicy, type Habits } from "./config.ts";

export class Installation {
  readonly ledger: MemoryLedger;
  /** As last saved, when they can be read. */
  readonly policies = new Map<WorkflowName, Policy>();
  /** Workflows whose file cannot be read at the moment. */
  readonly broken = new Set<WorkflowName>();
  /** Workflows whose workspaces have too little room. */
  readonly low = new Set<WorkflowName>();
  /** Issues that have a workspace. */
  readonly workspaces = new Set<string>();
  readonly habits: Habits;
  /** The disk of the ledger takes nothing. */
  full = false;
  /** True time at which the tracker's outage ends. */
  outageUntil: Instant = instant(0);

  constructor(habits: Habits) {
    this.habits = habits;
    this.ledger = new MemoryLedger({ trouble: () => (this.full ? diskFull() : null) });
    for (const name of WORKFLOWS) this.policies.set(name, calmPolicy(name, habits));
  }
}

const diskFull = () => new LedgerError("full", ":memory:", "the disk is full", "free some space");
