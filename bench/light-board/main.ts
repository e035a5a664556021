/**
 * The light board, a process of its own: answers the daemon like Linear (POST /graphql) and hears from the light agents
 * what they do (POST /thread, /flood, /wait, /turn). Ends when the benchmark that forked it is gone.
 *
 *   fork("main.ts", [TURNS_TO_DONE])
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { answerTo, type Question } from "./answers.ts";
import { epochNow, type FromBoard, type ToBoard } from "./talk.ts";
import { Tickets } from "./tickets.ts";

const tickets = new Tickets(Number(process.argv[2]));
const known = new WeakSet<Socket>();
/** What agents that wait are still to be answered. */
const waiting: ServerResponse[] = [];
const tell = (news: FromBoard): void => void process.send?.(news);

/** What Linear sends with every answer; the daemon reads them all. */
const rateHeaders = {
  "content-type": "application/json",
  "x-complexity": "60",
  "x-ratelimit-requests-limit": "5000",
  "x-ratelimit-requests-remaining": "4900",
  "x-ratelimit-requests-reset": String(Date.now() + 3_600_000),
  "x-ratelimit-complexity-limit": "3000000",
  "x-ratelimit-complexity-remaining": "2990000",
  "x-ratelimit-complexity-reset": String(Date.now() + 3_600_000),
};

const server = createServer((request, response) => {
  const at = epochNow();
  if (request.url !== "/graphql") return heard(request.url ?? "", response);
  if (!known.has(request.socket)) tell({ type: "asked", at });
  known.add(request.socket);
  read(request, (text) => answer(JSON.parse(text) as Question, response));
});

function read(request: IncomingMessage, then: (text: string) => void): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => then(Buffer.concat(chunks).toString("utf8")));
}

function answer(question: Question, response: ServerResponse): void {
  const { data, listed, last } = answerTo(tickets, question);
  const body = JSON.stringify({ data });
  const at = epochNow();
  for (const ticket of listed) ticket.listedAt ??= at;
  response.writeHead(200, rateHeaders).end(body);
  if (last) tell({ type: "scanned", tickets: listed.length });
}

/** `/thread/MT-1/<thread>/<epoch seconds>`, `/flood/MT-1`, `/wait/MT-1`, `/turn/MT-1/<thread>`. */
function heard(url: string, response: ServerResponse): void {
  const [, what, identifier = "", thread = "", startedAt = ""] = url.split("/");
  const ticket = tickets.byIdentifier(identifier);
  if (ticket === undefined) throw new Error(`an agent works on ${identifier}, which is no ticket`);
  if (what === "flood") tell({ type: "flood", ticket: identifier });
  if (what === "thread") {
    const listedAt = ticket.listedAt ?? Number.NaN;
    tell({ type: "thread", ticket: identifier, thread, startedAt: Number(startedAt) * 1000, listedAt });
  }
  if (what === "turn") {
    tell({ type: "turn", ticket: identifier, thread });
    if (tickets.turned(ticket)) tell({ type: "done", ticket: identifier });
  }
  if (what === "wait") {
    waiting.push(response);
    tell({ type: "waits", ticket: identifier });
  } else ok(response);
}

const ok = (response: ServerResponse): void => {
  response.writeHead(200, { connection: "close" }).end("ok\n");
};

function obey(order: ToBoard): void {
  if (order.type === "add") tickets.add(order.tickets);
  else for (const response of waiting.splice(0)) ok(response);
}

process.on("message", obey);
process.on("disconnect", () => process.exit(0));
// The daemon keeps its connections; one that is closed while it asks would be measured as trouble.
server.keepAliveTimeout = 120_000;
server.listen(0, "127.0.0.1", () =>
  tell({ type: "listening", port: (server.address() as AddressInfo).port }),
);
