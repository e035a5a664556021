/** Ways in which an agent's process dies or might as well have, and what has to be said of each. */
import type { FailureKind } from "../../../src/domain/failure.ts";

export interface Death {
  readonly name: string;
  /** `codex.command`: a word of server.sh, or a program of its own. */
  readonly command: { readonly server: string } | { readonly program: "missing" | "not executable" };
  /** What is done to it from outside once its turn runs. */
  readonly done: "nothing" | "kill" | "silence";
  readonly kind: FailureKind;
  /** In the message: what happened, and where in the run. */
  readonly says: RegExp;
  /** In the hint: what a person can do. */
  readonly todo: RegExp;
  /** The last words of the process, where it has some. */
  readonly detail: RegExp | null;
}

const dies = (
  name: string,
  server: string,
  more: Omit<Death, "name" | "command" | "done" | "detail"> & Partial<Death>,
): Death => ({
  name,
  command: { server },
  done: "nothing",
  detail: null,
  ...more,
});

export const deaths: readonly Death[] = [
  dies("killed_from_outside", "falls_silent", {
    done: "kill",
    kind: "port_exit",
    says: /SIGKILL in the middle of a turn/,
    todo: /journalctl -k/,
  }),
  dies("segfault", "crashes", {
    kind: "port_exit",
    says: /SIGSEGV in the middle of a turn/,
    todo: /another version/,
  }),
  dies("not_found", "", {
    command: { program: "missing" },
    kind: "codex_not_found",
    says: /not found: `.*no-such-codex/,
    todo: /Install Codex/,
    detail: /No such file|not found/,
  }),
  dies("not_executable", "", {
    command: { program: "not executable" },
    kind: "codex_not_found",
    says: /may not be executed: `.*not-a-program/,
    todo: /chmod \+x/,
    detail: /Permission denied/,
  }),
  dies("exit_0", "leaves", {
    kind: "port_exit",
    says: /by itself in the middle of a turn, with code 0/,
    todo: /codex doctor/,
    detail: /left at/,
  }),
  dies("exit_1", "fails", {
    kind: "port_exit",
    says: /by itself in the middle of a turn, with code 1/,
    todo: /codex doctor/,
    detail: /the last words/,
  }),
  dies("silent_stall", "falls_silent", {
    done: "silence",
    kind: "stalled",
    says: /said nothing for 60 s/,
    todo: /codex\.stall_timeout_ms/,
  }),
  dies("before_initialize", "before_initialize", {
    kind: "port_exit",
    says: /before it answered `initialize`, with code 3/,
    todo: /by hand/,
    detail: /no licence/,
  }),
  dies("during_initialize", "during_initialize", {
    kind: "port_exit",
    says: /before it answered `initialize`, with code 3/,
    todo: /by hand/,
  }),
  dies("while_opening", "while_opening", {
    kind: "port_exit",
    says: /while its thread was being opened, with code 4/,
    todo: /by hand/,
  }),
  dies("closed_output", "closes_output", {
    kind: "port_exit",
    says: /closed its output/,
    todo: /leave stdout open/,
  }),
];
