/** What a session hears: notices told apart and passed on to whom they concern, and when there was the last sign of life. */
import {
  failure,
  type Failure,
  type Instant,
  MINUTE_MS,
  type ThreadId,
  type UnderWay,
} from "../../domain/domain.ts";
import type { AgentNews, Pulse } from "../port.ts";
import { TurnAccount } from "./account.ts";
import type { Children } from "./children.ts";
import { isRetry, meaningOf } from "./meaning.ts";
import type { Fields } from "./message.ts";
import { Notices } from "./notices.ts";
import { OlderShapes } from "./older.ts";
import type { Turn } from "./turn.ts";

/**
 * Lines that are no messages, in a minute: a login profile may print a page and a wrapper a line now and then, for hours.
 * What prints more than that without end is no agent.
 */
const MALFORMED_MAX = 100;
const MALFORMED_SPAN_MS = MINUTE_MS;

export interface HearingParts {
  readonly clock: () => Instant;
  /** The session's own thread, once it is open. */
  readonly thread: () => ThreadId | null;
  /** The turn under way. */
  readonly turn: () => Turn | null;
  readonly turnStarted: (id: string) => void;
  /** Hears everything too. */
  readonly children: Pick<Children, "heard">;
  /** What speaks there is no agent. */
  readonly garbled: (why: Failure) => void;
  readonly tell: (news: AgentNews) => void;
}

export class Hearing {
  readonly #parts: HearingParts;
  readonly #notices: Notices;
  readonly #older = new OlderShapes();
  #signAt: Instant;
  /** The last lines that were no messages: since when, and how many. */
  #malformed = { since: 0, count: 0 };
  readonly #account = new TurnAccount();

  constructor(parts: HearingParts) {
    this.#parts = parts;
    this.#signAt = parts.clock();
    this.#notices = new Notices((news) => this.#tell(news), parts.clock);
  }

  /** When it was last heard, and how much of its work is under way. */
  pulse(): Pulse {
    const { commands, calls } = this.#notices.items;
    return { signAt: this.#signAt, openCommands: commands, openCalls: calls };
  }

  /** What is under way, as far as it was told. */
  underWay(): readonly UnderWay[] {
    return this.#notices.items.underWay();
  }

  /** How long nothing has been heard. */
  silentMs(): number {
    return this.#parts.clock() - this.#signAt;
  }

  /** When the provider's used-up limit is reset, as far as it was said. */
  resetsAt(): number | null {
    return this.#notices.limits.resetsAt(this.#parts.clock());
  }

  /** A turn is asked for: nobody had anything to say before. */
  turnAsked(): void {
    this.alive();
  }

  /** A turn is over: items that it left open will never be completed. */
  turnEnded(): void {
    this.#notices.items.clear();
    const leftOut = this.#account.close();
    if (leftOut !== null) this.#parts.tell({ type: "fact", fact: leftOut });
  }

  /** Something came that is a sign of life. */
  alive(): void {
    this.#signAt = this.#parts.clock();
  }

  /** A notice came, in the words of whatever version of Codex. */
  notified(method: string, params: Fields): void {
    for (const notice of this.#older.translate(method, params)) this.#heard(notice.method, notice.params);
  }

  /** An answer came that nobody waits for. */
  unclaimed(id: string | number | null): void {
    this.#notices.unknown(`answer to request ${id ?? "without id"}`);
  }

  /** A line came that is no message. */
  malformed(error: string, line: string): void {
    const now = this.#parts.clock();
    const { since, count } = this.#malformed;
    this.#malformed =
      now - since < MALFORMED_SPAN_MS ? { since, count: count + 1 } : { since: now, count: 1 };
    if (this.#malformed.count <= MALFORMED_MAX)
      return this.#tell({ type: "fact", fact: { type: "malformed", error, line } });
    this.#parts.garbled(
      failure(
        "protocol_violation",
        `The agent wrote more than ${MALFORMED_MAX} lines within a minute that are no messages.`,
        {
          hint: "codex.command has to start `codex app-server`, and nothing else may write to its stdout.",
          detail: line,
        },
      ),
    );
  }

  /** Items of a turn without end are counted, and no longer told. */
  #tell(news: AgentNews): void {
    if (news.type !== "fact" || this.#account.keeps(news.fact)) this.#parts.tell(news);
  }

  #heard(method: string, params: Fields): void {
    if (!isRetry(method, params)) this.alive();
    const thread = this.#parts.thread();
    const turn = this.#parts.turn();
    this.#parts.children.heard(method, params);
    const meaning = meaningOf(method, params, thread);
    switch (meaning.type) {
      case "elsewhere":
        return;
      case "turn_started":
        return meaning.id === null ? undefined : this.#parts.turnStarted(meaning.id);
      case "turn_completed":
        return turn?.is(meaning.id) === true ? turn.completed(meaning.turn) : undefined;
      case "erred":
        turn?.erred(meaning.error);
        break;
      case "said":
        turn?.said(meaning.text);
        break;
      case "beside":
    }
    this.#notices.take(method, params, thread);
  }
}
