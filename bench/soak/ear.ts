/** Where the light agents of a soak ask how their turn is to end (`agent.sh PORT obey`). Loopback only. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** What a turn does after so many seconds: it completes, fails as the model's provider would name it, or dies. */
export interface TurnEnd {
  readonly seconds: number;
  /** What the ticket's thread has used before it. */
  readonly tokensBefore: number;
  readonly how: "completed" | "serverOverloaded" | "unauthorized" | "exit" | "mute";
}

export interface Ear {
  readonly port: number;
  readonly close: () => void;
}

/** Listening when it resolves; `answer` is asked once for each turn. */
export async function listen(answer: (identifier: string) => TurnEnd): Promise<Ear> {
  const server = createServer((request, response) => {
    const [, what, identifier = ""] = (request.url ?? "").split("/");
    response.setHeader("connection", "close");
    if (what !== "turn") return void response.end("ok\n");
    const { seconds, how, tokensBefore } = answer(identifier);
    response.end(`${seconds} ${how} ${tokensBefore}\n`);
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() };
}
