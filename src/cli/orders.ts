/** `baton pause`, `resume`, `drain`, `release`: an order goes into the ledger, and the daemon's answer comes back from it. */
import {
  after,
  EVERYTHING,
  instant,
  type IssueId,
  NOT_HELD,
  type Order,
  type ParkReason,
  type PauseScope,
  REFUSED,
  workflowName,
} from "../domain/domain.ts";
import { setTimeout as sleep } from "node:timers/promises";
import {
  answerTo,
  giveOrder,
  heartbeatOf,
  type LedgerReader,
  lockState,
  type TimelineRow,
} from "../ledger/ledger.ts";
import { CliError, EXIT, type ExitCode } from "./exit.ts";
import { aboutLedger, askLedger, ledgerAt, type LedgerChoice } from "./ledger-at.ts";
import { notHeld, refusal } from "./order-check.ts";
import type { Output } from "../terminal/terminal.ts";
import { drainingWords, type Seen, unansweredWords } from "./unanswered.ts";

/** The daemon looks for orders twice a second; one that has not answered by then is not running, or very busy. */
const ANSWER_MS = 3_000;
const LOOK_EVERY_MS = 100;

export interface OrderOptions extends LedgerChoice {
  readonly json?: boolean;
}

export interface PauseOptions extends OrderOptions {
  readonly workflow?: string;
  /** Milliseconds. */
  readonly for?: number;
  readonly why?: string;
}

export interface ReleaseOptions extends OrderOptions {
  readonly all?: boolean;
  readonly reason?: ParkReason;
  readonly addRuns: number;
  readonly addTokens: number;
  readonly newThread?: boolean;
}

const scopeOf = (workflow: string | undefined): PauseScope =>
  workflow === undefined ? EVERYTHING : workflowName(workflow);

/** Starts nothing new until resumed, or for some time. Survives restarts. @throws CliError, LedgerError */
export function pause(options: PauseOptions, output: Output): Promise<ExitCode> {
  const now = instant(Date.now());
  const until = options.for === undefined ? null : after(now, options.for);
  return give(
    { type: "pause", scope: scopeOf(options.workflow), why: options.why ?? "no reason was given", until },
    options,
    output,
  );
}

/** Ends a pause. @throws CliError, LedgerError */
export const resume = (options: PauseOptions, output: Output): Promise<ExitCode> =>
  give({ type: "resume", scope: scopeOf(options.workflow) }, options, output);

/** Takes no new work, lets running turns end, then ends the daemon. @throws CliError, LedgerError */
export const drain = (options: PauseOptions, output: Output): Promise<ExitCode> =>
  give({ type: "drain", why: options.why ?? "somebody asked for it" }, options, output);

/** Lets go of a parked issue, or of all of them, or tries a waiting one now. @throws CliError, LedgerError */
export async function release(
  issue: string | undefined,
  options: ReleaseOptions,
  output: Output,
): Promise<ExitCode> {
  const { all = false, reason, addRuns, addTokens } = options;
  if (all && (issue !== undefined || addRuns + addTokens > 0 || options.newThread === true))
    throw new CliError(
      EXIT.usage,
      "--all releases whatever is parked: name no ticket and grant nothing with it.",
    );
  if (all) return give({ type: "release_all", reason: reason ?? null }, options, output);
  if (reason !== undefined) throw new CliError(EXIT.usage, "--reason belongs to --all.");
  if (issue === undefined)
    throw new CliError(EXIT.usage, "Which ticket? Name one (baton release MT-12), or --all that are parked.");
  const more = options.newThread === true ? { newThread: true as const } : {};
  return give({ type: "release", issue, addRuns, addTokens, ...more }, options, output);
}

async function give(order: Order, options: OrderOptions, output: Output): Promise<ExitCode> {
  const path = await ledgerAt(options);
  const before = await seenAt(path);
  const { held } = before;
  // Says where it looked when there is no ledger: an order into a new, empty one would never be read.
  const wrong = await askLedger(path, (ledger) => refusal(ledger, order, held));
  if (wrong !== null) throw new CliError(EXIT.failure, wrong);
  if (order.type === "drain" && !held)
    return tell(null, false, "no daemon works on this ledger: there is nothing to drain", options, output);
  const begun = order.type === "drain" ? await drainingAt(path, before) : null;
  if (begun !== null) return tell(null, false, begun, options, output);
  const givenAt = instant(Date.now());
  const id = await aboutLedger(() => giveOrder(path, order, givenAt));
  const answer = await aboutLedger(() => answered(path, id));
  if (answer?.startsWith(REFUSED) === true) {
    if (options.json === true) tell(id, false, answer, options, output);
    else output.err(`baton: ${answer.slice(REFUSED.length)}`);
    return EXIT.failure;
  }
  const words =
    (order.type === "release" && answer?.startsWith(NOT_HELD) === true
      ? await heldByNobody(path, order.issue)
      : null) ??
    answer ??
    unansweredWords(order, await seenAt(path), givenAt);
  return tell(id, answer !== null, words, options, output);
}

const seenAt = async (path: string): Promise<Seen> => ({
  ...(await aboutLedger(() => lockState(path))),
  heartbeat: heartbeatOf(path),
});

/** More than enough: a daemon that ends has little else to say. */
const LATELY_MAX = 500;

const drainingAt = (path: string, seen: Seen): Promise<string | null> =>
  askLedger(path, (ledger) =>
    drainingWords(seen, ledger.lately(instant(Date.parse(seen.holder?.since ?? "") || 0), LATELY_MAX)),
  );

/** What became of a ticket that nothing holds, and so cannot be released; null = something holds it. */
const heldByNobody = (path: string, name: string): Promise<string | null> =>
  askLedger(path, (ledger) => {
    const issue = ledger.issue(name);
    return issue === null || issue.claim !== null ? null : notHeld(issue, lately(ledger, issue.issueId));
  });

/** Oldest first: what happened in its last run, and apart from its runs. */
const lately = (ledger: LedgerReader, issue: IssueId): readonly TimelineRow[] =>
  [
    ...ledger.timeline(
      ledger.runs({ issue, limit: 1 }).map(({ id }) => id),
      EVENTS_MAX,
    ),
    ...ledger.besides(issue, EVENTS_MAX),
  ].toSorted((a, b) => a.at - b.at);

/** Of what happened to a ticket, what is looked through for why it was let go of. */
const EVENTS_MAX = 200;

function tell(
  order: number | null,
  obeyed: boolean,
  answer: string,
  { json }: OrderOptions,
  output: Output,
): ExitCode {
  output.out(json === true ? JSON.stringify({ order, obeyed, answer }) : answer);
  return EXIT.ok;
}

async function answered(path: string, id: number): Promise<string | null> {
  for (let waited = 0; waited < ANSWER_MS; waited += LOOK_EVERY_MS) {
    const answer = answerTo(path, id);
    if (answer !== null) return answer;
    await sleep(LOOK_EVERY_MS);
  }
  return null;
}
