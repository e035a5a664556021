/**
 * Whose a directory is, and whose daemon works in it. Two organisations of one tracker may call two issues by one name, and
 * an issue may change its own: what counts is the id, and where it was given.
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
  /** Whose daemon last prepared it; absent = of a release that did not write it down. */
  readonly tenant?: Tenant | undefined;
}

/** An installation of Baton: one ledger, on which one daemon works at most. */
export interface Tenant {
  /** Random, made with the ledger. */
  readonly installation: string;
  /** Absolute path of the ledger. */
  readonly ledger: string;
}

/** This installation, and how to see whether another one lives. */
export interface Tenancy {
  readonly self: Tenant;
  /** Whether a daemon works on that ledger just now; false for one that is gone. */
  readonly isServed: (tenant: Tenant) => boolean;
}

/** Whose daemon works in the directory besides us; null = nobody's that lives, and it may be taken over. */
export function othersIn(owner: Owner | null, tenancy: Tenancy | null): Tenant | null {
  const tenant = owner?.tenant;
  if (tenancy === null || tenant === undefined) return null;
  // By its place: ours is served by ourselves, whatever was kept there before, and a copy of it elsewhere is another's.
  return tenant.ledger !== tenancy.self.ledger && tenancy.isServed(tenant) ? tenant : null;
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
  // Unknown to releases that wrote none, which leave it out when they take the directory over.
  tenant: z.object({ installation: text, ledger: text }).optional(),
});

export const ownerText = ({ tracker, issueId, identifier, workflow, tenant }: Owner): string =>
  `${JSON.stringify({ version: 1, tracker, issue_id: issueId, identifier, workflow, tenant } satisfies z.input<typeof record>)}\n`;

/** Null when it is no such record. */
export function ownerIn(content: string): Owner | null {
  const found = record.safeParse(parsed(content));
  if (!found.success) return null;
  const { tracker, issue_id, identifier, workflow, tenant } = found.data;
  return { tracker, issueId: issue_id, identifier, workflow, ...(tenant === undefined ? {} : { tenant }) };
}

function parsed(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return null;
  }
}
