/** What a scan came to, in words: `12 open, 3 labelled, 1 running, 1 blocked, 1 waiting for a slot`. */
import type { ScanCounts } from "../domain/domain.ts";

/** Only the counts that say something; nobody who waits for a first ticket reads four zeros. */
export function scanWords({ open, listed, ...counts }: ScanCounts): string {
  const { running, waiting, parked, blocked, ready, gate } = counts;
  const held = gate === null ? "waiting for a slot" : `held back (${gate})`;
  return [
    ...(open === null ? [] : [`${open.isAll ? "" : "more than "}${open.count} open`]),
    `${listed} labelled`,
    ...some(running, "running"),
    ...some(waiting, "waiting for their next run"),
    ...some(parked, "parked"),
    ...some(blocked, "blocked"),
    ...some(ready, held),
  ].join(", ");
}

const some = (count: number, what: string): readonly string[] => (count === 0 ? [] : [`${count} ${what}`]);
