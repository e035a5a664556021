/**
 * Releases of Codex whose own schema was found to have all that is needed, in a small file beside the ledger, so that it is
 * generated once for each. Nothing depends on it: one that is lost or damaged costs a tenth of a second.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { fieldsOf } from "./message.ts";
import { NEEDS_MARK } from "./needs.ts";
import { strings } from "./sandbox.ts";

export interface KnownFits {
  /** Never throws. */
  has(version: string): boolean;
  /** Never throws. */
  add(version: string): void;
}

/** Several workflows may name several; nobody goes back to one of a year ago. */
const VERSIONS_MAX = 20;

/** `path`: of the file. */
export function knownFits(path: string): KnownFits {
  return {
    has: (version) => read(path).includes(version),
    add: (version) => {
      const others = read(path).filter((one) => one !== version);
      const versions = [...others, version].slice(-VERSIONS_MAX);
      try {
        const draft = `${path}.${process.pid}`;
        writeFileSync(draft, `${JSON.stringify({ needs: NEEDS_MARK, versions })}\n`, { mode: 0o600 });
        renameSync(draft, path);
      } catch {
        // A full disk, a directory that is not there: it is generated again the next time.
      }
    },
  };
}

/** Nobody writes it down. */
export const noKnownFits: KnownFits = { has: () => false, add: () => undefined };

/** What other needs were held against is not known of these. */
function read(path: string): readonly string[] {
  try {
    const { needs, versions } = fieldsOf(JSON.parse(readFileSync(path, "utf8")));
    return needs === NEEDS_MARK ? strings(versions) : [];
  } catch {
    return [];
  }
}
