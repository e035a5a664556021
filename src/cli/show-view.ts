/** The page of `baton show`: who, what holds it, its runs, and what happened in each. Pure. */
import { addTokens, noTokens } from "../domain/domain.ts";
import { counted, plain } from "../facts/facts.ts";
import type { RunRow } from "../ledger/ledger.ts";
import { fullStamp, relative, span, wrapTo } from "../terminal/terminal.ts";
import { claimLines, claimView } from "./claim-view.ts";
import { kindWords, outcomeOf, runView, tokensView, tookMs } from "./run-view.ts";
import { type Look, outcomeStyle, runsTable, tokenSum } from "./runs-view.ts";
import type { Subject } from "./show-subject.ts";
import { failureLines, timelineLines, type TimelineLook, timelineView } from "./timeline-view.ts";

export type ShowLook = Look & { readonly timeline: TimelineLook };

const TITLE_CHARS_MAX = 300;

export function showText(subject: Subject, look: ShowLook): string {
  const { runs, cut, of } = subject;
  const runLines = runs.length > 1 ? ["", ...runsTable(runs, look, "one issue")] : [];
  const left = cut
    ? ["", look.paint("dim", "Earlier entries are left out: --events 5000 shows more of them.")]
    : [];
  const sections = [...runs].reverse().flatMap((run) => ["", ...runSection(run, subject, look)]);
  const none = of === "issue" && runs.length === 0 ? ["", "It has had no run yet."] : [];
  return [...headerLines(subject, look), ...runLines, ...left, ...sections, ...none].join("\n");
}

const LABEL_COLUMNS = 10;

function headerLines({ issue, seen, runs, of }: Subject, { now, columns, paint }: Look): readonly string[] {
  const title = seen?.title ?? runs[0]?.title ?? "";
  const facts: (readonly [string, readonly string[]])[] = [
    ["now", claimLines(issue.claim, now)],
    ["state", seen === null ? [] : [`${plain(seen.state, TITLE_CHARS_MAX)} (as last seen)`]],
    ["link", seen?.url === null || seen === null ? [] : [plain(seen.url, TITLE_CHARS_MAX)]],
    ["used", of === "issue" && runs.length > 0 ? [usedWords(runs)] : []],
    ["limits", limitsWords(issue.tally)],
  ];
  const width = Math.max(40, columns - LABEL_COLUMNS);
  const lines = facts.flatMap(([label, texts]) =>
    texts
      .flatMap((text) => wrapTo(width, text))
      .map((text, index) => paint("dim", (index === 0 ? label : "").padEnd(LABEL_COLUMNS)) + text),
  );
  return [
    `${paint("bold", plain(issue.identifier, TITLE_CHARS_MAX))}  ${plain(title, TITLE_CHARS_MAX)}`,
    ...lines,
  ];
}

const usedWords = (runs: readonly RunRow[]): string =>
  `${counted(runs.length, "run")}, ${counted(
    runs.reduce((sum, { turns }) => sum + turns, 0),
    "turn",
  )}, ${tokenSum(runs.reduce((sum, { tokens }) => addTokens(sum, tokens), noTokens))}`;

function limitsWords(tally: Subject["issue"]["tally"]): readonly string[] {
  if (tally === null) return [];
  const { runs, failures, tokens } = tally;
  return [
    `since the last release by a person: ${counted(runs, "run")}, ` +
      `${counted(failures, "failure")} in a row, ${tokenSum(tokens)}`,
  ];
}

function runSection(run: RunRow, subject: Subject, look: ShowLook): readonly string[] {
  const { paint, timeline } = look;
  const lines = timelineLines(run, subject.timeline, timeline);
  const failure = run.ending?.failure ?? null;
  return [
    runHeading(run, look),
    ...placeLines(run).map((line) => paint("dim", line)),
    ...(lines.length > 0 ? lines : [paint("dim", missing(subject))]),
    ...(failure === null ? [] : ["", ...failureLines(failure, timeline)]),
  ];
}

function runHeading(run: RunRow, { now, paint }: Look): string {
  const outcome = outcomeOf(run);
  const when = `started ${fullStamp(run.startedAt)} (${relative(run.startedAt, now)})`;
  const took = `${run.endedAt === null ? "so far" : "took"} ${span(tookMs(run, now))}`;
  return `${paint("bold", run.id)}  ${kindWords(run.kind, run.attempt)}: ${paint(outcomeStyle(outcome), outcome)}, ${when}, ${took}`;
}

const placeLines = ({ workspace, thread, workflow }: RunRow): readonly string[] => [
  `workflow ${plain(workflow, 80)}${thread === null ? "" : `, thread ${plain(thread, 80)}`}`,
  ...(workspace === null ? [] : [`workspace ${plain(workspace, TITLE_CHARS_MAX)}`]),
];

const missing = ({ cut }: Subject): string =>
  cut ? "          (its entries are among those left out)" : "          (no entries are kept of it)";

/** The same as JSON. */
export const showView = ({ issue, seen, runs, timeline }: Subject) => ({
  issue: {
    id: issue.issueId,
    identifier: issue.identifier,
    title: seen?.title ?? runs[0]?.title ?? null,
    state: seen?.state ?? null,
    url: seen?.url ?? null,
    workflow: issue.claim?.workflow ?? runs[0]?.workflow ?? null,
    claim: claimView(issue.claim),
    tally:
      issue.tally === null
        ? null
        : {
            runs: issue.tally.runs,
            failures: issue.tally.failures,
            thread_id: issue.tally.thread,
            tokens: tokensView(issue.tally.tokens),
          },
  },
  runs: runs.map(runView),
  timeline: timeline.map(timelineView),
});
