/**
 * One request, one answer, over graphql-request. Knows deadlines, size, headers and the key; knows nothing of issues.
 * A client is made per request because that is where graphql-request takes its fetch, and ours remembers the answer's
 * headers also when the body turns out to be no GraphQL.
 */
import { ClientError, GraphQLClient } from "graphql-request";
import type { Instant } from "../../domain/time.ts";
import { TrackerError, type TrackerNews } from "../port.ts";
import { authorization, endpointUrl } from "./endpoint.ts";
import { BodyRefused, bodyOf } from "./body.ts";
import { incompleteOf, isLimited, limitError, notSent, refusalOf, type LinearAnswer } from "./errors.ts";
import { RateGate } from "./rate-gate.ts";
import { ratesOf, retryAtOf } from "./rates.ts";

export interface ClientOptions {
  /** One request, from the first byte out to the last byte in (SPEC 11.2). */
  readonly deadlineMs: number;
  /** A page of 250 issues has about 100 kB; beyond this an answer is a mistake or an attack, not a page. */
  readonly bodyMaxBytes: number;
  /** Shared by all clients with the same key; without one, a client has its own. */
  readonly gate: RateGate | null;
  /** How requests get out. */
  readonly fetch: typeof fetch;
}

const usual: ClientOptions = {
  deadlineMs: 30_000,
  bodyMaxBytes: 16 * 1024 * 1024,
  gate: null,
  // Looked up when it is called.
  fetch: (input, init) => fetch(input, init),
};

/** Real keys have 48 characters; a test's key of one letter must not be cut out of every word. */
const keyMinLength = 8;

interface Request {
  /** In words, for error messages: "the scan for candidates". */
  readonly what: string;
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** What ends a request before its answer: we ourselves, or its deadline. */
interface Until {
  readonly signal: AbortSignal;
  readonly deadline: AbortSignal;
}

export class LinearClient {
  readonly #url: string;
  readonly #key: string;
  readonly #authorization: string;
  readonly #news: TrackerNews;
  readonly #clock: () => Instant;
  readonly #options: ClientOptions;
  readonly #gate: RateGate;

  /** @throws TrackerError when endpoint or key cannot be used at all. */
  constructor(
    settings: { readonly endpoint: string; readonly apiKey: string },
    news: TrackerNews,
    clock: () => Instant,
    options: Partial<ClientOptions> = {},
  ) {
    this.#url = endpointUrl(settings.endpoint).href;
    this.#key = settings.apiKey.trim();
    this.#authorization = authorization(this.#key);
    this.#news = news;
    this.#clock = clock;
    this.#options = { ...usual, ...options };
    this.#gate = this.#options.gate ?? new RateGate(clock);
  }

  /** The data of an answer without errors. @throws TrackerError */
  async data(request: Request, signal: AbortSignal): Promise<unknown> {
    const answer = await this.answer(request, signal);
    const incomplete = incompleteOf(request.what, answer, this.#clock());
    if (incomplete !== null) throw incomplete;
    return answer.data;
  }

  /** Any GraphQL response, with its errors. @throws TrackerError on anything else, a used-up limit and a refused key. */
  async answer(request: Request, signal: AbortSignal): Promise<LinearAnswer> {
    const answer = await this.#admitted(request, signal);
    const refusal = refusalOf(request.what, answer, this.#clock());
    if (refusal !== null) throw refusal;
    return answer;
  }

  /** Sent, unless the rate limit is known to be used up; whoever asks next learns what this request learned. */
  async #admitted(request: Request, signal: AbortSignal): Promise<LinearAnswer> {
    const pass = await this.#gate.enter(signal);
    if (typeof pass === "number") throw notSent(request.what, pass);
    let answer: LinearAnswer;
    try {
      answer = await this.#exchange(request, signal);
    } catch (error) {
      pass({ said: signal.aborted ? "nothing" : "fine" });
      throw error;
    }
    const until = retryAtOf(answer.headers, this.#clock());
    const retryAt = pass(isLimited(answer) ? { said: "limited", until } : { said: "fine" });
    if (retryAt !== null) throw limitError(request.what, answer, retryAt);
    return answer;
  }

  async #exchange(request: Request, signal: AbortSignal): Promise<LinearAnswer> {
    const deadline = new AbortController();
    // Ended with the answer: AbortSignal.timeout would keep every answered request in memory until its deadline.
    const timer = setTimeout(() => deadline.abort(), this.#options.deadlineMs);
    try {
      return await this.#answered(request, { signal, deadline: deadline.signal });
    } finally {
      clearTimeout(timer);
    }
  }

  async #answered({ what, document, variables }: Request, until: Until): Promise<LinearAnswer> {
    let received = null as Received | null;
    let said: { readonly data?: unknown; readonly errors?: unknown };
    const client = new GraphQLClient(this.#url, {
      fetch: async (input, init) => {
        received = await this.#receive(await this.#options.fetch(input, init));
        return new Response(received.body === "" ? null : received.body, received);
      },
      headers: { authorization: this.#authorization },
      errorPolicy: "all",
      excludeOperationName: true, // else every document is parsed before it is sent
      redirect: "manual", // a key is never carried to another place
    });
    const request = { query: document, variables, signal: AbortSignal.any([until.signal, until.deadline]) };
    try {
      said = await client.rawRequest<unknown>(request);
    } catch (error) {
      if (received === null) throw this.#lost(what, error, until);
      said = error instanceof ClientError ? error.response : {};
    }
    if (received === null) throw new Error("graphql-request answered without having asked");
    return answerOf(received, said);
  }

  async #receive(response: Response): Promise<Received> {
    const { status, headers } = response;
    this.#news.rates(ratesOf(headers));
    const body = await bodyOf(response, this.#options.bodyMaxBytes);
    // Some servers repeat the headers they were sent: from here on nobody, the model included, can see the key.
    const safe = this.#key.length < keyMinLength ? body : body.replaceAll(this.#key, "[key]");
    return { status, headers, body: safe };
  }

  #lost(what: string, error: unknown, until: Until): TrackerError {
    if (error instanceof BodyRefused)
      return new TrackerError("linear_unknown_payload", `Linear's answer to ${what} ${error.message}.`);
    const reason = until.signal.aborted
      ? "was given up by us"
      : until.deadline.aborted
        ? `was not answered within ${this.#options.deadlineMs} ms`
        : `failed on the way: ${networkReason(error)}`;
    return new TrackerError("linear_api_request", `The request for ${what} ${reason}.`);
  }
}

interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

function answerOf(
  received: Received,
  said: { readonly data?: unknown; readonly errors?: unknown },
): LinearAnswer {
  const errors = Array.isArray(said.errors) ? said.errors : said.errors === undefined ? [] : [said.errors];
  // A response in GraphQL's sense has data (null counts, a list does not) or says why not.
  const hasData = typeof said.data === "object" && !Array.isArray(said.data);
  return { ...received, graphql: hasData || errors.length > 0, data: said.data, errors };
}

/** `ECONNREFUSED` and its like: fetch hides the code one or two causes down, and its own message says nothing. */
function networkReason(error: unknown): string {
  let at = error;
  for (let depth = 0; depth < 4 && at instanceof Error; depth++) {
    const code: unknown = "code" in at ? at.code : undefined;
    if (typeof code === "string") return code;
    at = at.cause;
  }
  return error instanceof Error ? error.message : "unknown";
}
