/**
 * Whose a directory is. Two organisations of one tracker may call two issues by one name, and an issue may change its own:
 * what counts is the id, and where it was given.
 */
import * as z from "zod";
import type { TrackerHome } from "../domain/domain.ts";

export interface Owner {
  readonly tracker: TrackerHome;
  readonly issueId: string;
  /** As it was when the directory was last prepared: for people. */
  readonly identifier: string;
  /** The workflow that last prepared it: its hooks go with it. */
  readonly workflow: string;
}

/**
 * Whether both name the same issue. Where the tracker tells its organisation, that decides: its address may change, and an
 * id means nothing elsewhere. Where one of the two does not know it, the address has to do.
 */
export function isSameIssue(a: Owner, b: Owner): boolean {
  const [one, other] = [a.tracker, b.tracker];
  if (a.issueId !== b.issueId || one.kind !== other.kind) return false;
  if (one.organisation !== null && other.organisation !== null)
    return one.organisation === other.organisation;
  return one.endpoint === other.endpoint;
}

/** Whether both are of one tracker, as far as both know. */
export const isSameTracker = (a: TrackerHome, b: TrackerHome): boolean => {
  const nobody = { issueId: "", identifier: "", workflow: "" };
  return isSameIssue({ tracker: a, ...nobody }, { tracker: b, ...nobody });
};

const text = z.string().min(1);

const record = z.object({
  version: z.literal(1),
  tracker: z.object({ kind: text, endpoint: z.string(), organisation: text.nullable() }),
  issue_id: text,
  identifier: z.string(),
  workflow: z.string(),
});

export const ownerText = ({ tracker, issueId, identifier, workflow }: Owner): string =>
  `${JSON.stringify({ version: 1, tracker, issue_id: issueId, identifier, workflow } satisfies z.input<typeof record>)}\n`;

/** Null when it is no such record. */
export function ownerIn(content: string): Owner | null {
  const found = record.safeParse(parsed(content));
  if (!found.success) return null;
  const { tracker, issue_id, identifier, workflow } = found.data;
  return { tracker, issueId: issue_id, identifier, workflow };
}

function parsed(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return null;
  }
}
