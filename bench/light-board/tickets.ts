/** The board's tickets: from listed to done after a number of turns. */

export interface Ticket {
  readonly number: number;
  readonly id: string;
  readonly identifier: string;
  state: "Todo" | "Done";
  turns: number;
  /** When the answer that listed it first was sent; null = not yet. */
  listedAt: number | null;
  updatedAt: string;
}

export class Tickets {
  readonly #turnsToDone: number;
  readonly #all: Ticket[] = [];

  constructor(turnsToDone: number) {
    this.#turnsToDone = turnsToDone;
  }

  add(count: number): void {
    const now = new Date().toISOString();
    for (let i = 0; i < count; i++) {
      const number = this.#all.length + 1;
      this.#all.push({
        number,
        id: `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`,
        identifier: `MT-${number}`,
        state: "Todo",
        turns: 0,
        listedAt: null,
        updatedAt: now,
      });
    }
  }

  /** Tickets in this state, oldest first. */
  inState(state: Ticket["state"]): readonly Ticket[] {
    return this.#all.filter((ticket) => ticket.state === state);
  }

  byId(id: string): Ticket | undefined {
    return this.#all[Number(id.slice(-12)) - 1];
  }

  byIdentifier(identifier: string): Ticket | undefined {
    return this.#all[Number(identifier.slice(3)) - 1];
  }

  /** Counts a turn, and says whether the ticket is done with it. */
  turned(ticket: Ticket): boolean {
    ticket.turns += 1;
    if (ticket.turns < this.#turnsToDone) return false;
    ticket.state = "Done";
    ticket.updatedAt = new Date().toISOString();
    return true;
  }
}
