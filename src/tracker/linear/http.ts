/**
 * One POST and its answer over node:http: sockets, proxies, compression, and ending it early. Knows nothing of GraphQL.
 * Not fetch: loading it costs more CPU than a bare start of Node, and each request half as much again.
 * A redirect is an answer like any other: the key must never be carried to another place.
 */
import {
  Agent,
  type AgentOptions,
  globalAgent,
  type IncomingMessage,
  request as plainRequest,
} from "node:http";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { BodyRefused } from "./body.ts";

/** By name, in lower case. */
export type AnswerHeaders = Readonly<Record<string, string>>;

export interface Post {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** It only asks: it may be sent again when nobody can tell whether it arrived. */
  readonly repeatable: boolean;
  /** Ends it at once, wherever it is. */
  readonly signal: AbortSignal;
}

export interface Posted {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** Whoever does not read it to its end has to break off, which closes the connection. */
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** How requests get out. Rejects with whatever the network says. */
export type Send = (post: Post) => Promise<Posted>;

/** Connections to one host. More requests than this wait in line, within their deadlines; a daemon has a few at a time. */
export const SOCKETS_MAX = 64;

/** An idle connection is closed before anything on the way forgets it silently, or as early as the server says. */
const IDLE_MS = 4_000;

/**
 * The real thing. A server may close a connection that was kept just when the next request is on its way: that is no outage,
 * and what is repeatable goes out again. At most once for each connection there was, for the last one is new.
 */
export const post: Send = async (order) => {
  for (let tries = 0; ; tries++) {
    try {
      return await sentOnce(order);
    } catch (error) {
      if (!(error instanceof LineClosed)) throw error;
      if (!order.repeatable || tries >= SOCKETS_MAX) throw error.cause;
    }
  }
};

/** The other side had closed a connection that was kept. */
class LineClosed extends Error {}

const CLOSED = new Set(["ECONNRESET", "EPIPE"]);

async function sentOnce({ url, headers, body, signal }: Post): Promise<Posted> {
  const { request, agent } = await linesOver(url.protocol);
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: "POST",
      headers: { ...headers, "user-agent": "baton", "accept-encoding": "gzip" },
      agent,
    });
    let answer: IncomingMessage | null = null;
    const cut = (error: Error): void => {
      (answer ?? sent).destroy(error);
      // What still waits for a connection would tell of its end when it gets one.
      reject(error);
    };
    signal.addEventListener("abort", () => cut(new Error("ended early")), { once: true });
    sent.on("error", (error: NodeJS.ErrnoException) => {
      const closed = sent.reusedSocket && answer === null && CLOSED.has(error.code ?? "");
      reject(closed ? new LineClosed("closed", { cause: error }) : error);
    });
    sent.on("response", (response) => {
      answer = response;
      const unpacked = unpack(response);
      if (unpacked === null) cut(new BodyRefused("is compressed in a way that was not asked for"));
      else resolve({ status: response.statusCode ?? 0, headers: texts(response), body: unpacked });
    });
    // Otherwise nothing more would come, and nobody would say so.
    sent.on("upgrade", (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode ?? 0, headers: texts(response), body: [] });
    });
    sent.end(body);
  });
}

interface Lines {
  readonly request: typeof plainRequest;
  readonly agent: Agent;
}

const lines = new Map<string, Lines>();

/** Kept for the life of the process. TLS is loaded where it is used: a start against a local server is quick without. */
async function linesOver(protocol: string): Promise<Lines> {
  const known = lines.get(protocol);
  if (known !== undefined) return known;
  // What NODE_USE_ENV_PROXY asks for is known to Node's own agents alone, whose options have no type.
  const { proxyEnv } = (globalAgent as Agent & { readonly options: AgentOptions }).options;
  const options = {
    keepAlive: true,
    maxSockets: SOCKETS_MAX,
    timeout: IDLE_MS,
    ...(proxyEnv && { proxyEnv }),
  };
  const made = protocol === "https:" ? await secure(options) : plain(options);
  lines.set(protocol, made);
  return made;
}

const plain = (options: AgentOptions): Lines => ({ request: plainRequest, agent: new Agent(options) });

async function secure(options: AgentOptions): Promise<Lines> {
  const https = await import("node:https");
  return { request: https.request, agent: new https.Agent(options) };
}

function texts({ headers }: IncomingMessage): AnswerHeaders {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as const] : [],
  );
  return Object.fromEntries(entries);
}

/** The body before it was compressed, null when that is not known. It is counted as it comes, so a bomb is no danger. */
function unpack(response: IncomingMessage): Posted["body"] | null {
  const encoding = response.headers["content-encoding"] ?? "";
  if (encoding === "" || encoding === "identity") return response;
  if (encoding === "gzip") return pipeline(response, createGunzip(), () => {});
  return null;
}
