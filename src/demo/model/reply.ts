/**
 * What a scripted model can do with one request: a list of parts, played in order. Builders only; stream.ts plays them.
 * A part's content may be computed from the request, for answers that depend on what a tool returned.
 */
import type { ModelRequest } from "./request.ts";

export type Reply = readonly Part[];
/** A value, or how to get it from what the model was shown. */
export type From<T> = T | ((request: ModelRequest) => T);

export type Part =
  | {
      readonly do: "say";
      readonly text: From<string>;
      readonly pieces: number;
      readonly gapMs: number;
      readonly cut: boolean;
    }
  | {
      readonly do: "call";
      readonly tool: string;
      readonly args: From<unknown>;
      readonly callId: string | null;
    }
  | { readonly do: "patch"; readonly text: From<string> }
  | ({ readonly do: "usage" } & Usage)
  | { readonly do: "headers"; readonly headers: Readonly<Record<string, string>> }
  | { readonly do: "hold"; readonly gate: Gate }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "drop" }
  | {
      readonly do: "refuse";
      readonly status: number;
      readonly code: string;
      readonly message: string;
    }
  | { readonly do: "fail"; readonly code: string; readonly message: string }
  | { readonly do: "incomplete"; readonly reason: string };

export interface Usage {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
}

/** Something a reply waits for. Opening it lets every reply pass that holds there, now and later. */
export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

export function gate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

/** An assistant message; in `pieces` deltas, `gapMs` apart, when it should come slowly. */
export const say = (text: From<string>, { pieces = 1, gapMs = 0 } = {}): Part => ({
  do: "say",
  text,
  pieces,
  gapMs,
  cut: false,
});

/** Says a text and loses the connection before the message is finished. Codex keeps nothing of it. */
export const sayHalf = (text: string): Part => ({ do: "say", text, pieces: 1, gapMs: 0, cut: true });

/** Calls a function tool. `args` are sent as JSON; a string is sent as it is, so that it can be broken JSON. */
export const call = (tool: string, args: From<unknown>, callId: string | null = null): Part => ({
  do: "call",
  tool,
  args,
  callId,
});

/** Runs a shell command through the tool Codex offers for it; `escalate` asks for leave to run it unsandboxed. */
export const shell = (
  command: From<string>,
  { escalate, waitMs = 10_000 }: { escalate?: string; waitMs?: number } = {},
): Part => {
  const args = (cmd: string) => ({
    cmd,
    yield_time_ms: waitMs,
    ...(escalate === undefined ? {} : { sandbox_permissions: "require_escalated", justification: escalate }),
  });
  return call(
    "exec_command",
    typeof command === "string" ? args(command) : (seen: ModelRequest) => args(command(seen)),
  );
};

/** Edits files: a patch in the format of Codex's `apply_patch` tool. */
export const patch = (text: From<string>): Part => ({ do: "patch", text });

/** A patch that creates one file with these lines. */
export const addFile = (path: string, text: string): Part =>
  patch(
    `*** Begin Patch\n*** Add File: ${path}\n${text
      .split("\n")
      .map((line) => `+${line}`)
      .join("\n")}\n*** End Patch\n`,
  );

/** What the response cost; without it every response costs `usageByDefault`. */
export const usage = (cost: Partial<Usage>): Part => ({ do: "usage", ...noUsage, ...cost });
const noUsage: Usage = { input: 0, cached: 0, output: 0, reasoning: 0 };
export const usageByDefault: Usage = { input: 1200, cached: 800, output: 90, reasoning: 30 };

/** HTTP headers of the answer, for rate limits: `x-codex-primary-used-percent` and its kin. */
export const headers = (fields: Readonly<Record<string, string>>): Part => ({
  do: "headers",
  headers: fields,
});

/** Waits until the gate opens; what came before it has been sent. */
export const hold = (until: Gate): Part => ({ do: "hold", gate: until });
export const wait = (ms: number): Part => ({ do: "wait", ms });
/** Cuts the connection. */
export const drop = (): Part => ({ do: "drop" });
/** Refuses the request with an HTTP status and an error body. Must be the first part that sends anything. */
export const refuse = (status: number, code: string, message = `scripted ${code}`): Part => ({
  do: "refuse",
  status,
  code,
  message,
});
/** Ends the stream with `response.failed`. */
export const fail = (code: string, message = `scripted ${code}`): Part => ({ do: "fail", code, message });
/** Ends the stream with `response.incomplete`. */
export const incomplete = (reason: string): Part => ({ do: "incomplete", reason });

/** How many items this part leaves in the thread's history. */
export const traces = (part: Part): number =>
  (part.do === "say" && !part.cut) || part.do === "call" || part.do === "patch" ? 1 : 0;
