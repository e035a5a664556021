/**
 * An order as JSON, in a row that another process wrote, perhaps of another version: what cannot be read is refused, not
 * obeyed.
 */
import {
  EVERYTHING,
  instant,
  type Order,
  PARK_REASONS,
  type PauseScope,
  workflowName,
} from "../domain/domain.ts";
import { born, fieldsOf, objectOf, oneIn, oneOf, orNull, type Parser, text, Unfit, whole } from "./parse.ts";

type Of<Type extends Order["type"]> = Extract<Order, { type: Type }>;

/** The text of an order's row. */
export const orderText = (order: Order): string => JSON.stringify(order);

/** The order that a row holds; or why this version cannot read it, beginning with where. */
export function parseOrder(json: string): Order | Unfit {
  try {
    return orderOf(fieldsOf(JSON.parse(json)));
  } catch (error) {
    if (error instanceof Unfit) return error;
    if (error instanceof SyntaxError) return new Unfit(" is no JSON");
    throw error;
  }
}

const scope: Parser<PauseScope> = (value) => (value === EVERYTHING ? EVERYTHING : workflowName(text(value)));

const pause = objectOf<Of<"pause">>({
  type: oneOf({ pause: true }),
  scope,
  why: text,
  until: orNull(born(whole, instant)),
});

const resume = objectOf<Of<"resume">>({ type: oneOf({ resume: true }), scope });

const drain = objectOf<Of<"drain">>({ type: oneOf({ drain: true }), why: text });

const release = objectOf<Of<"release">>({
  type: oneOf({ release: true }),
  issue: text,
  addRuns: whole,
  addTokens: whole,
  newThread: (value) => (value === true ? value : undefined),
});

const releaseAll = objectOf<Of<"release_all">>({
  type: oneOf({ release_all: true }),
  reason: orNull(oneIn(PARK_REASONS)),
});

const kind = objectOf<Pick<Order, "type">>({
  type: oneOf<Order["type"]>({
    pause: true,
    resume: true,
    drain: true,
    release: true,
    release_all: true,
  }),
});

function orderOf(fields: Readonly<Record<string, unknown>>): Order {
  switch (kind(fields).type) {
    case "pause":
      return pause(fields);
    case "resume":
      return resume(fields);
    case "drain":
      return drain(fields);
    case "release":
      return release(fields);
    case "release_all":
      return releaseAll(fields);
  }
}
