/**
 * What a check of `baton doctor` is, and how a list of them is run: all at once, each with a deadline of its own. To add
 * one, write a `Check` and put it into the list of checks.ts.
 */

export interface Check {
  /** Two or three words: they stand in front of the line. */
  readonly name: string;
  /** Looks, changes nothing that stays. May throw: that is a failed check. `signal` aborts when time is up. */
  readonly run: (signal: AbortSignal) => Promise<Finding>;
}

export interface Finding {
  /** `skip`: could not be looked at, for a reason another check tells. */
  readonly status: "ok" | "warn" | "fail" | "skip";
  /** What was found, in one sentence. */
  readonly text: string;
  /** What to do about it; null when there is nothing to do. */
  readonly todo: string | null;
  /** Whose fault a failure is: something that is missing on this machine, or the workflow file. */
  readonly blames: "prerequisite" | "configuration";
}

export const ok = (text: string): Finding => ({ status: "ok", text, todo: null, blames: "prerequisite" });
export const skip = (text: string): Finding => ({ status: "skip", text, todo: null, blames: "prerequisite" });
export const warn = (text: string, todo: string | null): Finding => ({
  status: "warn",
  text,
  todo,
  blames: "prerequisite",
});
export const fail = (
  text: string,
  todo: string | null,
  blames: Finding["blames"] = "prerequisite",
): Finding => ({ status: "fail", text, todo, blames });

export interface Examined extends Finding {
  readonly name: string;
  readonly tookMs: number;
}

/** A codex that answers at all does so in a second; a tracker in two or three. */
export const CHECK_MS_MAX = 10_000;

/** Starts all checks now; each promise settles, never rejects, soon after its deadline at the latest. */
export const examine = (checks: readonly Check[], timeoutMs = CHECK_MS_MAX): readonly Promise<Examined>[] =>
  checks.map(async ({ name, run }) => {
    const from = performance.now();
    const finding = await bounded(run, timeoutMs);
    return { name, ...finding, tookMs: Math.round(performance.now() - from) };
  });

async function bounded(run: Check["run"], timeoutMs: number): Promise<Finding> {
  const giveUp = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<Finding>((resolve) => {
    timer = setTimeout(() => {
      giveUp.abort();
      resolve(fail(`gave no answer within ${timeoutMs / 1_000} s`, hungHint));
    }, timeoutMs);
  });
  try {
    return await Promise.race([run(giveUp.signal), timeUp]);
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error), null);
  } finally {
    clearTimeout(timer);
  }
}

const hungHint =
  "Run it by hand to see what it waits for: a slow login profile, a network that swallows packets, a hung program.";
