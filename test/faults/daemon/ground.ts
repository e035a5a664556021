/**
 * What the suites about whole daemons share: a board and a ledger that go through many lives, agents that note what they
 * see (agent.ts).
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DaemonRig, type Daemon, type WorkflowText } from "../../lifecycle/daemon-rig.ts";
import { fastStart, program } from "../../programs.ts";
import { Witness } from "./witness.ts";

const main = program("test/faults/daemon/main.ts");
const agent = program("test/faults/daemon/agent.ts");

export const POLL_MS = 100;

/** Nothing of these tickets is ever put aside for having been tried often. */
export const NO_LIMITS = "max_runs_per_issue: 100000, max_idle_runs: 100000";

export class Ground {
  readonly rig: DaemonRig;
  readonly witness: Witness;
  readonly #folder: string;

  private constructor(rig: DaemonRig) {
    this.rig = rig;
    this.#folder = join(rig.workflow, "..", "agents");
    mkdirSync(this.#folder);
    this.witness = new Witness(rig, this.#folder);
  }

  static async open(text: WorkflowText = {}): Promise<Ground> {
    const ground = new Ground(await DaemonRig.open());
    ground.write(text);
    return ground;
  }

  write(text: WorkflowText, manner = ""): void {
    this.rig.write({
      agents: 4,
      pollMs: POLL_MS,
      command:
        `NODE_COMPILE_CACHE=${fastStart.NODE_COMPILE_CACHE} ${process.execPath} ${agent} ${this.#folder} ${manner}`.trim(),
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

  /** One that waits for another ticket to be done. */
  blocked(script: string, by: string): string {
    const { store } = this.rig.board;
    const issue = store.add({ title: script, description: script, labels: ["baton"], state: "Backlog" });
    store.relate({ type: "blocks", issueId: by, relatedIssueId: issue.id });
    return store.move(issue.identifier, "Todo").identifier;
  }

  close(name: string): void {
    this.rig.board.store.move(name, "Done");
  }

  /** The program as its users have it. */
  baton(): Daemon {
    return this.rig.launch();
  }

  /** The same, that can be told to die at a point, at once or later. */
  mortal(point?: string): Daemon {
    const args = point === undefined ? [this.rig.workflow] : [this.rig.workflow, point];
    return this.rig.launch({ program: [main, ...args] });
  }

  /** With garbage collection on demand, to see what is left. */
  measured(): Daemon {
    return this.rig.launch({ program: ["--expose-gc", main, this.rig.workflow] });
  }

  async end(): Promise<void> {
    await this.rig.close();
  }
}
