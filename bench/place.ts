/** A directory of its own for one daemon: WORKFLOW.md, home, workspaces, ledger, log. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const agent = fileURLToPath(new URL("./light-agent/agent.sh", import.meta.url));

export interface PlaceOptions {
  readonly boardPort: number;
  /** What the light agent does; see light-agent/agent.sh. */
  readonly agent: "work" | "quiet" | `flood ${string} ${number}` | `count ${number}`;
  readonly agentsMax: number;
  readonly pollMs: number;
  /** So many issues in Todo at most, where the board has all of its own; without it there is no limit per state. */
  readonly todoMax?: number;
}

export class Place {
  readonly directory = mkdtempSync(join(tmpdir(), "baton-bench-"));
  readonly workflow = join(this.directory, "WORKFLOW.md");
  readonly home = join(this.directory, "home");
  /** Not beside WORKFLOW.md: whatever is written there wakes its watcher. */
  readonly log = join(this.home, "daemon.log");
  readonly ledger = join(this.directory, ".baton", "ledger.db");

  constructor(options: PlaceOptions) {
    // Empty, so that no login profile of whoever runs this is measured.
    mkdirSync(this.home);
    this.set(options);
  }

  /** For the next daemon here. */
  set(options: PlaceOptions): void {
    writeFileSync(this.workflow, workflow(options));
  }

  remove(): void {
    // An agent that is just ending may still write.
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

const workflow = (options: PlaceOptions): string => `---
name: bench
tracker:
  kind: linear
  endpoint: http://127.0.0.1:${options.boardPort}/graphql
  api_key: $LINEAR_API_KEY
  project_slug: bench
  required_labels: [agent]
  active_states: [Todo, In Progress]
  terminal_states: [Done, Canceled]
polling:
  interval_ms: ${options.pollMs}
workspace:
  root: workspaces
agent:
  max_concurrent_agents: ${options.agentsMax}
  max_turns: 20
${options.todoMax === undefined ? "" : `  max_concurrent_agents_by_state: { todo: ${options.todoMax} }\n`}codex:
  command: ". '${agent}' ${options.boardPort} ${options.agent}"
---
You are working on ticket {{ issue.identifier }}: {{ issue.title }}

{{ issue.description }}

Labels: {% for label in issue.labels %}{{ label }} {% endfor %}
{% if attempt %}This is attempt {{ attempt }}.{% endif %}
Work in the current directory. When the change is complete and tested, move the ticket to Done.
`;
