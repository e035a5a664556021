/** Trees of processes under a small app-server: how they are planted, and how they are found, mark or no mark. */
import { fileURLToPath } from "node:url";
import { specWith } from "../../unit/agent/heard.ts";
import type { AgentSpec } from "../../../src/agent/port.ts";

const server = fileURLToPath(new URL("server.sh", import.meta.url));

/** What is planted, as the functions of server.sh are called. All of these must go with their run. */
export const trees = [
  "group",
  "own_session",
  "double_fork",
  "closed_streams",
  "deaf",
  "stopped",
  "storm",
  "hydra",
  "leaked_output",
  "changed_environment",
  "handed_on",
  "thread_only",
  "bare_child",
  "escaped",
  "escaped_with_output",
] as const;

export type Tree = (typeof trees)[number];

/** How a run comes to its end. */
export const ends = ["stop", "stubborn", "exit", "killed"] as const;
export type End = (typeof ends)[number];

/**
 * Trees that no trace leads to: without any mark, and handed on to process 1 before anybody looked. A child that hangs
 * on its parent alone is lost with it when the parent goes by itself.
 */
export const mayEscape = (tree: Tree, end: End | "daemon killed"): boolean =>
  tree === "escaped" ||
  tree === "escaped_with_output" ||
  (tree === "bare_child" && end !== "stop" && end !== "stubborn");

/** Letters that stand in the command lines of one tree alone. */
export const tokenOf = (name: string): string => `f14x${process.pid}x${name}x`;

export const commandOf = (token: string, words: readonly string[]): string =>
  `exec bash '${server}' ${[token, ...words].join(" ")}`;

/** What an agent of the tests is told, with its mark and command. */
export const specOf = (mark: string, command: string, workspace: string): AgentSpec => ({
  ...specWith({ workspace, codex: { command } }),
  mark,
});

/** An empty home: the login shell has no profile to run. */
export const plainEnv = (home: string): Readonly<Record<string, string>> => ({
  PATH: process.env["PATH"] ?? "",
  HOME: home,
});
