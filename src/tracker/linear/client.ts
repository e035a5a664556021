/**
 * One request, one answer, over graphql-request. Knows deadlines, size, headers and the key; knows nothing of issues.
 * A client is made per request because that is where graphql-request takes its fetch, and ours remembers the answer's
 * headers also when the body turns out to be no GraphQL.
 */
import { ClientError, GraphQLClient } from "graphql-request";
import type { Instant } from "../../domain/time.ts";
import { TrackerError, type TrackerNews } from "../tracker.ts";
import { authorization, endpointUrl } from "./endpoint.ts";
import { incompleteOf, refusalOf, type LinearAnswer } from "./errors.ts";
import { ratesOf } from "./rates.ts";

export interface ClientLimits {
  /** One request, from the first byte out to the last byte in (SPEC 11.2). */
  readonly deadlineMs: number;
  /** A page of 250 issues has about 100 kB; beyond this an answer is a mistake or an attack, not a page. */
  readonly bodyMaxBytes: number;
}

export const clientLimits: ClientLimits = { deadlineMs: 30_000, bodyMaxBytes: 32 * 1024 * 1024 };

/** Real keys have 48 characters; a test's key of one letter must not be cut out of every word. */
const keyMinLength = 8;

interface Request {
  /** In words, for error messages: "the scan for candidates". */
  readonly what: string;
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

export class LinearClient {
  readonly #url: string;
  readonly #key: string;
  readonly #authorization: string;
  readonly #news: TrackerNews;
  readonly #clock: () => Instant;
  readonly #limits: ClientLimits;

  /** @throws TrackerError when endpoint or key cannot be used at all. */
  constructor(
    settings: { readonly endpoint: string; readonly apiKey: string },
    news: TrackerNews,
    clock: () => Instant,
    limits: ClientLimits,
  ) {
    this.#url = endpointUrl(settings.endpoint).href;
    this.#key = settings.apiKey.trim();
    this.#authorization = authorization(this.#key);
    this.#news = news;
    this.#clock = clock;
    this.#limits = limits;
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
    const answer = await this.#exchange(request, signal);
    const refusal = refusalOf(request.what, answer, this.#clock());
    if (refusal !== null) throw refusal;
    return answer;
  }

  async #exchange({ what, document, variables }: Request, signal: AbortSignal): Promise<LinearAnswer> {
    const deadline = AbortSignal.timeout(this.#limits.deadlineMs);
    let received = null as Received | null;
    let said: { readonly data?: unknown; readonly errors?: unknown };
    const client = new GraphQLClient(this.#url, {
      fetch: async (input, init) => {
        received = await this.#receive(await fetch(input, init));
        return new Response(received.body === "" ? null : received.body, received);
      },
      headers: { authorization: this.#authorization },
      errorPolicy: "all",
      excludeOperationName: true, // else every document is parsed before it is sent
      redirect: "manual", // a key is never carried to another place
    });
    const request = { query: document, variables, signal: AbortSignal.any([signal, deadline]) };
    try {
      said = await client.rawRequest<unknown>(request);
    } catch (error) {
      if (received === null) throw this.#lost(what, error, { signal, deadline });
      said = error instanceof ClientError ? error.response : {};
    }
    if (received === null) throw new Error("graphql-request answered without having asked");
    return answerOf(received, said);
  }

  async #receive(response: Response): Promise<Received> {
    const { status, headers } = response;
    this.#news.rates(ratesOf(headers));
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes > this.#limits.bodyMaxBytes) throw new BodyTooLarge();
      chunks.push(chunk);
    }
    const body = new TextDecoder().decode(Buffer.concat(chunks));
    // Some servers repeat the headers they were sent: from here on nobody, the model included, can see the key.
    const safe = this.#key.length < keyMinLength ? body : body.replaceAll(this.#key, "[key]");
    return { status, headers, body: safe };
  }

  #lost(what: string, error: unknown, why: { signal: AbortSignal; deadline: AbortSignal }): TrackerError {
    if (error instanceof BodyTooLarge) {
      const most = `${this.#limits.bodyMaxBytes} bytes`;
      return new TrackerError(
        "linear_unknown_payload",
        `Linear's answer to ${what} is larger than ${most}. Check tracker.endpoint.`,
      );
    }
    const reason = why.signal.aborted
      ? "was given up by us"
      : why.deadline.aborted
        ? `was not answered within ${this.#limits.deadlineMs} ms`
        : `failed on the way: ${networkReason(error)}. Check the network and tracker.endpoint`;
    return new TrackerError("linear_api_request", `The request for ${what} ${reason}.`);
  }
}

class BodyTooLarge extends Error {}

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
