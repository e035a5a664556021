/**
 * A read by id in which one issue does not spoil the answer for the others: what cannot be read together is read one by
 * one, within bounds, and whoever is to blame is named.
 */
import type { IssueId } from "../../domain/domain.ts";
import type { Unreadable } from "../../scheduler/scheduler.ts";
import { TrackerError } from "../../tracker/tracker.ts";
import { troubleOf } from "./chore.ts";

/** More are not asked for one by one: a request each. */
const SINGLY_MAX = 50;

/** So many failures in a row without one answer are the tracker's own. */
const IN_VAIN_MAX = 2;

interface Read<T> {
  readonly found: readonly T[];
  readonly unreadable: readonly Unreadable[];
}

/**
 * `apart`: those of the ids that are known to spoil an answer; each is asked for by itself.
 * @throws whatever `ask` throws, when no single issue is to blame
 */
export async function readEach<T>(
  ids: readonly IssueId[],
  apart: readonly IssueId[],
  ask: (ids: readonly IssueId[]) => Promise<readonly T[]>,
): Promise<Read<T>> {
  const together = ids.filter((id) => !apart.includes(id));
  const alone = ids.filter((id) => apart.includes(id));
  try {
    const found = together.length > 0 ? await ask(together) : [];
    return await oneByOne(alone, found, together.length > 0, ask);
  } catch (error) {
    if (together.length === 0 || !mayBeOne(error) || ids.length > SINGLY_MAX) throw error;
    if (ids.length === 1 && !isRepeatable(error)) throw error;
    return oneByOne(ids, [], false, ask);
  }
}

/** `answers`: whether the tracker has just answered another question of this kind. */
async function oneByOne<T>(
  ids: readonly IssueId[],
  before: readonly T[],
  answers: boolean,
  ask: (ids: readonly IssueId[]) => Promise<readonly T[]>,
): Promise<Read<T>> {
  const found = [...before];
  const unreadable: Unreadable[] = [];
  const again: IssueId[] = [];
  let answered = answers;
  let inVain = 0;
  const failures: TrackerError[] = [];
  for (const id of ids) {
    try {
      found.push(...(await ask([id])));
      answered = true;
    } catch (error) {
      if (!mayBeOne(error)) throw error;
      inVain += isRepeatable(error) ? 0 : 1;
      if (!answered && (inVain >= IN_VAIN_MAX || inVain >= ids.length)) throw error;
      failures.push(error);
      if (isRepeatable(error)) unreadable.push(blamed(id, error));
      else again.push(id);
    }
  }
  // The same for all, and nothing about any record: then it is the tracker's own.
  const [first] = failures;
  if (!answered && ids.length > 1 && first !== undefined && !failures.some(({ record }) => record))
    throw first;
  // What may have been the tracker's own trouble for a moment is nobody's fault until it is seen twice.
  for (const id of again) {
    try {
      found.push(...(await ask([id])));
    } catch (error) {
      if (!mayBeOne(error)) throw error;
      unreadable.push(blamed(id, error));
    }
  }
  return { found, unreadable };
}

const blamed = (id: IssueId, error: unknown): Unreadable => ({ id, error: troubleOf(error).error });

/** Not a limit, a key or a network, which are the same for all. */
const mayBeOne = (error: unknown): error is TrackerError =>
  error instanceof TrackerError &&
  (error.kind === "tracker_response" ||
    error.kind === "tracker_pagination" ||
    (error.kind === "tracker_status" && error.passing));

/** Another try brings the same: the record itself cannot be read, or what was asked is refused. */
const isRepeatable = (error: unknown): boolean =>
  error instanceof TrackerError && (error.record || !error.passing);
