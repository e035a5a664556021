/** What a Codex lacks, in words for people. Pure. */
import type { Fit } from "../port.ts";
import { TESTED_RELEASE } from "./releases.ts";

/** The first few show what is the matter. */
const MISSING_MAX = 5;

/** One sentence. */
export function lackWords({ version, missing }: Extract<Fit, { is: "unfit" }>): string {
  const more = missing.length > MISSING_MAX ? [`${missing.length - MISSING_MAX} more`] : [];
  const what = [...missing.slice(0, MISSING_MAX), ...more].join(", ");
  return `Codex ${version ?? ""} lacks what Baton needs of it: ${what}.`.replace("  ", " ");
}

/** What to do about it. */
export const LACK_REMEDY = `Install the release that Baton is tested with, \`npm install -g @openai/codex@${TESTED_RELEASE}\`, or name another one in codex.command (docs/CODEX.md).`;
