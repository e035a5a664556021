/** A workflow file on the disk and the part of the daemon that watches it, with the facts that come of each look. */
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Fact } from "../../../src/domain/fact.ts";
import { workflowName } from "../../../src/domain/run.ts";
import type { Workflow } from "../../../src/domain/settings.ts";
import { instant } from "../../../src/domain/time.ts";
import { Workflows } from "../../../src/daemon/workflows.ts";
import { MemoryLedger } from "../../../src/ledger/memory.ts";
import { WorkflowFile } from "../../../src/workflow/workflow.ts";
import { secrets, withKeys } from "./case.ts";

const name = workflowName("WORKFLOW");

export class World {
  readonly directory = mkdtempSync(join(tmpdir(), "baton-reload-"));
  readonly file = join(this.directory, "WORKFLOW.md");
  readonly #facts: Fact[] = [];
  readonly #workflows: Workflows;
  #onFact: (fact: Fact) => void = () => {};

  constructor() {
    writeFileSync(this.file, withKeys(1));
    const env = { ...secrets, EMPTY: "", TMPDIR: "/var/tmp" };
    const now = () => instant(0);
    this.#workflows = new Workflows([new WorkflowFile(this.file, env, "/home/ann")], {
      clock: { now, alarm: () => ({ ringAt: () => {} }) },
      ledger: new MemoryLedger(),
      publish: (fact) => {
        this.#facts.push(fact);
        this.#onFact(fact);
      },
      dispatch: () => {},
      onLoaded: () => {},
    });
  }

  current(): Workflow {
    return this.#workflows.current(name);
  }

  /** What every tick does; answers the facts it published. */
  tick(): readonly Fact[] {
    this.#facts.length = 0;
    this.#workflows.check(name);
    return [...this.#facts];
  }

  /** Watches the file, as the daemon does, until `work` is over. */
  async watching(work: (next: () => Promise<Fact>) => Promise<void>): Promise<void> {
    await this.#workflows.start(new Map());
    try {
      await work(() => {
        const { promise, resolve } = Promise.withResolvers<Fact>();
        this.#onFact = resolve;
        return promise;
      });
    } finally {
      await this.#workflows.stop();
      this.#onFact = () => {};
    }
  }

  end(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

export const hashOf = (content: Buffer | string): string =>
  createHash("sha256").update(content).digest("hex");
