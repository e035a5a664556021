/** The tracker as the workflow has it: the key works, the project is there, and what waits in it. */
import { instant, type TrackerSettings } from "../../domain/domain.ts";
import { counted, plain } from "../../facts/facts.ts";
import {
  type Mismatch,
  mismatches,
  type Tracker,
  TrackerError,
  trackerOpener,
  type TrackerNews,
} from "../../tracker/tracker.ts";
import { type Check, fail, type Finding, ok, skip, warn } from "./check.ts";
import type { Subject } from "./subject.ts";

const SAID_CHARS_MAX = 400;

export function trackerChecks(subject: Subject): readonly Check[] {
  const settings = subject.workflow?.settings.tracker;
  if (settings === undefined) {
    const none: Check["run"] = async () => skip("needs a workflow that loads");
    return [
      { name: "tracker", run: none },
      { name: "project", run: none },
      { name: "names", run: none },
      { name: "candidates", run: none },
    ];
  }
  const rejected: string[] = [];
  const open = once(async () => openTracker(settings, subject, (errors) => rejected.push(...errors)));
  // All three ask; when nobody answers, or the key is no good, one of them says so.
  const greet = once(async (signal: AbortSignal) => (await open()).whoAmI(signal));
  const answers = (signal: AbortSignal): Promise<boolean> =>
    greet(signal).then(
      () => true,
      () => false,
    );
  return [
    check("tracker", async (signal) => ok(greetingWords(settings, plain(await greet(signal), 80)))),
    check("project", async (signal) =>
      (await answers(signal)) ? projectFinding(await open(), settings, signal) : untried,
    ),
    check("names", async (signal) => {
      if (!(await answers(signal))) return untried;
      const found = await (await open()).vocabulary?.(signal);
      // A project that is not there is told by the check before.
      if (found === undefined || found.scope === null) return skip("there is nothing to compare with");
      return namesFinding(mismatches(settings, found), settings);
    }),
    check("candidates", async (signal) => {
      if (!(await answers(signal))) return untried;
      const { length } = await (await open()).candidates(signal);
      return candidatesFinding(length, rejected, settings);
    }),
  ];
}

/** Whose the key is; of a kind without one, whom it takes us for. */
export const greetingWords = ({ kind, endpoint, apiKey }: TrackerSettings, who: string): string =>
  `${endpoint === "" ? kind : endpoint} answers; ${apiKey === "" ? `we are ${who} there` : `the key is ${who}'s`}`;

const untried = skip("needs a tracker that answers");

/** A failure of the tracker is a finding; it says itself what was asked, what came back and what to do. */
const check = (name: string, run: Check["run"]): Check => ({
  name,
  run: (signal) =>
    run(signal).catch((error: unknown) => {
      if (!(error instanceof TrackerError)) throw error;
      return fail(plain(error.message, SAID_CHARS_MAX), null);
    }),
});

function openTracker(
  settings: TrackerSettings,
  { now }: Subject,
  rejected: TrackerNews["rejected"],
): Tracker {
  const open = trackerOpener(() => instant(now()));
  return open(settings, { rates: () => undefined, rejected });
}

async function projectFinding(
  tracker: Tracker,
  { projectSlug }: TrackerSettings,
  signal: AbortSignal,
): Promise<Finding> {
  try {
    return ok(`${plain(await tracker.scopeName(signal), 80)} (${projectSlug})`);
  } catch (error) {
    if (!(error instanceof TrackerError)) throw error;
    const what = plain(error.what, SAID_CHARS_MAX);
    if (error.kind === "invalid_tracker_config") return fail(what, error.hint, "configuration");
    // Another failure is one of the tracker, and not of what may be asked of it.
    if (error.kind !== "tracker_response" || error.passing) throw error;
    return warn(`"${projectSlug}" could not be looked up: ${what}`, error.hint);
  }
}

/** What no issue can ever be in or have: nothing would happen, and nobody would be told why. */
export function namesFinding(found: readonly Mismatch[], settings: TrackerSettings): Finding {
  const [first] = found;
  if (first === undefined) {
    const { activeStates, requiredLabels } = settings;
    return ok(
      [`states ${activeStates.join(", ")}`, ...requiredLabels.map((name) => `label ${name}`)].join("; ") +
        ": all there",
    );
  }
  const text = found.map(({ text }) => plain(text, SAID_CHARS_MAX)).join("\n");
  const todo = "Correct the names in the workflow file, or make them in the tracker.";
  return found.some(({ isFatal }) => isFatal) ? fail(text, todo, "configuration") : warn(text, todo);
}

function candidatesFinding(count: number, rejected: readonly string[], settings: TrackerSettings): Finding {
  const { activeStates, requiredLabels } = settings;
  const label = requiredLabels.length === 0 ? "" : ` with the label ${requiredLabels.join(" and ")}`;
  const where = `in ${activeStates.join(" or ")}${label}`;
  const [first] = rejected;
  if (first !== undefined)
    return warn(
      `${counted(count, "issue")} ${where}; ${counted(rejected.length, "record")} cannot be read`,
      first,
    );
  return count === 0
    ? ok(`none now; Baton waits for issues ${where}`)
    : ok(`${counted(count, "issue")} ${where}`);
}

/** Calls `make` once, and answers every call with what it made. */
function once<Given extends readonly unknown[], T>(make: (...given: Given) => T): (...given: Given) => T {
  let made: { readonly value: T } | null = null;
  return (...given) => (made ??= { value: make(...given) }).value;
}
