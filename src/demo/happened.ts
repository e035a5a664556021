/** Which facts a person who watches wants to see, and in which words. The rest is for the log and the ledger. */
import type { Fact } from "../domain/domain.ts";
import type { BoardChange } from "./board/board.ts";
import { describe, duration, outcomeWords } from "../facts/facts.ts";

export interface Happened {
  readonly text: string;
  /** Something did not work. */
  readonly trouble: boolean;
}

const told: ReadonlySet<Fact["type"]> = new Set([
  "run_started",
  "turn_started",
  "agent_said",
  "command_ran",
  "files_changed",
  "turn_ended",
  "retry_scheduled",
  "run_ended",
]);

/** The fact in words; null when it is not for people who watch. Trouble always is. */
export function happened(fact: Fact): Happened | null {
  if (fact.type === "agent_warned") return null; // about Codex's own setup; `baton doctor` is the place for that
  const { level, message } = describe(short(fact));
  const trouble = level === "warn" || level === "error";
  if (!trouble && !told.has(fact.type) && !isResumed(fact)) return null;
  return { text: fact.type === "run_ended" ? runEnded(fact) : message, trouble };
}

const isResumed = (fact: Fact): boolean => fact.type === "thread_opened" && fact.resumed;

/** Without the costs, which have a column of their own. */
function runEnded({ ending, tookMs }: Extract<Fact, { type: "run_ended" }>): string {
  const why = ending.failure === null ? "" : `: ${ending.failure.message}`;
  return `run ${outcomeWords(ending.outcome)} after ${duration(tookMs)}${why}`;
}

/** Less of what a log has to say: the shell around a command, the way to a file, words that were just said. */
function short(fact: Fact): Fact {
  if (fact.type === "command_ran") return { ...fact, command: bareCommand(fact.command) };
  if (fact.type === "turn_ended" && fact.failure === null) return { ...fact, message: null };
  if (fact.type !== "files_changed") return fact;
  return { ...fact, paths: fact.paths.map((path) => path.split(`/${fact.identifier}/`).at(-1) ?? path) };
}

/** `./test.sh` of `/bin/bash -lc './test.sh'`. */
export function bareCommand(command: string): string {
  const [, quoted, plain] = /^\S*\/(?:ba|z|da)?sh -l?c (?:'(.*)'|(\S+))$/s.exec(command) ?? [];
  // How a quote is written inside of single quotes, and how Codex writes those that need it.
  return (quoted ?? plain ?? command).replaceAll(`'\\''`, "'").replaceAll(`'"'"'`, "'");
}

/** What changed on the board, in words: this is what people outside see of the work. */
export function changed(change: BoardChange, stateName: (id: string) => string): Happened | null {
  if (change.type === "comment_added") {
    return { text: `commented: ${change.comment.body.split("\n")[0] ?? ""}`, trouble: false };
  }
  if (change.type !== "issue_changed" || change.before.stateId === change.issue.stateId) return null;
  const [from, to] = [stateName(change.before.stateId), stateName(change.issue.stateId)];
  return { text: `moved from "${from}" to "${to}"`, trouble: false };
}
