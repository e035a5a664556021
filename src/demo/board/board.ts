/**
 * A board on this machine that speaks Linear's GraphQL: for the demo, for tests and for trying a workflow without a
 * Linear account. Loopback only, in memory only; faults can be ordered for the requests to come.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { fieldsOf } from "../../domain/domain.ts";
import { portOf } from "../loopback.ts";
import type { BoardSeed } from "./entities.ts";
import { type BoardRequest, Executor } from "./execute.ts";
import { Budget, type BudgetLimits } from "./budget.ts";
import { rootOf } from "./resolvers.ts";
import { BoardStore } from "./store.ts";

export type { BoardChange, BoardIssue } from "./entities.ts";
export { BoardStore } from "./store.ts";

export interface BoardOptions {
  /** What Authorization must say, as it is or as a bearer. */
  readonly apiKey?: string;
  readonly seed?: BoardSeed;
  /** 0 or absent: any free port. */
  readonly port?: number;
  readonly now?: () => Date;
  /** Per hour; practically endless when left out. */
  readonly budget?: BudgetLimits;
}

/** What a request gets instead of its answer. */
type BoardFault =
  | {
      readonly type: "answer";
      readonly status: number;
      readonly body: string | object;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly type: "ratelimited"; readonly resetAt: Date }
  /** The connection is cut after the request was read. */
  | { readonly type: "cut" };

export interface Board {
  /** The endpoint: `http://127.0.0.1:PORT/graphql`. */
  readonly url: string;
  readonly apiKey: string;
  readonly store: BoardStore;
  /** Requests so far, the refused ones too. */
  readonly requests: () => number;
  /** The next `times` requests get this. */
  readonly fail: (times: number, fault: BoardFault) => void;
  /** Cuts what is open. Idempotent. */
  readonly close: () => Promise<void>;
}

/** Linear takes documents of any size; here a request beyond this is a mistake. */
const REQUEST_MAX_BYTES = 2 * 1024 * 1024;

/** Listening when it resolves. */
export async function startBoard(options: BoardOptions = {}): Promise<Board> {
  const apiKey = options.apiKey ?? "board-key";
  const now = options.now ?? (() => new Date());
  const store = new BoardStore(options.seed ?? {}, now);
  const budget = new Budget(options.budget, now);
  const faults: BoardFault[] = [];
  let requests = 0;
  let executor: Executor | null = null;
  const server = createServer((request, response) => {
    requests++;
    const serve = { apiKey, budget, fault: faults.shift() ?? null, executor: () => executor };
    // A mistake in the board itself must not take the program down that runs it.
    answer(request, response, serve).catch(() => response.destroy());
  });
  await listen(server, options.port ?? 0);
  const base = `http://127.0.0.1:${portOf(server)}`;
  executor = new Executor(rootOf(store, base));
  return {
    url: `${base}/graphql`,
    apiKey,
    store,
    requests: () => requests,
    fail: (times, fault) => {
      for (let n = 0; n < times; n++) faults.push(fault);
    },
    close: () => close(server),
  };
}

interface Serve {
  readonly apiKey: string;
  readonly budget: Budget;
  readonly fault: BoardFault | null;
  readonly executor: () => Executor | null;
}

async function answer(request: IncomingMessage, response: ServerResponse, serve: Serve): Promise<void> {
  const { budget, fault } = serve;
  const asked = await requestOf(request);
  if (fault?.type === "cut") return void response.destroy();
  if (fault?.type === "ratelimited") return send(response, 400, rateLimited, budget.usedUp(fault.resetAt));
  if (fault?.type === "answer") return send(response, fault.status, fault.body, fault.headers ?? {});
  if (request.method !== "POST" || request.url !== "/graphql") return send(response, 404, "Not found", {});
  const key = request.headers.authorization?.replace(/^Bearer /, "");
  if (key !== serve.apiKey) return send(response, 401, unauthenticated, {});
  if (typeof asked === "string") return send(response, 400, { errors: [{ message: asked }] }, {});
  if (budget.isUsedUp()) return send(response, 400, rateLimited, budget.headers());
  const executed = await serve.executor()?.run(asked);
  if (executed === undefined) return send(response, 503, "Starting", {});
  budget.spend(executed.complexity);
  const headers = { ...budget.headers(), "x-complexity": String(executed.complexity) };
  return send(response, executed.status, executed.body, headers);
}

/** The request, or what is wrong with it. */
async function requestOf(request: IncomingMessage): Promise<BoardRequest | string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request) {
      const piece: Buffer = chunk;
      bytes += piece.length;
      if (bytes > REQUEST_MAX_BYTES) return `The request is larger than ${REQUEST_MAX_BYTES} bytes`;
      chunks.push(piece);
    }
    const { query, variables, operationName } = fieldsOf(JSON.parse(Buffer.concat(chunks).toString("utf8")));
    if (typeof query !== "string") return "POST body must have a query";
    const operation = typeof operationName === "string" ? operationName : null;
    return { query, variables: fieldsOf(variables), operationName: operation };
  } catch {
    return "POST body is not JSON";
  }
}

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): void {
  const type = typeof body === "string" ? "text/html" : "application/json; charset=utf-8";
  response.writeHead(status, { "content-type": type, ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

const unauthenticated = {
  errors: [
    {
      message: "Authentication required, not authenticated",
      extensions: {
        type: "authentication error",
        code: "AUTHENTICATION_ERROR",
        statusCode: 401,
        userError: true,
      },
    },
  ],
};

const rateLimited = {
  errors: [
    {
      message: "Rate limit exceeded",
      extensions: { type: "ratelimited", code: "RATELIMITED", statusCode: 429, userError: true },
    },
  ],
};

const listen = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve());
  });

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
