/** What happened inside a turn: Codex's items as facts, and which of them are still under way. */
import type { FactBody, Instant, UnderWay } from "../../domain/domain.ts";
import { UNDER_WAY_MAX } from "../port.ts";
import { cut } from "./failures.ts";
import { type Fields, fieldsOf, idOf, numberOf, textOf } from "./message.ts";

/** Enough to see how a command ended, or what was said; the whole is in Codex's own rollout. */
const TEXT_CHARS_MAX = 4096;
const SUMMARY_CHARS_MAX = 300;
const PATHS_MAX = 100;
const PATH_CHARS_MAX = 1024;
const WORD_CHARS_MAX = 100;

/** Items under way at once; a server that opens more than this and closes none is not counted further. */
const OPEN_MAX = 4096;

type Work = "command" | "call";

/**
 * Work that may be silent for long: a command for as long as a turn may, a call for as long as somebody else may take to
 * answer. Text under way is not work: a stream that broke off is begun anew, and its first item never completes.
 */
const WORK: ReadonlyMap<string, Work> = new Map([
  ["commandExecution", "command"],
  ["sleep", "command"],
  ["fileChange", "call"],
  ["mcpToolCall", "call"],
  ["dynamicToolCall", "call"],
  ["collabAgentToolCall", "call"],
  ["webSearch", "call"],
  ["imageGeneration", "call"],
]);

/** Items of work that have started and not completed. */
export class OpenItems {
  readonly #open = new Map<string, UnderWay & { readonly work: Work }>();

  get commands(): number {
    return this.#count("command");
  }

  get calls(): number {
    return this.#count("call");
  }

  /** What they are, the oldest first. */
  underWay(): readonly UnderWay[] {
    return [...this.#open.values()].slice(0, UNDER_WAY_MAX).map(({ what, since }) => ({ what, since }));
  }

  started(item: Fields, since: Instant): void {
    const id = idOf(item["id"]);
    const work = WORK.get(textOf(item["type"]) ?? "");
    if (id === null || work === undefined) return;
    if (this.#open.size < OPEN_MAX) this.#open.set(id, { work, what: wordsOf(item), since });
  }

  completed(item: Fields): void {
    const id = idOf(item["id"]);
    if (id !== null) this.#open.delete(id);
  }

  /** An interrupted turn leaves items behind that nobody completes. */
  clear(): void {
    this.#open.clear();
  }

  #count(work: Work): number {
    return [...this.#open.values()].filter((one) => one.work === work).length;
  }
}

/** What an item of work does, as a person would call it. */
function wordsOf(item: Fields): string {
  const kind = textOf(item["type"]) ?? "";
  if (kind === "commandExecution") return cut(`$ ${textOf(item["command"]) ?? ""}`, SUMMARY_CHARS_MAX);
  const of = kind === "fileChange" ? pathsOf(item["changes"]).join(", ") : summaryOf(item);
  return cut(of === "" ? kind : `${kind}: ${of}`, SUMMARY_CHARS_MAX);
}

/** A completed item as a fact. Null for the echo of our own prompt. */
export function itemFact(item: Fields): FactBody | null {
  const kind = cut(textOf(item["type"]) ?? "unknown", WORD_CHARS_MAX);
  switch (kind) {
    case "userMessage":
      return null;
    case "commandExecution":
      return commandRan(item);
    case "fileChange":
      return { type: "files_changed", status: statusOf(item), paths: pathsOf(item["changes"]) };
    case "agentMessage":
      return { type: "agent_said", text: cut(textOf(item["text"]) ?? "", TEXT_CHARS_MAX) };
    default:
      return { type: "item", kind, status: statusOf(item), summary: cut(summaryOf(item), SUMMARY_CHARS_MAX) };
  }
}

const statusOf = (item: Fields): string => cut(textOf(item["status"]) ?? "completed", WORD_CHARS_MAX);

const commandRan = (item: Fields): FactBody => ({
  type: "command_ran",
  command: cut(textOf(item["command"]) ?? "", TEXT_CHARS_MAX),
  status: statusOf(item),
  exitCode: numberOf(item["exitCode"]),
  tookMs: numberOf(item["durationMs"]),
  output: lastPart(textOf(item["aggregatedOutput"]) ?? ""),
});

/** What went wrong is at the end. */
const lastPart = (text: string): string =>
  text.length > TEXT_CHARS_MAX ? `…${text.slice(-TEXT_CHARS_MAX)}` : text;

function pathsOf(changes: unknown): readonly string[] {
  // A map by path in older versions.
  const paths = Array.isArray(changes)
    ? changes.map((change) => textOf(fieldsOf(change)["path"]) ?? "")
    : Object.keys(fieldsOf(changes));
  const named = paths.filter((path) => path !== "").slice(0, PATHS_MAX);
  return named.map((path) => cut(path, PATH_CHARS_MAX));
}

function summaryOf(item: Fields): string {
  const { server, tool, summary, query, text, path, review } = item;
  const error = textOf(fieldsOf(item["error"])["message"]);
  const named = [textOf(server), textOf(tool)].filter((part) => part !== null).join("/");
  const thought = Array.isArray(summary) ? textOf(summary[0]) : null;
  const words = [named, thought, textOf(query), textOf(text), textOf(path), textOf(review), error];
  return words.filter((word) => word !== null && word !== "").join(": ");
}
