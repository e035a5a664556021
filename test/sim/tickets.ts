/** People at the board: they write tickets, move, edit and delete them, and clear away what is done. */
import type { Issue, IssueId } from "../../src/domain/issue.ts";
import type { Accounts } from "./account.ts";
import type { Nature } from "./board.ts";
import type { Counted } from "./figures.ts";
import { often, type Ground } from "./ground.ts";
import { DAY_MS, HOUR_MS } from "./timeline.ts";

const NEW_PER_DAY = 40;

/** More tickets than slots, few enough for a board that people can follow. */
const TICKETS_MAX = 14;

/** Done tickets leave the board after some hours. */
const KEPT_MS = 4 * HOUR_MS;

/** A ticket that nobody has touched for so long is not wanted any more. */
const ABANDONED_MS = DAY_MS;

/** In one world of three people open a ticket again that has just been done: its workspace may still be going. */
const REOPENING_SHARE = 0.3;
const REOPENED_PER_DAY = 60;

/** Where people move tickets to. */
const STATES = ["Todo", "Todo", "Todo", "In Progress", "In Review", "Done", "Canceled", "Backlog"] as const;

export class Tickets {
  readonly #ground: Ground;
  readonly #accounts: Accounts;

  constructor(ground: Ground, accounts: Accounts) {
    this.#ground = ground;
    this.#accounts = accounts;
    often(ground, NEW_PER_DAY, () => this.#newTicket());
    often(ground, "editsPerDay", () => this.#editTicket());
    const apart = { ...ground, random: ground.stream("reopening") };
    if (apart.random.chance(REOPENING_SHARE)) often(apart, REOPENED_PER_DAY, () => this.#reopen());
  }

  /** After a calm spell there is work again. */
  arrive(): void {
    for (let n = 0; n < 4; n += 1) this.#newTicket();
  }

  #newTicket(): void {
    const { board, random } = this.#ground;
    this.#tidy();
    if (board.issues().length >= TICKETS_MAX) return;
    const labels = random.pick([["baton"], ["baton"], ["baton"], ["baton", "review"], ["review"], ["other"]]);
    const kind = random.between(1, 10);
    const nature: Nature = {
      hopeless: kind === 1,
      pointless: kind === 2,
      hungry: kind === 3,
      turns: random.between(1, 6),
    };
    board.create(random, labels, nature);
  }

  /** What is done leaves the board after a while; what nobody gets on with is deleted in the end. */
  #tidy(): void {
    const { board, timeline } = this.#ground;
    for (const id of board.ids()) {
      const { claim } = this.#accounts.issue(id);
      const issue = board.issue(id);
      const idleMs = timeline.true - (issue?.updatedAt ?? 0);
      const done = issue === null || issue.state === "Done" || issue.state === "Canceled";
      if (claim === null && done && idleMs > KEPT_MS) board.forget(id);
      else if (!done && claim?.phase !== "running" && idleMs > ABANDONED_MS)
        this.#change(id, null, "deletes it");
    }
  }

  /** The one that was closed last. */
  #reopen(): void {
    const closed = this.#ground.board
      .issues()
      .filter(({ state }) => state === "Done" || state === "Canceled")
      .sort((a, b) => (b.updatedAt ?? 0) - (a.updatedAt ?? 0));
    const [last] = closed;
    if (last === undefined) return;
    this.#ground.figures.add("ticketsReopened");
    this.#ground.board.change(last.id, "person", { state: "Todo" }, "opens it again");
  }

  #editTicket(): void {
    const { board, random } = this.#ground;
    const issues = board.issues();
    // What agents work on is what people look at; and it is where a change can hurt.
    const underWay = issues.filter(({ id }) => this.#accounts.issue(id).claim?.phase === "running");
    const issue = random.pick(underWay.length > 0 && random.chance(0.5) ? underWay : issues);
    if (issue === undefined) return;
    const [change, does] = this.#edit(issue);
    this.#change(issue.id, change, does);
  }

  #change(id: IssueId, change: Partial<Issue> | null, does: string): void {
    const { board, figures } = this.#ground;
    const [what, underWay] = countedAs(change);
    figures.add(what);
    if (this.#accounts.issue(id).claim?.phase === "running") figures.add(underWay);
    board.change(id, "person", change, does);
  }

  #edit(issue: Issue): readonly [Partial<Issue> | null, string] {
    const { random, board } = this.#ground;
    switch (random.between(1, 12)) {
      case 1:
      case 2:
      case 3:
      case 4: {
        const state = random.pick(STATES);
        return [{ state }, `moves it to ${state}`];
      }
      case 5:
      case 6: {
        const label = random.pick(["baton", "baton", "review"]);
        const without = issue.labels.filter((one) => one !== label);
        if (without.length < issue.labels.length)
          return [{ labels: without }, `takes its label ${label} off`];
        return [{ labels: [...issue.labels, label] }, `puts the label ${label} on it`];
      }
      case 7:
        return [{ title: `${issue.title}!` }, "edits its title"];
      case 8:
        return [{ priority: random.between(1, 4) }, "changes its priority"];
      case 9: {
        const blocker = random.pick(board.issues());
        return blocker === undefined || blocker.id === issue.id || issue.blockedBy.length > 0
          ? [{ blockedBy: [] }, "unblocks it"]
          : [{ blockedBy: [blocker] }, `says that ${blocker.identifier} blocks it`];
      }
      case 10:
        return [{ dispatchable: !issue.dispatchable }, issue.dispatchable ? "archives it" : "brings it back"];
      case 11:
        return random.chance(0.3) ? [null, "deletes it"] : [{}, "comments on it"];
      default:
        return [{}, "comments on it"];
    }
  }
}

const countedAs = (change: Partial<Issue> | null): readonly [Counted, Counted] => {
  if (change === null) return ["ticketsDeleted", "deletedUnderWay"];
  return change.state === undefined ? ["ticketsEdited", "editedUnderWay"] : ["ticketsMoved", "movedUnderWay"];
};
