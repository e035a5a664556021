/**
 * What can be seen of a daemon from outside, before and after its death: its log, its ledger, the processes that carry its
 * mark, and what its agents wrote down. Each answer is a number of things that are not as promised.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { startTicks } from "../../processes.ts";
import type { FactType } from "../../../src/domain/fact.ts";
import type { Daemon, DaemonRig, Line } from "../../lifecycle/daemon-rig.ts";

/** Facts that are committed with the step they tell of. The others are written up to a second later. */
const COMMITTED: ReadonlySet<unknown> = new Set<FactType>([
  "claimed",
  "run_ended",
  "run_stopping",
  "retry_scheduled",
  "released",
  "parked",
  "unparked",
  "held",
  "hold_ended",
  "paused",
  "resumed",
  "draining",
  "daemon_stopping",
  "agent_launched",
  "thread_opened",
  "turn_started",
  "turn_ended",
  "usage",
  "agent_steered",
]);

interface Alive {
  readonly pid: number;
  /** Null of a command that only its thread's mark tells of. */
  readonly run: string | null;
}

export class Witness {
  readonly #rig: DaemonRig;
  readonly #folder: string;
  #installation: string | null = null;

  constructor(rig: DaemonRig, folder: string) {
    this.#rig = rig;
    this.#folder = folder;
  }

  /** Agents, hooks and commands of this ledger's runs, whosever they are. */
  alive(): readonly Alive[] {
    if (!existsSync(this.#rig.ledgerPath)) return [];
    this.#installation ??= this.#rig.ledger((ledger) => ledger.load().installation);
    const mark = new RegExp(`\\0BATON_(?:AGENT|RUN)=${this.#installation}\\.(r\\d+)\\0`);
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name): readonly Alive[] => {
        const [pid, environment] = [Number(name), `\0${environ(name)}`];
        const run = mark.exec(environment)?.[1];
        if (run !== undefined) return [{ pid, run }];
        const thread = threadMark.exec(environment)?.[1] ?? "";
        return thread !== "" && existsSync(join(this.#folder, `${thread}.json`)) ? [{ pid, run: null }] : [];
      });
  }

  /** Processes that are older than this daemon. It ends them before it says that it has started. */
  orphans({ child }: Daemon): number {
    const ticks = startTicks(child.pid ?? 0);
    return this.alive().filter(({ pid }) => (startTicks(pid) ?? Infinity) < (ticks ?? 0)).length;
  }

  /** Issues that have more than one run alive now. */
  doubled(): number {
    const runs = this.#runs();
    const issues = this.#rig.ledger((ledger) => runs.map((run) => ledger.run(run)?.identifier ?? run));
    return issues.length - new Set(issues).size;
  }

  /** How often an agent found another one in its workspace, ever. */
  met(): number {
    const notes = join(this.#folder, "doubled");
    return existsSync(notes) ? readFileSync(notes, "utf8").split("\n").length - 1 : 0;
  }

  /** What the log said of committed things that the ledger does not know. */
  lost(daemon: Daemon): number {
    const said = daemon.lines.filter(({ fact }) => COMMITTED.has(fact));
    const [first] = said;
    if (first === undefined) return 0;
    const kept = this.#ask("SELECT at, type, run_id FROM events WHERE at >= ?", timeOf(first)) as Kept[];
    const left = new Map<string, number>();
    for (const { at, type, run_id: run } of kept) add(left, `${at} ${type} ${run ?? ""}`, 1);
    return said.filter((line) => add(left, keyOf(line), -1) < 0).length;
  }

  /** Whether an agent was ever asked to go that does not. */
  askedStubborn(): boolean {
    return existsSync(join(this.#folder, "asked-to-go"));
  }

  openRuns(): number {
    return this.#rig.ledger((ledger) => ledger.runs({ outcome: "running", limit: 100 })).length;
  }

  runsEver(): number {
    return this.#rig.ledger((ledger) => ledger.load().runsEver);
  }

  /**
   * Tokens that runs were given more than their threads have used, and tokens that were told and not counted: a thread
   * whose last run came to its end by itself had told them all.
   */
  tokens(): { readonly twice: number; readonly untold: number } {
    const threads = this.#ask(
      `SELECT thread_id, sum(total_tokens) AS counted,
        (SELECT u.total_tokens FROM usage u WHERE u.thread_id = r.thread_id) AS mark,
        (SELECT l.outcome FROM runs l WHERE l.thread_id = r.thread_id ORDER BY l.rowid DESC LIMIT 1) AS outcome
      FROM runs r WHERE thread_id IS NOT NULL GROUP BY thread_id`,
    ) as Counted[];
    let [twice, untold] = [0, 0];
    for (const { thread_id: thread, counted, mark, outcome } of threads) {
      const { tokens } = JSON.parse(readFileSync(join(this.#folder, `${thread}.json`), "utf8")) as {
        tokens: number;
      };
      twice += Math.max(0, counted - Math.min(tokens, mark ?? 0));
      untold += Math.max(0, (outcome === "completed" ? tokens : (mark ?? 0)) - counted);
    }
    return { twice, untold };
  }

  #runs(): readonly string[] {
    return [...new Set(this.alive().flatMap(({ run }) => (run === null ? [] : [run])))];
  }

  #ask(sql: string, ...values: readonly unknown[]): readonly unknown[] {
    const db = new Database(this.#rig.ledgerPath, { readonly: true });
    try {
      return db.prepare(sql).all(...values);
    } finally {
      db.close();
    }
  }
}

const threadMark = /\0CODEX_THREAD_ID=([0-9a-f-]{36})\0/;

interface Kept {
  readonly at: number;
  readonly type: string;
  readonly run_id: string | null;
}

interface Counted {
  readonly thread_id: string;
  readonly counted: number;
  readonly mark: number | null;
  readonly outcome: string | null;
}

const timeOf = (line: Line): number => Date.parse(String(line["time"]));

const keyOf = (line: Line): string =>
  `${timeOf(line)} ${String(line["fact"])} ${typeof line["run_id"] === "string" ? line["run_id"] : ""}`;

function add(counts: Map<string, number>, key: string, by: number): number {
  const count = (counts.get(key) ?? 0) + by;
  counts.set(key, count);
  return count;
}

function environ(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    return "";
  }
}
