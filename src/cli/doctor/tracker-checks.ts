/** The tracker as the workflow has it: the key works, the project is there, and what waits in it. */
import type { TrackerSettings } from "../../domain/settings.ts";
import { instant } from "../../domain/time.ts";
import { plain } from "../../facts/plain.ts";
import { counted } from "../../facts/words.ts";
import { type Tracker, TrackerError } from "../../tracker/port.ts";
import { type Check, fail, type Finding, ok, skip, warn } from "./check.ts";
import type { Subject } from "./subject.ts";

const saidCharsMax = 400;

export function trackerChecks(subject: Subject): readonly Check[] {
  const settings = subject.workflow?.settings.tracker;
  if (settings === undefined) {
    const none: Check["run"] = async () => skip("needs a workflow that loads");
    return [
      { name: "tracker", run: none },
      { name: "project", run: none },
      { name: "candidates", run: none },
    ];
  }
  const rejected: string[] = [];
  const open = once(async () => openTracker(settings, subject, (error) => rejected.push(error)));
  // All three ask; when nobody answers, or the key is no good, one of them says so.
  const greet = once(async (signal: AbortSignal) => (await open()).whoAmI(signal));
  const answers = (signal: AbortSignal): Promise<boolean> =>
    greet(signal).then(
      () => true,
      () => false,
    );
  return [
    check("tracker", async (signal) =>
      ok(`${settings.endpoint} answers; the key is ${plain(await greet(signal), 80)}'s`),
    ),
    check("project", async (signal) =>
      (await answers(signal)) ? projectFinding(await open(), settings, signal) : untried,
    ),
    check("candidates", async (signal) => {
      if (!(await answers(signal))) return untried;
      const { length } = await (await open()).candidates(signal);
      return candidatesFinding(length, rejected, settings);
    }),
  ];
}

const untried = skip("needs a tracker that answers");

/** A failure of the tracker is a finding; it says itself what was asked, what came back and what to do. */
const check = (name: string, run: Check["run"]): Check => ({
  name,
  run: (signal) =>
    run(signal).catch((error: unknown) => {
      if (!(error instanceof TrackerError)) throw error;
      return fail(plain(error.message, saidCharsMax), null);
    }),
});

/** Loaded late: a machine check has no need of the GraphQL libraries. */
async function openTracker(
  settings: TrackerSettings,
  { now }: Subject,
  rejected: (error: string) => void,
): Promise<Tracker> {
  const { createLinearTracker } = await import("../../tracker/linear/linear.ts");
  return createLinearTracker(settings, { rates: () => undefined, rejected }, () => instant(now()));
}

const projectQuery = `query DoctorProject($slug: String!) {
  projects(filter: { slugId: { eq: $slug } }, first: 1) { nodes { name } }
}`;

/** A wrong slug is no error to the tracker: it finds nothing in it, for ever. */
async function projectFinding(
  tracker: Tracker,
  settings: TrackerSettings,
  signal: AbortSignal,
): Promise<Finding> {
  const { projectSlug } = settings;
  const { data, errors } = await tracker.graphql(projectQuery, { slug: projectSlug }, signal);
  const nodes = (data as { projects?: { nodes?: readonly { name?: unknown }[] } } | null)?.projects?.nodes;
  if (nodes === undefined)
    return warn(
      `"${projectSlug}" could not be looked up: ${plain(JSON.stringify(errors), saidCharsMax)}`,
      null,
    );
  const [project] = nodes;
  if (project === undefined)
    return fail(
      `there is no project "${projectSlug}", or this key may not see it`,
      "Set tracker.project_slug to the last part of the project's URL.",
      "configuration",
    );
  return ok(`${plain(String(project.name), 80)} (${projectSlug})`);
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

/** What `make` made at the first call, at every call. */
function once<Given extends readonly unknown[], T>(make: (...given: Given) => T): (...given: Given) => T {
  let made: { readonly value: T } | null = null;
  return (...given) => (made ??= { value: make(...given) }).value;
}
