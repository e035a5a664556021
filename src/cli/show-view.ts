/** The page of `baton show`: who, what holds it, its runs, and what happened in each. Pure. */
import { addTokens, noTokens } from "../domain/domain.ts";
import { counted, describe, plain } from "../facts/facts.ts";
import type { RunRow, TimelineRow } from "../ledger/ledger.ts";
import { fullStamp, isoTime, relative, span, wrapTo } from "../terminal/terminal.ts";
import { claimLines, claimView } from "./claim-view.ts";
import { type Doing, doingLines } from "./doing-view.ts";
import { kindWords, outcomeWord, runView, tokensView, tookMs } from "./run-view.ts";
import { type Look, outcomeStyle, runsTable, tokenSum } from "./runs-view.ts";
import type { Subject } from "./show-subject.ts";
import { failureLines, timelineLines, type TimelineLook, timelineView } from "./timeline-view.ts";
import type { Why } from "./why.ts";
import { whyLines, whyView } from "./why-view.ts";

export type ShowLook = Look & { readonly timeline: TimelineLook };

const TITLE_CHARS_MAX = 300;

export function showText(subject: Page, look: ShowLook): string {
  const { runs, cut, of } = subject;
  const runLines = runs.length > 1 ? ["", ...runsTable(runs, look, "one issue")] : [];
  const left = cut
    ? ["", look.paint("dim", "Earlier entries are left out: --events 5000 shows more of them.")]
    : [];
  const none = of === "issue" && runs.length === 0 ? ["", "It has had no run yet."] : [];
  const why = subject.why === null ? [] : ["", ...whyLines(subject.why, look)];
  const story = storyLines(subject, look);
  return [...headerLines(subject, look), ...why, ...runLines, ...left, ...story, ...none].join("\n");
}

/** A page with what was found out about it just now. */
export interface Page extends Subject {
  /** Null = nobody was asked: it is about one run. */
  readonly why: Why | null;
  /** What its agent does just now; absent = nothing, or no daemon is there to say so. */
  readonly doing?: Doing;
}

/** Its runs in order, and between them what happened to it apart from them. */
function storyLines(page: Page, look: ShowLook): readonly string[] {
  const besides = [...page.besides];
  const until = (at: number): readonly string[] => {
    const count = besides.findIndex((row) => row.at >= at);
    return besideLines(besides.splice(0, count === -1 ? besides.length : count), look);
  };
  const runs = [...page.runs].reverse();
  return [
    ...runs.flatMap((run) => [...until(run.startedAt), "", ...runSection(run, page, look)]),
    ...until(Number.POSITIVE_INFINITY),
  ];
}

/** Releases, rescues and removals belong to no run; their time is the day's. */
function besideLines(rows: readonly TimelineRow[], look: ShowLook): readonly string[] {
  const lines = rows.flatMap(({ at, fact }) => {
    const { level, message } = describe(fact);
    if (level === "debug" && !look.timeline.verbose) return [];
    return wrapTo(Math.max(40, look.columns), `${fullStamp(at)}  ${message}`);
  });
  return lines.length === 0 ? [] : ["", ...lines];
}

const LABEL_COLUMNS = 10;

function headerLines(page: Page, look: Look): readonly string[] {
  const { issue, seen, runs, of } = page;
  const { columns, paint } = look;
  const asked = page.why?.issue;
  const found = asked === undefined || typeof asked === "string" ? null : asked;
  const title = found?.title ?? seen?.title ?? issue.title ?? runs[0]?.title ?? "";
  const state = seen?.state ?? issue.state;
  const url = found?.url ?? seen?.url ?? issue.url;
  const facts: (readonly [string, readonly string[]])[] = [
    ["now", nowLines(page, look)],
    ["doing", page.doing === undefined ? [] : doingLines(page.doing, look.now)],
    [
      "state",
      found !== null
        ? [`${plain(found.state, TITLE_CHARS_MAX)} (in the tracker now)`]
        : state === null
          ? []
          : [`${plain(state, TITLE_CHARS_MAX)} (as last seen)`],
    ],
    ["link", url === null ? [] : [plain(url, TITLE_CHARS_MAX)]],
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

/** What the daemon does with it; of one that it has let go of, what it is and since when. */
function nowLines({ issue, besides, runs, timeline, why, of }: Page, look: Look): readonly string[] {
  const { now, isServed = true } = look;
  if (issue.claim !== null) return claimLines(issue.claim, now, { isServed, hadRun: runs.length > 0 });
  const letGo = [...timeline, ...besides]
    .filter(({ fact }) => fact.type === "released" || fact.type === "unparked")
    .reduce<TimelineRow | null>((last, row) => (last === null || row.at >= last.at ? row : last), null);
  const since = letGo === null ? [] : [`${describe(letGo.fact).message} (${relative(letGo.at, now)})`];
  const what = nowWords(why);
  if (what !== null) return [what, ...since];
  if (since.length > 0) return since;
  return [runs.length === 0 && of === "issue" ? "not worked on" : "nothing holds it"];
}

/** What the tracker's answer makes of a ticket that nobody holds; null = it was not asked. */
function nowWords(why: Why | null): string | null {
  const gates = why?.reasons[0]?.explanation.gates ?? [];
  if (why === null || why.issue === "unknown" || gates.length === 0) return null;
  if (why.issue === "gone") return "gone: the tracker shows no such issue to this key";
  const state = gates.find(({ name }) => name === "state");
  if (state?.open === false)
    return state.isEnd === true ? `done: ${state.value}` : `not worked on: ${state.value}`;
  const shut = gates.find(({ open }) => open === false);
  return shut === undefined
    ? "open: nothing stands in its way"
    : `not worked on: ${plain(shut.value, TITLE_CHARS_MAX)}`;
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

function runSection(run: RunRow, subject: Page, look: ShowLook): readonly string[] {
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

function runHeading(run: RunRow, { paint, isServed = true, ...until }: Look): string {
  const { now } = until;
  const outcome = outcomeWord(run, isServed);
  const when = `started ${fullStamp(run.startedAt)} (${relative(run.startedAt, now)})`;
  const worked = span(tookMs(run, until));
  const took =
    run.endedAt !== null
      ? `took ${worked}`
      : isServed
        ? `so far ${worked}`
        : `${worked} until the last sign of life`;
  return `${paint("bold", run.id)}  ${kindWords(run.kind, run.attempt)}: ${paint(outcomeStyle(outcome), outcome)}, ${when}, ${took}`;
}

const placeLines = ({ workspace, thread, workflow }: RunRow): readonly string[] => [
  `workflow ${plain(workflow, 80)}${thread === null ? "" : `, thread ${plain(thread, 80)}`}`,
  ...(workspace === null ? [] : [`workspace ${plain(workspace, TITLE_CHARS_MAX)}`]),
];

const missing = ({ cut }: Subject): string =>
  cut ? "          (its entries are among those left out)" : "          (no entries are kept of it)";

/** The same as JSON. */
export const showView = ({ issue, seen, runs, timeline, besides, why, doing }: Page, isServed: boolean) => ({
  issue: {
    id: issue.issueId,
    identifier: issue.identifier,
    title: seen?.title ?? issue.title ?? runs[0]?.title ?? null,
    state: seen?.state ?? issue.state,
    url: seen?.url ?? issue.url,
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
  why: why === null ? null : whyView(why),
  under_way:
    doing === undefined ? [] : doing.work.map(({ what, since }) => ({ what, since: isoTime(since) })),
  runs: runs.map((row) => runView(row, isServed)),
  timeline: [...timeline, ...besides].sort((a, b) => a.at - b.at).map(timelineView),
});
