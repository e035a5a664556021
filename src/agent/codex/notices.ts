/** Notices beside the turn's own beginning and end: usage, limits, items, warnings, retries, and what nobody knows. */
import { type FactBody, type Instant, threadId, type ThreadId } from "../../domain/domain.ts";
import type { AgentNews } from "../port.ts";
import { cut, shortTextOf } from "./failures.ts";
import { itemFact, OpenItems } from "./items.ts";
import { knownNotices } from "./known-notices.ts";
import { type Fields, fieldsOf, idOf, textOf } from "./message.ts";
import { Meter, RateLimits, totalTokens } from "./usage.ts";

/** Distinct warnings and unknown methods told per session; a server that varies its texts must not fill the ledger. */
const TOLD_ONCE_MAX = 200;

const TEXT_CHARS_MAX = 2000;

export class Notices {
  readonly items = new OpenItems();
  readonly limits = new RateLimits();
  readonly #report: (news: AgentNews) => void;
  readonly #clock: () => Instant;
  readonly #meter = new Meter();
  readonly #told = new Set<string>();

  constructor(report: (news: AgentNews) => void, clock: () => Instant) {
    this.#report = report;
    this.#clock = clock;
  }

  /** Takes a notice. `thread`: the session's own, for notices of versions that do not name one. */
  take(method: string, params: Fields, thread: ThreadId | null): void {
    switch (method) {
      case "item/started":
        return this.items.started(fieldsOf(params["item"]), this.#clock());
      case "item/completed":
        return this.#itemCompleted(fieldsOf(params["item"]));
      case "thread/tokenUsage/updated":
        return this.#usage(params, params["threadId"] === undefined ? thread : idOf(params["threadId"]));
      case "account/rateLimits/updated":
        return this.#rateLimits(params);
      case "error":
        return this.#error(params);
      case "warning":
      case "configWarning":
      case "guardianWarning":
      case "deprecationNotice":
        return this.#warned(textOf(params["message"]) ?? textOf(params["summary"]) ?? method);
      case "model/rerouted":
        return this.#warned(`Codex uses another model than asked for: ${JSON.stringify(params)}`);
      default:
        if (!knownNotices.has(method)) this.unknown(method);
    }
  }

  /** Something that is not understood: told once. */
  unknown(method: string): void {
    this.#once({ type: "unknown_message", method: cut(method, TEXT_CHARS_MAX) });
  }

  #itemCompleted(item: Fields): void {
    this.items.completed(item);
    const fact = itemFact(item);
    if (fact !== null) this.#tell(fact);
  }

  #usage(params: Fields, thread: string | null): void {
    const reported = totalTokens(params);
    if (reported === null || thread === null) return;
    const total = this.#meter.update(threadId(thread), reported);
    if (total !== null) this.#report({ type: "usage", threadId: threadId(thread), total });
  }

  #rateLimits(params: Fields): void {
    const limits = this.limits.update(params);
    if (limits !== null) this.#tell({ type: "rate_limits", limits });
  }

  /** Codex tries again by itself: worth a line, not a failure. A final error comes again with the turn's end. */
  #error(params: Fields): void {
    if (params["willRetry"] !== true) return;
    const { message, additionalDetails } = fieldsOf(params["error"]);
    this.#tell({
      type: "agent_retrying",
      message: cut(textOf(message) ?? "Codex is trying again", TEXT_CHARS_MAX),
      detail: shortTextOf(additionalDetails),
    });
  }

  #warned(message: string): void {
    // Codex brings a bubblewrap of its own and says with every thread that it found no other.
    if (message.startsWith("Codex could not find bubblewrap on PATH")) return;
    this.#once({ type: "agent_warned", message: cut(message, TEXT_CHARS_MAX) });
  }

  #once(fact: FactBody): void {
    const key = JSON.stringify(fact);
    if (this.#told.has(key) || this.#told.size >= TOLD_ONCE_MAX) return;
    this.#told.add(key);
    this.#tell(fact);
  }

  #tell(fact: FactBody): void {
    this.#report({ type: "fact", fact });
  }
}
