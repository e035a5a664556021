/** Nothing begins in a workflow, or in all, until a person resumes it or its time is over. */
import { duration, EVERYTHING, type Instant, later, type Order, type PauseScope } from "../domain/domain.ts";
import { lanesOf, nameOf, obstacles } from "./answers.ts";
import { record, say, withState } from "./change.ts";
import type { Decision } from "./effects.ts";
import { tryNow } from "./holds.ts";
import type { Pause } from "./state.ts";

/**
 * A pause of what is paused already: the reason is the new one, and who asked for the first can rely on its end, which no
 * later pause brings nearer. Both are told.
 */
export function pause(
  sofar: Decision,
  { scope, why, until: asked }: Extract<Order, { type: "pause" }>,
  at: Instant,
): readonly [Decision, string] {
  const before = sofar.state.pauses.get(scope);
  const what = nameOf(scope);
  if (before === undefined) {
    const told = say(sofar, at, {}, { type: "paused", what, why, until: asked });
    return [setPause(told, scope, { why, since: at, until: asked }), `${what} is paused`];
  }
  const until = asked === null || before.until === null ? null : later(asked, before.until);
  const now = { why, since: before.since, until };
  const told = say(
    sofar,
    at,
    {},
    {
      type: "paused",
      what,
      why,
      until,
      before: { why: before.why, since: before.since },
    },
  );
  return [setPause(told, scope, now), againWords(what, before, now, { asked, at })];
}

/** What the second pause changes of the first. */
function againWords(
  what: string,
  before: Pause,
  now: Pause,
  { asked, at }: { asked: Instant | null; at: Instant },
): string {
  const was = `${what} was paused already, for ${duration(at - before.since)} ("${before.why}")`;
  const reason = now.why === before.why ? "" : `; the reason is now "${now.why}"`;
  const end = now.until === null ? "until somebody resumes" : `for another ${duration(now.until - at)}`;
  const kept = `; it lasts ${end} as before: to make it shorter, \`baton resume\` first`;
  const lasts = now.until !== asked ? kept : now.until === before.until ? "" : `; it lasts ${end} now`;
  return `${was}${reason}${lasts}`;
}

function setPause(sofar: Decision, scope: PauseScope, pause: Pause | null): Decision {
  const pauses = new Map(sofar.state.pauses);
  if (pause === null) pauses.delete(scope);
  else pauses.set(scope, pause);
  return record(withState(sofar, { pauses }), { type: "pause", scope, pause });
}

/**
 * Resuming everything resumes every workflow too: nobody should have to remember what else was paused. Whoever says that
 * it may go on has perhaps mended what holds it, so one run tries.
 */
export function resume(sofar: Decision, scope: PauseScope, at: Instant): readonly [Decision, string] {
  const scopes = scope === EVERYTHING ? [...sofar.state.pauses.keys()] : [scope];
  const resumed = scopes
    .filter((one) => sofar.state.pauses.has(one))
    .reduce((next, one) => endPause(next, one, "somebody resumed it", at), sofar);
  const names = scope === EVERYTHING ? [...sofar.state.workflows.keys()] : [scope];
  const tried = names.reduce((next, name) => tryNow(next, name, "somebody resumed it", at), resumed);
  const why = obstacles(tried.state, lanesOf(tried.state, names));
  const paused = scopes.some((one) => sofar.state.pauses.has(one));
  if (why === null) return [tried, `${nameOf(scope)} goes on`];
  return [
    tried,
    paused ? `${nameOf(scope)} is no longer paused; ${why}` : `${nameOf(scope)} was not paused; ${why}`,
  ];
}

const endPause = (sofar: Decision, scope: PauseScope, why: string, at: Instant): Decision =>
  setPause(say(sofar, at, {}, { type: "resumed", what: nameOf(scope), why }), scope, null);

/** Ends the pauses whose time is over, and no other: a workflow that was paused on its own stays paused. */
export const endPauses = (sofar: Decision, at: Instant): Decision =>
  [...sofar.state.pauses]
    .filter(([, { until }]) => until !== null && until <= at)
    .reduce((next, [scope]) => endPause(next, scope, "its time is over", at), sofar);

/** What people have paused and not resumed, for a start to say. */
export const sayPauses = (sofar: Decision, at: Instant): Decision =>
  [...sofar.state.pauses].reduce((next, [scope, { why, since, until }]) => {
    const remedy = `\`baton resume${scope === EVERYTHING ? "" : ` --workflow ${scope}`}\` ends it.`;
    const what = `${nameOf(scope)} is paused`;
    return say(next, at, {}, { type: "standing", what, why, remedy, since, until });
  }, sofar);
