/** Tickets that no prompt can be made for, by a template that does for all others: what they lack it asks for. */
import { failure, type Failure } from "../../src/domain/failure.ts";
import type { IssueId } from "../../src/domain/issue.ts";
import type { Ground } from "./ground.ts";
import type { Random } from "./random.ts";

/** Only some worlds know them: what the others show stays what it was. */
const KNOWN_SHARE = 0.03;

/** There, how many of the tickets. */
const SHARE = 0.15;

export class Prompts {
  readonly #known: boolean;
  readonly #ground: Ground;
  readonly #random: Random;
  readonly #lacking = new Map<IssueId, boolean>();

  constructor(ground: Ground) {
    this.#ground = ground;
    this.#random = ground.stream("unprompted");
    this.#known = this.#random.chance(KNOWN_SHARE);
  }

  /** How a run of the ticket fails before it has an agent; null = there is a prompt, as there is for all in calm times. */
  of(issue: IssueId): Failure | null {
    if (!this.#known || this.#ground.calm()) return null;
    const lacking = this.#lacking.get(issue) ?? this.#random.chance(SHARE);
    this.#lacking.set(issue, lacking);
    if (!lacking) return null;
    return failure("template_render_error", "the ticket has no label");
  }
}
