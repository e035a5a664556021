/**
 * Refusals as the ledger keeps them. A row that cannot be read is as none: it says only whom the tracker need not be asked
 * about, and what is not known is asked.
 */
import { instant, type IssueId, issueId, type WorkflowName, workflowName } from "../domain/domain.ts";
import type { Refusal } from "../scheduler/scheduler.ts";
import { born, count, listOf, objectOf, orNull, text } from "./parse.ts";

type Refusals = ReadonlyMap<IssueId, Refusal>;

export interface RefusalsColumns {
  readonly workflow: string;
  readonly detail: string;
}

const time = born(count, instant);

const entry = objectOf<Refusal & { readonly id: IssueId }>({
  id: born(text, issueId),
  at: time,
  state: text,
  updatedAt: orNull(time),
  blockers: listOf(text),
});

export const refusalsText = (refusals: Refusals): string =>
  JSON.stringify([...refusals].map(([id, refusal]) => ({ id, ...refusal })));

export function refusalsOf({ workflow, detail }: RefusalsColumns): [WorkflowName, Refusals] {
  try {
    const entries = listOf(entry)(JSON.parse(detail));
    return [workflowName(workflow), new Map(entries.map(({ id, ...refusal }) => [id, refusal]))];
  } catch {
    return [workflowName(workflow), new Map()];
  }
}
