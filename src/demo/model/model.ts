/**
 * A scripted model behind the Responses API, on loopback: the real codex runs against it without credentials and without
 * network. The face of demo/model/: start one here, write what it does with reply.ts and scenario.ts, point Codex at it
 * with codex-home.ts.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { portOf } from "../loopback.ts";
import { refuse, type Reply } from "./reply.ts";
import { type ModelRequest, parseRequest } from "./request.ts";
import type { Script } from "./scenario.ts";
import { play } from "./stream.ts";

export { scenario, type Scenario, type Script, scripted, type Step } from "./scenario.ts";
export type { ModelRequest } from "./request.ts";
export { type CodexHomeOptions, freshCodexHome, writeCodexHome } from "./codex-home.ts";

export * from "./reply.ts";

export interface Model {
  /** Base URL for Codex's `base_url`, ending in `/v1`. */
  readonly url: string;
  /** What the model was asked, oldest first; the last `REQUESTS_MAX`. */
  readonly requests: readonly ModelRequest[];
  /** The first request, past or to come, that satisfies `match`; rejects after `timeoutMs`. */
  asked(match: (request: ModelRequest) => boolean, timeoutMs?: number): Promise<ModelRequest>;
  /** Cuts all connections and stops listening. */
  close(): Promise<void>;
}

/** Enough for a demo or a test to look back on; a long daemon run must not grow the record without end. */
const REQUESTS_MAX = 1000;
/** Codex's own input limit is 1 M characters; history and tool output come on top. */
const BODY_MAX_BYTES = 64 * 1024 * 1024;
const ASKED_TIMEOUT_MS = 10_000;

/** Starts a model on a free loopback port. */
export async function startModel(script: Script): Promise<Model> {
  const requests: ModelRequest[] = [];
  const waiting = new Set<(request: ModelRequest) => void>();
  let count = 0;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bodyOf(request);
    if (body === null) return end(response, 413, "the request is larger than this server takes");
    const parsed = parse(body, ++count, threadOf(request));
    if (parsed === null) return end(response, 400, "this is no Responses request");
    if (requests.push(parsed) > REQUESTS_MAX) requests.shift();
    for (const tell of waiting) tell(parsed);
    await play(decide(script, parsed), parsed, response);
  };

  const server = createServer((request, response) => {
    if (request.method === "POST" && request.url === "/v1/responses") {
      answer(request, response).catch((error: unknown) =>
        response.destroy(error instanceof Error ? error : undefined),
      );
    } else end(response, 404, "the scripted model answers POST /v1/responses only");
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });

  return {
    url: `http://127.0.0.1:${portOf(server)}/v1`,
    requests,
    asked: (match, timeoutMs = ASKED_TIMEOUT_MS) => arrival(requests, waiting, match, timeoutMs),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A script that throws is a mistake in the script: the turn must fail with its message, not hang. */
function decide(script: Script, request: ModelRequest): Reply {
  try {
    return script(request);
  } catch (error) {
    return [refuse(400, "script_error", `the script threw: ${String(error)}`)];
  }
}

function arrival(
  past: readonly ModelRequest[],
  waiting: Set<(request: ModelRequest) => void>,
  match: (request: ModelRequest) => boolean,
  timeoutMs: number,
): Promise<ModelRequest> {
  const found = past.find(match);
  if (found !== undefined) return Promise.resolve(found);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      waiting.delete(tell);
      reject(new Error(`the model was not asked within ${timeoutMs} ms; it saw ${past.length} requests`));
    }, timeoutMs);
    const tell = (request: ModelRequest): void => {
      if (!match(request)) return;
      clearTimeout(timer);
      waiting.delete(tell);
      resolve(request);
    };
    waiting.add(tell);
  });
}

async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const piece: Buffer = chunk;
    bytes += piece.length;
    if (bytes > BODY_MAX_BYTES) return null;
    chunks.push(piece);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parse(body: string, number: number, thread: string): ModelRequest | null {
  try {
    return parseRequest(JSON.parse(body), number, thread);
  } catch {
    return null;
  }
}

const threadOf = ({ headers }: IncomingMessage): string => String(headers["thread-id"] ?? "");

function end(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { code: "scripted_model", message } }));
}
