/** The board of a soak: projects full of tickets, and people who change them as people do, by seed. */
import { type Board, startBoard } from "../../src/demo/board/board.ts";
import { Random } from "../../test/sim/random.ts";

export const PROJECTS = ["alpha", "beta", "gamma"] as const;
const LABEL = "agent";

/** What Linear allows a personal key in an hour (src/tracker/linear/budget.ts). */
const BUDGET = { requests: 2_500, complexity: 250_000 };

/** Which part of the tickets carries the label, and which waits for another one. */
const LABELLED = 0.7;
const BLOCKED = 0.1;

/** How many turns a ticket needs before its agent moves it on. */
const TURNS_MAX = 4;

export class Town {
  readonly board: Board;
  readonly #random: Random;
  readonly #turns = new Map<string, number>();
  /** What people did, by kind. */
  readonly deeds = new Map<string, number>();

  private constructor(board: Board, seed: number) {
    this.board = board;
    this.#random = new Random(seed);
  }

  static async open(tickets: number, seed: number): Promise<Town> {
    const projects = PROJECTS.map((slugId) => ({ name: slugId, slugId }));
    const board = await startBoard({ seed: { projects }, budget: BUDGET });
    const town = new Town(board, seed);
    for (let i = 0; i < tickets; i += 1) town.#settle(i);
    return town;
  }

  /** One turn of this ticket's agent is over: after its last one the agent has moved the ticket. */
  turned(identifier: string): void {
    const turns = (this.#turns.get(identifier) ?? 0) + 1;
    this.#turns.set(identifier, turns);
    const { store } = this.board;
    const issue = store.issue(identifier);
    store.comment({ issueId: issue.id, body: `Turn ${turns} is done.` });
    if (turns % (1 + (issue.number % TURNS_MAX)) !== 0) return;
    store.move(issue.id, this.#random.chance(0.15) ? "Human Review" : "Done");
  }

  turnsOf(identifier: string): number {
    return this.#turns.get(identifier) ?? 0;
  }

  /** How many tickets of which state are there, with the label. */
  census(): Readonly<Record<string, number>> {
    const { store } = this.board;
    const label = store.labelNamed(LABEL).id;
    const counts: Record<string, number> = {};
    for (const issue of store.issues.values()) {
      if (!issue.labelIds.includes(label)) continue;
      const name = issue.trashed
        ? "(trash)"
        : issue.archivedAt === null
          ? store.state(issue.stateId).name
          : "(archive)";
      counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  }

  /** Somebody does something to a ticket. */
  live(): void {
    const deed = this.#random.pick(Object.entries(this.#doings));
    const issue = this.#random.pick([...this.board.store.issues.values()]);
    if (deed === undefined || issue === undefined) return;
    const [name, doIt] = deed;
    doIt(issue.id);
    this.deeds.set(name, (this.deeds.get(name) ?? 0) + 1);
  }

  readonly #doings = {
    "took the label off": (id: string) => void this.board.store.unlabel(id, LABEL),
    "put the label on": (id: string) => void this.board.store.label(id, LABEL),
    "gave it back": (id: string) => {
      const { store } = this.board;
      if (store.state(store.issue(id).stateId).name === "Human Review") store.move(id, "Todo");
    },
    "opened it again": (id: string) => {
      const { store } = this.board;
      if (store.state(store.issue(id).stateId).name === "Done" && this.#random.chance(0.2))
        store.move(id, "Todo");
    },
    "wrote more into it": (id: string) => {
      const { store } = this.board;
      store.edit(id, {
        description: `${store.issue(id).description ?? ""}\nAnd one thing more.`.slice(-4000),
      });
    },
    "canceled it": (id: string) => this.#seldom(() => this.board.store.move(id, "Canceled")),
    "archived it": (id: string) => this.#seldom(() => this.board.store.archive(id)),
    "threw it away": (id: string) => this.#seldom(() => this.board.store.trash(id)),
    "moved it to another project": (id: string) =>
      this.#seldom(() => {
        const { store } = this.board;
        store.edit(id, { projectId: this.#random.pick(store.projects)?.id ?? null });
      }),
    "made it wait for another": (id: string) =>
      this.#seldom(() => {
        const { store } = this.board;
        const other = this.#random.pick([...store.issues.values()]);
        if (other !== undefined && other.id !== id)
          store.relate({ type: "blocks", issueId: other.id, relatedIssueId: id });
      }),
  };

  #seldom(deed: () => unknown): void {
    if (this.#random.chance(0.3)) deed();
  }

  #settle(index: number): void {
    const random = this.#random;
    const { store } = this.board;
    const issue = store.add({
      title: `Ticket number ${index} of the soak`,
      description: "Some work.\n".repeat(random.between(1, 20)),
      priority: random.between(0, 4),
      project: random.pick(PROJECTS),
      state: random.chance(0.05) ? "Backlog" : random.chance(0.25) ? "In Progress" : "Todo",
      labels: random.chance(LABELLED) ? [LABEL] : ["idea"],
    });
    const blocker = random.chance(BLOCKED) ? random.pick([...store.issues.values()].slice(0, -1)) : undefined;
    if (blocker !== undefined) {
      store.relate({ type: "blocks", issueId: blocker.id, relatedIssueId: issue.id });
    }
  }
}
