/**
 * The whole thing as its users have it: the program as a process, a Linear-compatible board and a scripted model on
 * loopback, and the real codex between them. Tests wait for facts in the program's own log, never for a time.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { startBoard, type Board } from "../../src/demo/board/board.ts";
import { openLedgerReadOnly } from "../../src/ledger/sqlite.ts";
import type { LedgerReader } from "../../src/ledger/port.ts";
import { fastStart, program as programOf } from "../programs.ts";
import { binary, openRig, type Rig } from "../contract/codex-rig.ts";

const program = programOf("src/main.ts");

/** Longer than anything here takes on a busy machine; a wait that ends by it is a failed test. */
const PATIENCE_MS = 20_000;

/** One line of the JSON log. */
export type Line = Readonly<Record<string, unknown>>;

export interface WorkflowText {
  readonly agents?: number;
  readonly maxTurns?: number;
  /** The agent; the real codex when left out. */
  readonly command?: string;
  /** The hook that fills a new workspace; a fresh git repository when left out. */
  readonly afterCreate?: string;
  readonly hookTimeoutMs?: number;
  /** Nothing asks for room when left out: how full the test machine is must not matter. */
  readonly minFreeBytes?: number;
  /** The default is not that of a person: a busy test machine needs more than five seconds. */
  readonly readTimeoutMs?: number;
  readonly pollMs?: number;
  /** YAML under `codex`, and under `agent`. */
  readonly codex?: string;
  readonly agent?: string;
  readonly prompt?: string;
  /** YAML added at the top level. */
  readonly extra?: string;
}

/** How the program is started, where it is not as its users start it. */
export interface Launch {
  /** Another program than Baton's own, with its arguments. */
  readonly program?: readonly [file: string, ...args: string[]];
  readonly env?: NodeJS.ProcessEnv;
}

export class DaemonRig {
  readonly program = program;
  readonly rig: Rig;
  readonly board: Board;
  readonly workflow: string;
  readonly #ground: string;
  readonly #daemons = new Set<Daemon>();

  private constructor(rig: Rig, board: Board, ground: string) {
    this.rig = rig;
    this.board = board;
    this.#ground = ground;
    this.workflow = join(ground, "WORKFLOW.md");
  }

  static async open(): Promise<DaemonRig> {
    const rig = await openRig();
    const board = await startBoard({ apiKey: "lin_api_lifecycle_test_key" });
    const ground = rig.workspace("ground", { git: false });
    mkdirSync(join(ground, "workspaces"));
    return new DaemonRig(rig, board, ground);
  }

  /** Writes WORKFLOW.md: fast polls, a git repository in each workspace. */
  write({
    agents = 3,
    maxTurns = 3,
    prompt = "Work on {{ issue.identifier }} {{ issue.id }}.",
    extra = "",
    command = `${binary} app-server`,
    afterCreate = "git init --quiet --initial-branch=main\ngit config user.name Agent\ngit config user.email agent@baton.invalid",
    codex = "",
    agent = "",
    pollMs = 200,
    hookTimeoutMs = 20_000,
    minFreeBytes = 0,
    readTimeoutMs = 20_000,
  }: WorkflowText = {}): void {
    writeFileSync(
      this.workflow,
      `---
tracker:
  kind: linear
  endpoint: ${this.board.url}
  project_slug: demo
  required_labels: [baton]
polling:
  interval_ms: ${pollMs}
workspace:
  root: ./workspaces
  min_free_bytes: ${minFreeBytes}
hooks:
  after_create: |
    ${afterCreate.replaceAll("\n", "\n    ")}
  timeout_ms: ${hookTimeoutMs}
agent:
  max_concurrent_agents: ${agents}
  max_turns: ${maxTurns}
  ${agent}
codex:
  command: ${command}
  read_timeout_ms: ${readTimeoutMs}
  ${codex}
${extra}
---
${prompt}
`,
    );
  }

  workspace(identifier: string): string {
    return join(this.#ground, "workspaces", identifier);
  }

  /** Starts the program on the workflow; resolves when it has said that it started. */
  async start(launch?: Launch): Promise<Daemon> {
    const daemon = this.launch(launch);
    await daemon.said("daemon_started");
    return daemon;
  }

  /** Starts the program, and waits for nothing. Another program than Baton's own has a channel to its parent. */
  launch({ program: other, env }: Launch = {}): Daemon {
    const own = [program, "run", this.workflow, "--log-format", "json", "--log-level", "debug"];
    const child = spawn(process.execPath, other ?? own, {
      cwd: this.#ground,
      env: { ...this.rig.env, ...fastStart, LINEAR_API_KEY: this.board.apiKey, ...env },
      stdio: ["ignore", "inherit", "pipe", ...(other === undefined ? [] : ["ipc" as const])],
    });
    const daemon = new Daemon(child);
    this.#daemons.add(daemon);
    void daemon.exit.then(() => this.#daemons.delete(daemon));
    return daemon;
  }

  get ledgerPath(): string {
    return join(dirname(this.workflow), ".baton", "ledger.db");
  }

  hasLedger(): boolean {
    return existsSync(this.ledgerPath);
  }

  /** Asks the ledger, as `baton runs` does. */
  ledger<T>(question: (ledger: LedgerReader) => T): T {
    const ledger = openLedgerReadOnly(this.ledgerPath);
    try {
      return question(ledger);
    } finally {
      ledger.close();
    }
  }

  /** State of a ticket on the board, by name. */
  state(identifier: string): string {
    const { stateId } = this.board.store.issue(identifier);
    return this.board.store.states.find(({ id }) => id === stateId)?.name ?? "";
  }

  /** Resolves when the board shows this ticket in this state. */
  async reached(identifier: string, state: string): Promise<void> {
    if (this.state(identifier) === state) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const end = this.board.store.subscribe(() => this.state(identifier) === state && resolve());
    const timer = setTimeout(() => reject(new Error(`${identifier} did not reach ${state}`)), PATIENCE_MS);
    await promise.finally(() => {
      clearTimeout(timer);
      end();
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#daemons].map((daemon) => daemon.kill()));
    await this.board.close();
    await this.rig.close();
  }
}

/** The running program. */
export class Daemon {
  readonly child: ChildProcess;
  /** On the clock of `performance.now()`. */
  readonly launchedAt = performance.now();
  readonly lines: Line[] = [];
  /** Lines that were no JSON: a crash, or a word to the person who started it. */
  readonly noise: string[] = [];
  /** The exit code, when it has ended. */
  readonly exit: Promise<number | null>;
  readonly #listeners = new Set<() => void>();

  constructor(child: ChildProcess) {
    this.child = child;
    this.exit = once(child, "exit").then(([code]) => code as number | null);
    if (child.stderr !== null)
      createInterface({ input: child.stderr }).on("line", (text) => this.#heard(text));
    void this.exit.then(() => this.#tell());
  }

  /** The first line about this fact (and this ticket, and whatever else must hold), past or to come. */
  async said(fact: string, match: (line: Line) => boolean = () => true): Promise<Line> {
    const find = (): Line | undefined => this.lines.find((line) => line["fact"] === fact && match(line));
    return this.until(find, `the fact ${fact}`);
  }

  /** Resolves to what is looked for, as soon as a line of the log lets it be found. `what` names it for the failure. */
  async until<T>(find: () => T | undefined, what: string, ms = PATIENCE_MS): Promise<T> {
    const found = find();
    if (found !== undefined) return found;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const look = (): void => {
      const there = find();
      if (there !== undefined) resolve(there);
      else if (this.#hasEnded()) reject(new Error(`${what} never came: it exited.\n${this.#tail()}`));
    };
    this.#listeners.add(look);
    const late = (): void => reject(new Error(`${what} did not come within ${ms} ms.\n${this.#tail()}`));
    const timer = setTimeout(late, ms);
    if (this.#hasEnded()) look();
    return promise.finally(() => {
      clearTimeout(timer);
      this.#listeners.delete(look);
    });
  }

  /** Asks it to stop; resolves with the exit code. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    this.child.kill(signal);
    return this.exit;
  }

  async kill(): Promise<void> {
    if (!this.#hasEnded()) this.child.kill("SIGKILL");
    await this.exit;
  }

  #heard(text: string): void {
    try {
      this.lines.push(JSON.parse(text) as Line);
    } catch {
      this.noise.push(text);
    }
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  #hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  #tail(): string {
    return [...this.noise, ...this.lines.slice(-15).map((line) => JSON.stringify(line))].join("\n");
  }
}

/** Whether a log line is about this ticket. */
export const of =
  (identifier: string, more: (line: Line) => boolean = () => true) =>
  (line: Line): boolean =>
    line["issue_identifier"] === identifier && more(line);
