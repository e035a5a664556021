/** Where orders of people arrive: looks into the ledger now and then, and hands what it finds to the scheduler. */
import type { WaitingOrder } from "../domain/domain.ts";
import { type Ledger, LedgerError } from "../ledger/ledger.ts";
import type { News } from "../scheduler/scheduler.ts";

/** A person who gave an order waits for its answer. Looking costs microseconds when there is none. */
const LOOK_EVERY_MS = 500;

export class OrderDesk {
  readonly #ledger: Pick<Ledger, "orders">;
  readonly #dispatch: (news: News) => void;
  #timer: NodeJS.Timeout | null = null;
  /** The newest order that the scheduler has heard: it may take a while before the ledger says that it is obeyed. */
  #handedOver = 0;
  /** What is found at the first look was given to a daemon that is gone. */
  #isFirst = true;

  constructor(ledger: Pick<Ledger, "orders">, dispatch: (news: News) => void) {
    this.#ledger = ledger;
    this.#dispatch = dispatch;
  }

  start(): void {
    if (this.#timer === null) this.#look();
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #look(): void {
    // Set first: an order may stop the daemon, and with it this desk.
    this.#timer = setTimeout(() => this.#look(), LOOK_EVERY_MS);
    const orders = this.#orders();
    if (orders === null) return;
    const isFromBefore = this.#isFirst;
    this.#isFirst = false;
    for (const { id: number, order } of orders) {
      if (number <= this.#handedOver) continue;
      this.#handedOver = number;
      this.#dispatch({ type: "ordered", number, order, isFromBefore });
    }
  }

  /** Null when the ledger cannot be read at the moment: it is asked again at the next look. */
  #orders(): readonly WaitingOrder[] | null {
    try {
      return this.#ledger.orders();
    } catch (error) {
      if (error instanceof LedgerError && error.mayPass) return null;
      throw error;
    }
  }
}
