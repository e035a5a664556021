/**
 * What the suites about whole daemons share: a board and a ledger that go through many lives, agents that note what they
 * see (daemon-agent.ts), and programs that start fast.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DaemonRig, type Daemon, type WorkflowText } from "../lifecycle/daemon-rig.ts";
import { compiledOnce } from "./compiled.ts";
import { Witness } from "./daemon-witness.ts";

const program = fileURLToPath(new URL("daemon-main.ts", import.meta.url));
const agent = fileURLToPath(new URL("daemon-agent.ts", import.meta.url));

export const POLL_MS = 100;

/** Nothing of these tickets is ever put aside for having been tried often. */
export const NO_LIMITS = "max_runs_per_issue: 100000, max_idle_runs: 100000";

export class Ground {
  readonly rig: DaemonRig;
  readonly witness: Witness;
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;

  private constructor(rig: DaemonRig) {
    this.rig = rig;
    this.#folder = join(rig.workflow, "..", "agents");
    mkdirSync(this.#folder);
    this.#env = { NODE_COMPILE_CACHE: compiledOnce(program, this.#folder)["NODE_COMPILE_CACHE"] };
    compiledOnce(agent, this.#folder);
    this.#compile(rig.program, "--version");
    this.witness = new Witness(rig, this.#folder);
  }

  static async open(text: WorkflowText = {}): Promise<Ground> {
    const ground = new Ground(await DaemonRig.open());
    ground.write(text);
    return ground;
  }

  #compile(...args: readonly string[]): void {
    const { status } = spawnSync(process.execPath, args, {
      env: { ...process.env, ...this.#env },
      stdio: "ignore",
    });
    if (status !== 0) throw new Error(`${args.join(" ")} ended with ${String(status)}`);
  }

  write(text: WorkflowText, manner = ""): void {
    const cache = this.#env["NODE_COMPILE_CACHE"] ?? "";
    this.rig.write({
      agents: 4,
      pollMs: POLL_MS,
      command: `NODE_COMPILE_CACHE=${cache} ${process.execPath} ${agent} ${this.#folder} ${manner}`.trim(),
      prompt: "{{ issue.description }}",
      afterCreate: "true",
      ...text,
    });
  }

  /** A ticket whose agent does this in every turn. */
  ticket(script: string): string {
    const [labels, state] = [["baton"], "Todo"];
    return this.rig.board.store.add({ title: script, description: script, labels, state }).identifier;
  }

  close(name: string): void {
    this.rig.board.store.move(name, "Done");
  }

  /** The program as its users have it. */
  baton(): Daemon {
    return this.rig.launch({ env: this.#env });
  }

  /** The same, that can be told to die at a point, at once or later. */
  mortal(point?: string): Daemon {
    const args = point === undefined ? [this.rig.workflow] : [this.rig.workflow, point];
    return this.rig.launch({ program: [program, ...args], env: this.#env });
  }

  /** With garbage collection on demand, to see what is left. */
  measured(): Daemon {
    return this.rig.launch({ program: ["--expose-gc", program, this.rig.workflow], env: this.#env });
  }

  async end(): Promise<void> {
    await this.rig.close();
  }
}
