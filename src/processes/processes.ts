/** The face of this folder: processes of the system, whoever they belong to. It knows neither Codex nor workspaces. */
export { isAlive } from "./alive.ts";
export { type Census, wholeEntry } from "./census.ts";
export { type CommandEnd, type CommandResult, runCommand } from "./command.ts";
export { withDeadline } from "./deadline.ts";
export { end, eventually, type Step } from "./ending.ts";
export { Excerpt } from "./excerpt.ts";
export { Family } from "./family.ts";
export { killQuietly } from "./kill.ts";
export { loginShellMs, SHELL_HANGS, SHELL_MAX_MS, type Shell } from "./login-shell.ts";
export { machine, weaknessOf } from "./machine.ts";
export { Tail } from "./tail.ts";
export { within } from "./within.ts";
