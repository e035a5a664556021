/**
 * A scenario is what the scripted model does for one ticket: turns of steps, one step per request. It keeps no place of its
 * own: the thread's history says which steps are done, so a thread that is resumed after a kill goes on where it was, and
 * a thread started afresh begins afresh. Only steps that leave no trace there (refusals, cut connections) are counted.
 */
import { type Part, refuse, type Reply, say, traces } from "./reply.ts";
import type { ModelRequest } from "./request.ts";

/** Decides the answer to a request. */
export type Script = (request: ModelRequest) => Reply;
export type Step = Part | Reply;

export interface Scenario {
  /** Whether this scenario is meant, by the first prompt of the thread. */
  readonly match: (prompt: string) => boolean;
  /**
   * Turns of steps, one step per request. A turn goes on while steps call tools, so only the last step of a turn has
   * none. A step without trace is played once; list it twice to have it twice.
   */
  readonly turns: readonly (readonly Step[])[];
}

/** A scenario for the thread whose first prompt holds `match`, or satisfies it. */
export const scenario = ({
  match,
  turns,
}: {
  match: string | ((prompt: string) => boolean);
  turns: Scenario["turns"];
}): Scenario => ({
  match: typeof match === "string" ? (prompt) => prompt.includes(match) : match,
  turns,
});

/** Plays the first scenario that matches the thread. A thread without one is refused: the turn fails and says so. */
export function scripted(...scenarios: readonly Scenario[]): Script {
  const played = new Set<string>();
  return (request) => {
    const prompt = request.prompts[0] ?? "";
    const index = scenarios.findIndex((one) => one.match(prompt));
    const found = scenarios[index];
    if (found === undefined) {
      return [refuse(400, "no_scenario", `no scenario for the prompt "${prompt.slice(0, 120)}"`)];
    }
    return nextStep(found.turns.flat(), request, (step) => once(played, `${index}.${step}`));
  };
}

const parts = (step: Step): Reply => ("do" in step ? [step] : step);
const traceCount = (reply: Reply): number => reply.reduce((sum, part) => sum + traces(part), 0);

/** Whether `key` is new, from now on it is not. */
function once(seen: Set<string>, key: string): boolean {
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

function nextStep(steps: readonly Step[], request: ModelRequest, first: (step: number) => boolean): Reply {
  let done = request.items.filter((item) => item.type === "assistant" || item.type === "call").length;
  for (const [index, step] of steps.entries()) {
    const reply = parts(step);
    const count = traceCount(reply);
    if (count > 0) {
      if (done < count) return without(reply, done);
      done -= count;
    } else if (done === 0 && first(index)) return reply;
  }
  return [say("There is nothing more to do here.")];
}

/** The reply less its first `done` traces: a kill may fall between two parts of one response. */
function without(reply: Reply, done: number): Reply {
  let left = done;
  return reply.filter((part) => {
    const skip = left > 0 && traces(part) === 1;
    if (skip) left -= 1;
    return !skip;
  });
}
