/** One request to `codex app-server`, with no thread and no model: starts it, shakes hands, asks, ends it. */
import {
  AgentProcess,
  type Answer as RpcAnswer,
  type Patience,
  Rpc,
  type RpcListener,
} from "../../agent/agent.ts";
import { CHECK_MS_MAX } from "./check.ts";

export interface Launch {
  /** `codex.command`, run by `bash -lc`. */
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** `NAME=value` in `env`, by which what it leaves behind is found. */
  readonly mark: string;
}

export type Answer =
  | { readonly type: "result"; readonly result: unknown }
  | { readonly type: "refused"; readonly message: string }
  /** It ended without an answer; what it said on stderr last. */
  | { readonly type: "ended"; readonly said: string };

/** Nothing is lost with this process: it is made to leave quickly. */
const patience: Patience = { muteMs: 500, leaveMs: 1_000, termMs: 500, killMs: 500 };

/** Never rejects. Answers when the process is gone; ends it when `signal` aborts. */
export function askAppServer(
  { command, cwd, env, mark }: Launch,
  method: string,
  params: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<Answer> {
  return new Promise((resolve) => {
    let answer: Answer | null = null;
    const finish = (heard: RpcAnswer): void => {
      answer ??= answerOf(heard);
      child.leave();
    };
    const rpc = new Rpc((line) => child.write(line), deaf);
    const launch = { command, cwd, env, marks: [mark], patience };
    const child = new AgentProcess(launch, {
      spawned: () =>
        rpc.request(
          "initialize",
          { clientInfo: { name: "baton-doctor", version: "1" } },
          CHECK_MS_MAX,
          (hello) => {
            if (!hello.ok) return finish(hello);
            rpc.notify("initialized");
            rpc.request(method, params, CHECK_MS_MAX, finish);
          },
        ),
      output: (chunk) => rpc.push(chunk),
      stuck: () => child.leave(),
      mute: () => child.leave(),
      gone: ({ error }) => {
        rpc.close();
        resolve(answer ?? { type: "ended", said: error?.message ?? child.stderr });
      },
    });
    signal.addEventListener("abort", () => child.leave(), { once: true });
  });
}

/** It has nothing else to say that matters here. */
const deaf: RpcListener = {
  delta: () => undefined,
  notified: () => undefined,
  asked: () => undefined,
  malformed: () => undefined,
  unclaimed: () => undefined,
};

function answerOf(answer: RpcAnswer): Answer | null {
  if (answer.ok) return { type: "result", result: answer.result };
  // A stream that closed says less than the process that ended.
  return answer.cause === "closed" ? null : { type: "refused", message: answer.message };
}
