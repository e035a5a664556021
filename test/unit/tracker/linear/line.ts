/** A LinearClient over a transport in memory: answers in the order given, and what was asked for them. */
import { instant, type Instant } from "../../../../src/domain/time.ts";
import { type ClientOptions, LinearClient } from "../../../../src/tracker/linear/client.ts";
import type { Post, Posted, Send } from "../../../../src/tracker/linear/http.ts";

export const NOW: Instant = instant(1_795_000_000_000);
export const KEY = "lin_api_ATestKey";
export const never = new AbortController().signal;

interface Asked {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly headers: Post["headers"];
  readonly repeatable: boolean;
}

/** Data of a good answer, or a whole response. */
type Answer = object | Posted | (() => Promise<Posted>);

export class Line {
  readonly asked: Asked[] = [];
  readonly rates: Readonly<Record<string, number>>[] = [];
  readonly client: LinearClient;
  readonly #answers: Answer[];

  constructor(answers: readonly Answer[], options: Partial<ClientOptions> = {}) {
    this.#answers = [...answers];
    const news = {
      rates: (limits: Readonly<Record<string, number>>) => void this.rates.push(limits),
      rejected: () => {},
    };
    const settings = { endpoint: "https://linear.invalid/graphql", apiKey: KEY };
    this.client = new LinearClient(settings, news, () => NOW, { send: this.#send, ...options });
  }

  readonly #send: Send = async ({ body, headers, repeatable }) => {
    this.asked.push({ ...askedIn(body), headers, repeatable });
    const answer = this.#answers.shift();
    if (answer === undefined) throw new Error("nobody answers any more");
    if (typeof answer === "function") return answer();
    return "status" in answer ? answer : json({ data: answer });
  };
}

/** The document and its variables in a request. */
export const askedIn = (body: string) => JSON.parse(body) as Pick<Asked, "query" | "variables">;

export const json = (body: unknown, init: Partial<Omit<Posted, "body">> = {}) =>
  text(JSON.stringify(body), init);

export const text = (body: string, init: Partial<Omit<Posted, "body">> = {}): Posted => ({
  status: 200,
  headers: {},
  ...init,
  body: [Buffer.from(body)],
});

export const record = (n: number) => ({
  id: `id-${n}`,
  identifier: `MT-${n}`,
  title: `Issue ${n}`,
  state: { name: "Todo" },
  project: { slugId: "demo" },
  labels: { nodes: [{ name: "Baton" }], pageInfo: { hasNextPage: false } },
});

/** One page of issues. */
export const page = (nodes: readonly unknown[], endCursor: string | null = null) => ({
  issues: { nodes, pageInfo: { hasNextPage: endCursor !== null, endCursor } },
});
