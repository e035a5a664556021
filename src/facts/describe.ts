/**
 * What each fact says to a person: a level and one plain line, for the log and for the timeline of `baton show`. The
 * line speaks of its issue without naming it; whoever prints it puts the identifier in front.
 */
import { bytesText, type Fact, type Outcome } from "../domain/domain.ts";
import { plain, plainEnds } from "./plain.ts";
import { scanWords } from "./scan-words.ts";
import {
  clockTime,
  counted,
  duration,
  failureWords,
  inTime,
  outcomeWords,
  runWords,
  sentence,
  tokenWords,
} from "./words.ts";

/** `debug`: the machinery at work. `info`: progress. `warn`: trouble that Baton answers. `error`: a person is needed. */
export type Level = "debug" | "info" | "warn" | "error";

export interface Description {
  readonly level: Level;
  readonly message: string;
}

/** Two or three lines of a terminal: a hint must fit, an agent's essay need not. */
export const MESSAGE_CHARS_MAX = 400;
/** The part of a message that is an agent's or a server's own text. */
const QUOTE_CHARS_MAX = 200;

/** The fact in words: one line without control characters, at most `MESSAGE_CHARS_MAX` long. */
export function describe(fact: Fact): Description {
  const [level, message] = words(fact);
  // What goes wrong is said at the end of what was tried; a warning of ours says early what to do.
  const isTrouble = (level === "warn" || level === "error") && !ENDS_WITH_REMEDY.has(fact.type);
  const short = isTrouble ? plainEnds : plain;
  return { level, message: short(message, MESSAGE_CHARS_MAX) };
}

/** Those that end with what to do, of which less can be told: what went wrong stands before it, within a bound of its own. */
const ENDS_WITH_REMEDY: ReadonlySet<Fact["type"]> = new Set(["warning", "held", "run_ended"]);

/** What went wrong, where what to do follows it in the same line. */
const WHY_CHARS_MAX = 240;

type Words = readonly [Level, string];

/** Of a fact that another version wrote. */
const typeOf = (fact: never): string => (fact as Fact).type;

function words(fact: Fact): Words {
  switch (fact.type) {
    case "daemon_started":
      return [
        "info",
        `Baton ${fact.version} started (pid ${fact.pid}) with ${list(fact.workflows, "workflow")}`,
      ];
    case "survivors_ended":
      return ["warn", survivorsEnded(fact)];
    case "runs_lost":
      return ["info", runsLost(fact)];
    case "daemon_stopping":
      return ["info", `stopping: ${fact.why}; no new runs, running ones are ended`];
    case "daemon_stopped":
      return ["info", `Baton stopped after ${duration(fact.uptimeMs)}`];
    case "workflow_loaded":
      return fact.warnings.length === 0
        ? ["info", `loaded ${fact.path}`]
        : ["warn", `loaded ${fact.path} with ${list(fact.warnings, "warning")}`];
    case "workflow_rejected":
      return ["error", `cannot be used, the last good version stays in force: ${placed(fact)}`];
    case "polled":
      return ["debug", `${counted(fact.candidates, "candidate")} in the tracker (${duration(fact.tookMs)})`];
    case "scan_changed":
      return ["info", scanWords(fact)];
    case "poll_failed":
      return [
        "warn",
        `the tracker could not be asked for work (${fact.kind})${often(fact)}: ${sentence(fact.error)}${again(fact)}`,
      ];
    case "scans_paced":
      return fact.why === null
        ? ["info", `scans every ${duration(fact.everyMs)} again`]
        : [
            "info",
            `scans every ${duration(fact.everyMs)} instead of ${duration(fact.wishedMs)}: ${fact.why}`,
          ];
    case "refresh_failed":
      return [
        "warn",
        `${LOOKS[fact.asked ?? "running"]} (${fact.kind})${often(fact)}: ${sentence(fact.error)}`,
      ];
    case "tracker_answers":
      return [
        "info",
        `the tracker answers again; it was asked ${counted(fact.times, "time")} in vain for ${ASKED[fact.asked]}, within ${duration(fact.at - fact.since)}`,
      ];
    case "tracker_rates":
      return ["debug", `tracker's rate limits: ${pairs(fact.limits)}`];
    case "tracker_record_rejected":
      return ["warn", `left out an issue that cannot be read: ${fact.error}`];
    case "claimed":
      return ["info", `claimed in state "${fact.state}": ${runWords(fact.kind, fact.attempt, fact.cause)}`];
    case "retry_scheduled":
      return ["info", `runs again ${inTime(fact.retryAt, fact.at)} (attempt ${fact.attempt}): ${fact.why}`];
    case "slot_awaited":
      return ["info", `due, and waits for a slot: ${fact.why}`];
    case "released":
      return ["info", `released: ${fact.why}`];
    case "parked":
      return ["error", `parked (${fact.reason}) until a person acts: ${fact.why} ${fact.release}`];
    case "unparked":
      return ["info", `no longer parked: ${fact.why}`];
    case "release_ordered": {
      const due = fact.during === "waiting" ? "due now, and " : "";
      return ["info", `${due}its counters start again: ${fact.why}`];
    }
    case "held":
      return [
        "warn",
        `${HELD[fact.cause ?? "provider"]}, so nothing starts${until(fact)}: ${sentence(plainEnds(fact.why, WHY_CHARS_MAX))}${remedy(fact)}`,
      ];
    case "paused": {
      const until = fact.until === null ? "until somebody resumes" : `until ${clockTime(fact.until)}`;
      return ["warn", `${fact.what} is paused ${until}: ${quoted(fact.why)}${pausedBefore(fact)}`];
    }
    case "resumed":
      return ["info", `${fact.what} goes on: ${fact.why}`];
    case "draining":
      return ["info", `no new work is taken, running turns come to their end: ${quoted(fact.why)}`];
    case "day_limit_reached":
      return [
        "warn",
        `today's tokens are used up (${fact.used} of ${fact.max}): nothing new starts before ${clockTime(fact.until)}`,
      ];
    case "agent_steered":
      return [
        "warn",
        `${fact.used} of ${fact.max} tokens are used: the agent was asked to commit and come to an end`,
      ];
    case "disk_low":
      return ["warn", `nothing new starts: ${fact.why}`];
    case "disk_ok":
      return ["info", "the disk takes work again"];
    case "trial_due":
      return fact.by === "look"
        ? ["info", `Codex is looked at again now: ${fact.because}`]
        : ["info", `one run tries now whether it is over: ${fact.because}`];
    case "codex_examined":
      return codexExamined(fact);
    case "standing": {
      const until = fact.until === null ? "" : ` until ${clockTime(fact.until)}`;
      return [
        "warn",
        `${fact.what} since ${clockTime(fact.since)}${until}: ${sentence(quoted(fact.why))} ${fact.remedy}`,
      ];
    }
    case "hold_ended":
      return ["info", "runs start again"];
    case "run_started":
      return ["debug", `run started: ${runWords(fact.kind, fact.attempt)}`];
    case "run_stopping":
      // The end of the run says it again, with what it cost.
      return ["debug", `ending the run: ${fact.why}`];
    case "run_ended":
      return runEnded(fact);
    case "workspace_ready":
      return ["debug", `${fact.created ? "made" : "reused"} workspace ${fact.path}`];
    case "workspace_rescued":
      return ["info", rescued(fact)];
    case "workspace_removed":
      return ["info", `removed workspace ${fact.path}`];
    case "workspace_kept":
      return ["warn", `workspace ${fact.path} could not be removed: ${fact.error}${againWords(fact.again)}`];
    case "hook_started":
      return ["debug", `hook ${fact.hook} started`];
    case "hook_ran":
      return hookRan(fact);
    case "agent_launched":
      return ["debug", `agent process ${fact.pid} started`];
    case "thread_opened":
      return threadOpened(fact);
    case "thread_given_up":
      return ["warn", `the thread is given up, and the next run begins a new one: ${fact.why}`];
    case "turn_started":
      return ["info", `turn ${fact.turn} started`];
    case "turn_ended":
      return turnEnded(fact);
    case "usage":
      return ["debug", `the run has used ${tokenWords(fact.total)} so far`];
    case "rate_limits":
      return ["debug", `provider's rate limits: ${pairs(fact.limits)}`];
    case "command_ran":
      return commandRan(fact);
    case "files_changed":
      return [
        "info",
        `${fact.status === "completed" ? "changed" : `${fact.status}:`} ${list(fact.paths, "file")}`,
      ];
    case "agent_said":
      return ["info", `agent: ${quoted(fact.text)}`];
    case "tool_started":
      return [
        "debug",
        `${fact.tool}: ${fact.operation ?? "an operation"} (${fact.fields.join(", ")}) goes out`,
      ];
    case "tool_called":
      return toolCalled(fact);
    case "request_answered":
      // A tool call has a line of its own.
      return [
        fact.method === "item/tool/call" && fact.answer === "success" ? "debug" : "info",
        `answered "${fact.answer}" to ${fact.method}: ${quoted(fact.about)}`,
      ];
    case "agent_retrying":
      return ["warn", `the agent tries again by itself: ${fact.message}${detail(fact.detail)}`];
    case "agent_warned":
      return ["warn", `the agent warns: ${quoted(fact.message)}`];
    case "item":
      return ["debug", `${fact.kind} ${fact.status}: ${quoted(fact.summary)}`];
    case "malformed":
      return [
        "warn",
        `ignored a line from the agent that cannot be read: ${fact.error}: ${quoted(fact.line)}`,
      ];
    case "unknown_message":
      return ["debug", `ignored a message of a kind that is not known here: ${fact.method}`];
    case "warning":
      return [
        fact.over === true ? "info" : "warn",
        fact.message.trim() === "" ? "a warning without words" : fact.message,
      ];
    default:
      return ["debug", `something this version does not know: ${typeOf(fact)}`];
  }
}

type Of<T extends Fact["type"]> = Extract<Fact, { type: T }>;

function survivorsEnded({ processes, runs }: Of<"survivors_ended">): string {
  const ended = `ended ${counted(processes, "process", "processes")} that earlier runs had left running`;
  if (runs === undefined) return ended;
  if (runs === 0) return `${ended}: ${LEFT_BY_HOOKS}`;
  const were = `${counted(runs, "run")} ${runs === 1 ? "was" : "were"}`;
  return `${ended}: agents, hooks, and what those had started; ${were} under way when Baton's last process ended`;
}

const LEFT_BY_HOOKS =
  "what a hook or an agent starts does not outlive the daemon that began the run; a service that should stay has to be started outside of Baton";

function runsLost({ runs, issues, letGo }: Of<"runs_lost">): string {
  const isOne = runs === 1;
  const cut = `${counted(runs, "run")} ${isOne ? "was" : "were"} cut short when Baton's last process ended`;
  const who =
    issues.length === 0
      ? ""
      : `; ${isOne ? "its issue is" : "their issues are"} taken up again: ${named(issues)}`;
  if (letGo === 0) return cut + who;
  const gone = isOne
    ? "it is let go of, its workflow is"
    : `${letGo} of them are let go of, their workflows are`;
  return `${cut}${who}; ${gone} not run now`;
}

function runEnded({ ending, turns, tokens, tookMs }: Of<"run_ended">): Words {
  const cost = `${counted(turns, "turn")}, ${tokenWords(tokens)}, ${duration(tookMs)}`;
  const { failure } = ending;
  const why =
    failure === null
      ? ""
      : `. ${failureWords({ ...failure, message: plainEnds(failure.message, WHY_CHARS_MAX) })}`;
  return [levelOf(ending.outcome), `run ${outcomeWords(ending.outcome)} (${cost})${why}`];
}

function levelOf(outcome: Outcome): Level {
  switch (outcome) {
    case "completed":
    case "canceled":
    case "interrupted":
      return "info";
    case "failed":
    case "timed_out":
    case "stalled":
    case "lost":
      return "warn";
  }
}

function rescued({ path, to, files, commits, bytes }: Of<"workspace_rescued">): string {
  const what = [
    ...(commits > 0 ? [counted(commits, "commit")] : []),
    ...(files > 0 ? [`changes of ${counted(files, "file")}`] : []),
  ].join(" and ");
  return `saved ${what} that nobody had pushed from ${path} to ${to} (${bytesText(bytes)})`;
}

/** An error in the file begins with it. */
const placed = ({ path, error }: Of<"workflow_rejected">): string =>
  error.startsWith(path) ? error : `${path}: ${error}`;

/** A failure of the first two ends the run, which is told with it. */
function hookRan({ hook, ok, tookMs, output, error }: Of<"hook_ran">): Words {
  if (ok) return ["debug", `hook ${hook} ran (${duration(tookMs)})`];
  const said = output.trim() === "" ? "" : `; its last words: ${lastWords(output)}`;
  if (hook === "after_create" || hook === "before_run")
    return ["info", `hook ${hook} failed after ${duration(tookMs)}${said}`];
  return ["warn", `hook ${hook} failed after ${duration(tookMs)}: ${error ?? "no reason given"}${said}`];
}

function threadOpened({ resumed, why }: Of<"thread_opened">): Words {
  if (resumed) return ["info", "the agent goes on with its earlier thread"];
  return why === null
    ? ["debug", "the agent began a new thread"]
    : ["warn", `the agent began a new thread, the earlier one could not be resumed: ${why}`];
}

function turnEnded({ turn, status, failure, message }: Of<"turn_ended">): Words {
  // The run ends with it, which is told with the failure's words.
  if (failure !== null) return ["info", `turn ${turn} ${status} (${failure.kind})`];
  const said = message === null ? "" : `: ${quoted(message)}`;
  return ["info", `turn ${turn} ${status}${said}`];
}

function commandRan({ command, status, exitCode, tookMs, output }: Of<"command_ran">): Words {
  const took = tookMs === null ? "" : `, ${duration(tookMs)}`;
  const code = exitCode === null ? status : `exit ${exitCode}`;
  const said = exitCode === 0 || output.trim() === "" ? "" : `: ${lastWords(output)}`;
  return ["info", `$ ${quoted(command)} (${code}${took})${said}`];
}

function toolCalled({ tool, operation, fields, ok, error, tookMs }: Of<"tool_called">): Words {
  const what = operation ?? (fields.length === 0 ? "an operation" : fields.join(", "));
  if (ok) return ["info", `${tool}: ${what} (${duration(tookMs)})`];
  return [
    "warn",
    `${tool}: ${what} failed (${duration(tookMs)}): ${plainEnds(error ?? "no reason given", QUOTE_CHARS_MAX)}`,
  ];
}

function codexExamined({ version, unknown }: Of<"codex_examined">): Words {
  if (unknown === null) return ["debug", `Codex ${version ?? "of an unknown version"} has what is needed`];
  return [
    "info",
    `whether Codex has what is needed cannot be known, and nothing is held for it: ${plainEnds(unknown, QUOTE_CHARS_MAX)}`,
  ];
}

const HELD = {
  provider: "the provider takes no work",
  installation: "no run can begin here",
  systemic: "several runs in a row failed alike",
} as const;

const pausedBefore = ({ before }: Of<"paused">): string =>
  before === undefined ? "" : ` (since ${clockTime(before.since)} it was: ${quoted(before.why)})`;

const remedy = ({ remedy }: Of<"held">): string => (remedy === undefined ? "" : ` ${remedy}`);

const again = ({ retryAt, at }: Of<"poll_failed">): string =>
  retryAt === null ? "" : ` It is asked again ${inTime(retryAt, at)}.`;

const LOOKS = {
  running: "running issues could not be looked up, they go on",
  contenders: "issues that could start could not be looked up, they wait",
} as const;

const ASKED = {
  scan: "work",
  running: "running issues",
  contenders: "issues that could start",
} as const;

const often = ({ times, since }: Of<"poll_failed" | "refresh_failed">): string =>
  times === undefined || since === undefined ? "" : `, ${times} times in a row since ${clockTime(since)}`;

const until = ({ until: end }: Of<"held">): string =>
  end === null ? "" : ` before ${clockTime(end)}, and then one run that tries`;

const detail = (text: string | null): string => (text === null ? "" : ` (${quoted(text)})`);

const quoted = (text: string): string => plain(text, QUOTE_CHARS_MAX);

/** Output ends with what went wrong. */
const lastWords = (output: string): string => {
  const line = plain(output.trimEnd().slice(-QUOTE_CHARS_MAX * 4), QUOTE_CHARS_MAX * 4);
  return line.length <= QUOTE_CHARS_MAX ? line : `…${line.slice(1 - QUOTE_CHARS_MAX)}`;
};

/** How many of a list are named. */
const NAMED_MAX = 5;

function list(items: readonly string[], one: string): string {
  return `${counted(items.length, one)}${items.length === 0 ? "" : `: ${named(items)}`}`;
}

function named(items: readonly string[]): string {
  const more = items.length > NAMED_MAX ? `, and ${items.length - NAMED_MAX} more` : "";
  return `${items.slice(0, NAMED_MAX).join(", ")}${more}`;
}

const pairs = (limits: Readonly<Record<string, unknown>>): string =>
  Object.entries(limits)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(" ");

const againWords = (again: Extract<Fact, { type: "workspace_kept" }>["again"]): string =>
  again === undefined
    ? ""
    : again === "sweep"
      ? " It is tried again with the next sweep, in an hour at most."
      : " It is tried again with the next start.";
