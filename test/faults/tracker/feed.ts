/** Feeds replies to the real Linear adapter, through a transport in memory, and holds what comes out against the oracle. */
import { isDeepStrictEqual } from "node:util";
import { issueId, type IssueSummary } from "../../../src/domain/issue.ts";
import { instant } from "../../../src/domain/time.ts";
import { createLinearTracker } from "../../../src/tracker/linear/linear.ts";
import { TrackerError, type Tracker } from "../../../src/tracker/port.ts";
import { verdictOn, type Expected } from "./oracle.ts";
import { replyTo, type Replies, type Scenario } from "./replies.ts";

const never = new AbortController().signal;
const apiKey = "lin_api_SecretOfTheFaultSuite";
const now = instant(1_795_000_000_000);

/** More would be paging without a bound: 200 pages, and some to find out who somebody is. */
export const REQUESTS_MAX = 205;

/** What a person reads of one failure, or of all records left out of one list. */
const WORDS_MAX = 2_000;
const TOLD_MAX = 11;

export interface Fed {
  /** What is wrong, in words; null = the adapter did what it must. */
  readonly problem: string | null;
  readonly kind: TrackerError["kind"] | null;
  readonly issues: number;
  readonly told: number;
  readonly requests: number;
  /** What the adapter took, without the oracle. */
  readonly cpuMs: number;
}

interface Outcome {
  readonly issues: readonly IssueSummary[] | null;
  readonly error: unknown;
}

export async function feed(scenario: Scenario, replies: Replies): Promise<Fed> {
  const told: string[] = [];
  let requests = 0;
  const tracker = createLinearTracker(
    {
      kind: "linear",
      endpoint: "https://linear.invalid/graphql",
      apiKey,
      projectSlug: "demo",
      assignee: scenario.assignee,
      requiredLabels: [],
      activeStates: ["Todo", "In Progress"],
      terminalStates: ["Done"],
    },
    { rates: () => {}, rejected: (words) => void told.push(...words) },
    () => now,
    {
      send: async ({ body: question }) => {
        requests++;
        const { status, body } = replyTo(replies, ...asked(question));
        return { status, headers: {}, body: [Buffer.from(body)] };
      },
    },
  );
  const began = process.cpuUsage();
  const outcome = await outcomeOf(scenario, tracker);
  const { user, system } = process.cpuUsage(began);
  const problem = problemOf(scenario, replies, outcome) ?? problemOfWords(told);
  const kind = outcome.error instanceof TrackerError ? outcome.error.kind : null;
  const tooMany = requests > REQUESTS_MAX ? `${requests} requests for one call` : null;
  return {
    problem: problem ?? tooMany,
    kind,
    issues: outcome.issues?.length ?? 0,
    told: told.length,
    requests,
    cpuMs: (user + system) / 1_000,
  };
}

/** Which of the adapter's questions this is. */
function asked(body: string): readonly [string, string | null] {
  const { query, variables } = JSON.parse(body) as { query: string; variables?: { after?: string } };
  return [/\bBaton\w+/.exec(query)?.[0] ?? "query", variables?.after ?? null];
}

async function outcomeOf(scenario: Scenario, tracker: Tracker): Promise<Outcome> {
  try {
    return { issues: await called(scenario, tracker), error: null };
  } catch (error) {
    return { issues: null, error };
  }
}

async function called({ call, ids }: Scenario, tracker: Tracker): Promise<readonly IssueSummary[]> {
  const issues = ids.map(issueId);
  switch (call) {
    case "candidates":
      return tracker.candidates(never);
    case "inStates":
      return tracker.inStates(["Done"], never);
    case "statuses":
      return tracker.statuses(issues, never);
    case "issues":
      return tracker.issues(issues, never);
    case "whoAmI":
      await tracker.whoAmI(never);
      return [];
    case "graphql":
      return asAgent(tracker);
  }
}

/** The tool answers whatever happens; the key must not be in what it says. */
async function asAgent(tracker: Tracker): Promise<readonly IssueSummary[]> {
  const [tool] = tracker.tools({ mark: "run", publish: () => {}, record: () => {} });
  const answer = await tool?.call({ query: "query { issue }" }, "call", never);
  if (answer === undefined || answer.text.includes(apiKey)) throw new Error("no answer, or one with the key");
  return [];
}

function problemOf(scenario: Scenario, replies: Replies, { issues, error }: Outcome): string | null {
  if (issues === null) return problemOfError(error) ?? problemOfFailing(scenario, replies, String(error));
  // The agent gets whatever is a GraphQL answer; there is no record to be right or wrong.
  if (scenario.call === "graphql") return null;
  const verdict = verdictOn(scenario, replies);
  if (verdict === null) return `made ${issues.length} issues of what cannot be believed`;
  const found = new Map(issues.map((issue) => [String(issue.id), issue]));
  if (found.size !== issues.length) return "the same issue twice";
  const missing = verdict.filter(({ id }) => !found.has(id));
  if (missing.length > 0) return `left out ${missing.map(({ id }) => id).join(", ")}`;
  if (issues.length > verdict.length) return "made an issue of a bad record";
  const wrong = verdict.find((expected) => !isAs(expected, found.get(expected.id)));
  return wrong === undefined ? null : `made something else of ${JSON.stringify(wrong).slice(0, 500)}`;
}

/** Failing is right only where something is wrong. */
function problemOfFailing(scenario: Scenario, replies: Replies, words: string): string | null {
  if (scenario.call === "graphql") return null;
  return verdictOn(scenario, replies) === null ? null : `failed although everything can be read (${words})`;
}

function problemOfError(error: unknown): string | null {
  if (!(error instanceof TrackerError)) return `threw ${String(error).slice(0, 200)}`;
  if (error.hint === "" || !error.message.endsWith(error.hint))
    return "an error that does not say what to do";
  return problemOfWords([error.message]);
}

function problemOfWords(words: readonly string[]): string | null {
  if (words.length > TOLD_MAX) return `${words.length} lines about one list`;
  if (words.some((line) => line.length > WORDS_MAX)) return "more words than anybody reads";
  return words.some((line) => line.includes(apiKey)) ? "the key in its words" : null;
}

/** Titles are cut, with an ellipsis for the last character. */
const TITLE_MAX = 500;

function isAs(expected: Expected, issue: IssueSummary | undefined): boolean {
  const { title, ...fields } = expected;
  if (issue === undefined) return false;
  const same = Object.entries(fields).every(([name, value]) =>
    isDeepStrictEqual(value, (issue as unknown as Record<string, unknown>)[name]),
  );
  const wanted = title.length <= TITLE_MAX ? title : `${title.slice(0, TITLE_MAX - 1).toWellFormed()}…`;
  return same && issue.title === wanted;
}
