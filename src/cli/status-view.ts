/** The page of `baton status`: what stops work first, then what waits for a person, then the rest. Pure. */
import { EVERYTHING, instant, type Instant, type Order, workflowName } from "../domain/domain.ts";
import { counted, plain, scanWords } from "../facts/facts.ts";
import type { Beat, OpenRun, Saved } from "../ledger/ledger.ts";
import { type Claim, dayOf } from "../scheduler/scheduler.ts";
import {
  type Column,
  fullStamp,
  isoTime,
  type Paint,
  relative,
  span,
  tableLines,
  tokenCount,
  wrapTo,
} from "../terminal/terminal.ts";
import { claimLines, claimView } from "./claim-view.ts";
import { heldReasons } from "./health.ts";
import { endWords, scansOf } from "./last-end.ts";
import { kindWords } from "./run-view.ts";
import type { Look } from "./runs-view.ts";
import { snakeCase } from "./snake-case.ts";
import type { Status } from "./status.ts";
import { stopLines, stopOf } from "./stops-view.ts";
import { type Present, type Trouble, troubles } from "./troubles.ts";

const WORDS_MAX = 300;

export function statusText(status: Status, look: Look): string {
  const { saved, lately } = status;
  const sections = [
    daemonLines(status, look),
    stopLines(saved, look),
    orderLines(status, look),
    runningLines(status, look),
    parkedLines(phase(saved.claims, "parked"), look),
    waitingLines(status, look),
    troubleLines(troubles(lately, presentOf(status, look.now)), look),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n");
}

type Phase = Claim["phase"];
type Of<P extends Phase> = Extract<Claim, { phase: P }>;

const phase = <P extends Phase>(claims: readonly Claim[], name: P): readonly Of<P>[] =>
  claims.filter((claim): claim is Of<P> => claim.phase === name);

function daemonLines(status: Status, look: Look): readonly string[] {
  const { now, paint, columns } = look;
  const { saved, ledger } = status;
  const writtenAt = writtenLast(status);
  const written = writtenAt === null ? "" : `, last written ${relative(writtenAt, now)}`;
  return [
    ...wrapTo(columns, daemonWords(status, now, paint)),
    ...troubledLines(status, look),
    ...scanLines(status, look),
    paint("dim", `ledger ${ledger}${written}`),
    paint(
      "dim",
      `${counted(saved.runsEver, "run")} ever, ${tokenCount(spentToday(status, now))} tokens today (UTC)`,
    ),
  ];
}

/** A write that the disk does not take touches the file all the same: null while nothing can be written. */
const writtenLast = ({ writtenAt, heartbeat }: Status): Instant | null =>
  (heartbeat?.beat?.stuck ?? null) === null ? writtenAt : null;

function daemonWords(
  { health, holder, heartbeat, saved, ended }: Status,
  now: Instant,
  paint: Paint,
): string {
  const [why = ""] = health.reasons;
  if (health.state === "down") {
    const left = saved.open.length;
    const open = left === 0 ? "" : ` Cut short: ${counted(left, "run")}, to be taken up at the next start.`;
    const end = ended === null ? "" : ` ${endWords(ended, now)}`;
    // One that is stopped has its runs still.
    return holder === null ? `${paint("red", why)}${end}${open}` : paint("red", why);
  }
  if (holder === null) return paint("green", "A daemon is starting.");
  const since = instant(Date.parse(holder.since));
  const names = holder.workflows.map((path) => plain(path, WORDS_MAX)).join(", ");
  const of = `since ${fullStamp(since)} (${relative(since, now)}), pid ${holder.pid}, with ${names}`;
  const phase = heartbeat?.beat?.phase ?? "serving";
  const word = phaseWords[phase];
  return `${paint(health.state === "serving" && phase === "serving" ? "green" : "yellow", word)} ${of}`;
}

const phaseWords: Readonly<Record<Beat["phase"], string>> = {
  starting: "Starting",
  serving: "Serving",
  draining: "Draining (no new work is taken; it ends with its last run), serving",
  stopping: "Stopping, serving",
  stopped: "Stopped, serving",
};

/** What keeps it from serving all that it should. Holds have a section of their own. */
const troubledLines = ({ health, saved }: Status, { columns, paint }: Look): readonly string[] =>
  health.state !== "degraded"
    ? []
    : health.reasons
        .filter((why) => !heldReasons(saved.holds).includes(why))
        .flatMap((why) => wrapTo(Math.max(40, columns - 2), plain(why, WORDS_MAX)))
        .map((line) => `  ${paint("yellow", line)}`);

/** When each tracker was last heard of, and what came of it; and who waits for an answer in vain. */
function scanLines({ heartbeat, saved }: Status, { now, columns, paint }: Look): readonly string[] {
  return (heartbeat?.beat?.workflows ?? []).flatMap((workflow) => {
    const { name, scannedAt, counts, paced, pollIntervalMs, unanswered, gate, broken, diskLow } = workflow;
    const when = scannedAt === null ? "no scan yet" : `scanned ${relative(scannedAt, now)}`;
    const found = counts === null ? "" : `: ${plain(scanWords(counts), WORDS_MAX)}`;
    const slower =
      paced === undefined
        ? ""
        : `; scans every ${span(pollIntervalMs)} instead of ${span(paced.wishedMs)}: ${plain(paced.why, WORDS_MAX)}`;
    const told = `${plain(name, 80)} ${when}${found}${slower}`;
    const scanned = wrapTo(columns, told).map((line) => paint("dim", line));
    const isTold =
      gate === undefined || broken !== null || diskLow !== null || stopOf(saved, workflowName(name)) !== null;
    const shut = isTold
      ? []
      : wrapTo(columns, `${plain(name, 80)} starts nothing new just now: ${plain(gate, WORDS_MAX)}`);
    scanned.push(...shut.map((line) => paint("yellow", line)));
    if (unanswered === null) return scanned;
    const warned = wrapTo(columns, `${plain(name, 80)}: ${plain(unanswered, WORDS_MAX)}`);
    return [...scanned, ...warned.map((line) => paint("yellow", line))];
  });
}

/** What people have ordered and nobody has obeyed yet. */
function orderLines({ orders, health, holder }: Status, { columns, paint }: Look): readonly string[] {
  if (orders.length === 0) return [];
  const isGone = holder === null;
  const when =
    health.state !== "down"
      ? "not obeyed yet"
      : isGone
        ? "obeyed when a daemon starts"
        : "obeyed when the daemon goes on";
  return orders
    .flatMap(({ id, order }) => wrapTo(columns, `order ${id}, ${when}: ${orderWords(order)}`))
    .map((line) => paint("yellow", line));
}

function orderWords(order: Order): string {
  switch (order.type) {
    case "pause":
      return `pause ${scopeWords(order.scope)} (${plain(order.why, WORDS_MAX)})`;
    case "resume":
      return `resume ${scopeWords(order.scope)}`;
    case "drain":
      return `drain (${plain(order.why, WORDS_MAX)})`;
    case "release":
      return `release ${plain(order.issue, 80)}`;
    case "release_all":
      return `release all that is parked${order.reason === null ? "" : ` (${order.reason})`}`;
  }
}

const scopeWords = (scope: string): string => (scope === EVERYTHING ? "everything" : plain(scope, 80));

/** Of a daemon that has ended, how things were then: what it saw mended is mended. */
const presentOf = ({ health, holder, heartbeat, ended }: Status, now: Instant): Present =>
  health.state === "down" || holder === null
    ? { now, servingSince: ended?.since ?? null, scans: ended?.scans ?? scansOf(heartbeat) }
    : { now, servingSince: instant(Date.parse(holder.since)), scans: scansOf(heartbeat) };

const spentToday = ({ saved }: Status, now: Instant): number =>
  saved.spent.day === dayOf(now) ? saved.spent.tokens : 0;

function parkedLines(parked: readonly Of<"parked">[], { now, columns, paint }: Look): readonly string[] {
  if (parked.length === 0) return [];
  const entry = (claim: Of<"parked">): readonly string[] => [
    `  ${paint("bold", plain(claim.issue.identifier, 24))}  ${plain(claim.issue.title, WORDS_MAX)}`,
    ...claimLines(claim, now)
      .flatMap((line) => wrapTo(Math.max(40, columns - 4), line))
      .map((line) => `    ${line}`),
  ];
  return [
    paint("yellow", `${counted(parked.length, "ticket")} parked, each waits for a person`),
    ...parked.flatMap(entry),
  ];
}

function runningLines({ saved, health, holder }: Status, { now, columns, paint }: Look): readonly string[] {
  const running = runsOf(saved);
  if (health.state === "down" && holder === null) return [];
  if (running.length === 0) return ["Nothing is running."];
  const rows: readonly Column<RunNow>[] = [
    { title: "ISSUE", text: ({ identifier }) => plain(identifier, 24), style: () => "bold" },
    { title: "RUN", text: ({ runId }) => runId },
    { title: "NOW", text: ({ pid, turns }) => doing(pid, turns), style: () => "cyan" },
    { title: "FOR", text: ({ startedAt }) => span(now - startedAt), align: "right" },
    { title: "TOKENS", text: ({ tokens }) => tokenCount(tokens.total), align: "right" },
    { title: "PID", text: ({ pid }) => (pid === null ? "-" : String(pid)), align: "right" },
    { title: "TITLE", text: ({ title }) => plain(title, WORDS_MAX), restMin: 12 },
  ];
  return [`${running.length} running`, ...tableLines(rows, running, columns, paint)];
}

type RunNow = OpenRun & { readonly title: string };

/** The claim of a run is written down when it begins; how far it has come is in its row. */
function runsOf({ open, claims }: Saved): readonly RunNow[] {
  const titles = new Map(claims.map(({ issue }) => [issue.id, issue.title]));
  return open.map((run) => ({ ...run, title: titles.get(run.issueId) ?? "" }));
}

const doing = (pid: number | null, turns: number): string => {
  if (turns > 0) return `turn ${turns}`;
  return pid === null ? "preparing" : "starting";
};

function waitingLines({ saved, heartbeat }: Status, { now, columns, paint }: Look): readonly string[] {
  const waiting = phase(saved.claims, "waiting");
  if (waiting.length === 0) return [];
  const gates = gatesOf(heartbeat);
  const rows: readonly Column<Of<"waiting">>[] = [
    { title: "ISSUE", text: ({ issue }) => plain(issue.identifier, 24), style: () => "bold" },
    {
      title: "NEXT",
      text: ({ kind, attempt, issue }) =>
        kindWords(kind, attempt, (saved.tallies.get(issue.id)?.last ?? null) !== null),
    },
    {
      title: "WHEN",
      text: ({ retryAt, workflow }) =>
        retryAt > now
          ? relative(retryAt, now)
          : (stopOf(saved, workflow) ?? (gates.has(workflow) ? "held back" : "now")),
    },
    {
      title: "WHY",
      text: (claim) => plain(waitsFor(claim, gates.get(claim.workflow), now), WORDS_MAX),
      restMin: 12,
    },
  ];
  const next = waiting.toSorted((a, b) => a.retryAt - b.retryAt);
  return [`${waiting.length} waiting`, ...tableLines(rows, next, columns, paint)];
}

/** Of one that is due, what keeps it; of another, why it runs again at all. */
function waitsFor(
  { retryAt, slot, failure, why }: Of<"waiting">,
  gate: string | undefined,
  now: Instant,
): string {
  if (retryAt <= now && gate !== undefined) return gate;
  return slot !== undefined && retryAt <= now ? `for a slot: ${slot}` : (failure?.message ?? why);
}

/** Why nothing starts in a workflow at this moment, by its name. */
const gatesOf = (heartbeat: Status["heartbeat"]): ReadonlyMap<string, string> =>
  new Map(
    (heartbeat?.beat?.workflows ?? []).flatMap(({ name, gate }) =>
      gate === undefined ? [] : [[name, gate] as const],
    ),
  );

function troubleLines(found: readonly Trouble[], { now, columns, paint }: Look): readonly string[] {
  if (found.length === 0) return [];
  const entry = ({ level, message, count, last }: Trouble): readonly string[] => {
    const often = count === 1 ? relative(last, now) : `${count} times, last ${relative(last, now)}`;
    return wrapTo(Math.max(40, columns - 2), `${often}: ${message}`).map((line, n) =>
      paint(level === "error" ? "red" : "dim", n === 0 ? `  ${line}` : `    ${line}`),
    );
  };
  return ["Warnings of the last day that are of no single run", ...found.flatMap(entry)];
}

/** Something has the ledger, whether it answers or not. */
const isHeld = ({ health, holder }: Status): boolean => health.state !== "down" || holder !== null;

/** The same as JSON. */
export const statusView = (status: Status, now: Instant) => ({
  ledger: status.ledger,
  health: status.health,
  last_written_at: isoTime(writtenLast(status)),
  daemon: isHeld(status)
    ? {
        pid: status.holder?.pid ?? null,
        since: status.holder?.since ?? null,
        workflows: status.holder?.workflows ?? [],
        phase: status.heartbeat?.beat?.phase ?? null,
        heartbeat_at: isoTime(status.heartbeat?.at ?? null),
      }
    : null,
  last_end:
    status.ended === null
      ? null
      : { how: status.ended.how, why: status.ended.why, at: isoTime(status.ended.at) },
  workflows: (status.heartbeat?.beat?.workflows ?? []).map(
    ({ scannedAt, paceSince = null, looks, doubts = [], ...of }) =>
      snakeCase({
        ...of,
        scannedAt: isoTime(scannedAt),
        paceSince: isoTime(paceSince),
        looks: looks === undefined ? null : { ...looks, until: isoTime(looks.until) },
        doubts: doubts.map((doubt) => ({ ...doubt, again: isoTime(doubt.again) })),
      }),
  ),
  orders: status.orders.map(({ id, order }) => snakeCase({ id, ...order })),
  tokens_today: spentToday(status, now),
  pauses: [...status.saved.pauses].map(([scope, { why, since, until }]) => ({
    workflow: scope === EVERYTHING ? null : scope,
    why,
    since: isoTime(since),
    until: isoTime(until),
  })),
  holds: [...status.saved.holds].map(([workflow, { cause, why, remedy, since, until }]) => ({
    workflow,
    cause,
    why,
    remedy,
    since: isoTime(since),
    until: isoTime(until),
  })),
  running: runsOf(status.saved).map(({ runId, identifier, turns, tokens, pid, startedAt }) => ({
    run_id: runId,
    identifier,
    started_at: isoTime(startedAt),
    turns,
    total_tokens: tokens.total,
    pid,
  })),
  issues: status.saved.claims.map((claim) => ({
    identifier: claim.issue.identifier,
    title: claim.issue.title,
    workflow: claim.workflow,
    claim: claimView(claim),
  })),
  warnings: troubles(status.lately, presentOf(status, now)).map(({ level, message, count, last }) => ({
    level,
    message,
    count,
    last: isoTime(last),
  })),
});
