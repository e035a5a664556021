/**
 * One request, one answer (GraphQL over HTTP). Knows deadlines, size, headers and the key; knows nothing of issues.
 */
import { type Instant, isFields } from "../../domain/domain.ts";
import { TrackerError, type TrackerNews } from "../port.ts";
import { authorization, endpointUrl } from "./endpoint.ts";
import type { Budget } from "./budget.ts";
import { BodyRefused, textOf } from "./body.ts";
import { incompleteOf, isLimited, limitError, type LinearAnswer, notSent, refusalOf } from "./errors.ts";
import { type AnswerHeaders, post, type Post, type Send } from "./http.ts";
import { mishap } from "./network.ts";
import { costOf } from "./points.ts";
import { RateGate } from "./rate-gate.ts";
import { ratesOf, retryAtOf } from "./rates.ts";

export interface ClientOptions {
  /** One request, from the first byte out to the last byte in (SPEC 11.2). */
  readonly deadlineMs: number;
  /** A page of 250 issues has about 100 kB; beyond this an answer is a mistake or an attack, not a page. */
  readonly bodyMaxBytes: number;
  /** Shared by all clients with the same key; without one, a client has its own. */
  readonly gate: RateGate | null;
  /** What the key may still ask for; shared like the gate. */
  readonly budget: Budget | null;
  /** How requests get out. */
  readonly send: Send;
}

const usual: ClientOptions = {
  deadlineMs: 30_000,
  bodyMaxBytes: 16 * 1024 * 1024,
  gate: null,
  budget: null,
  send: post,
};

/** Real keys have 48 characters; a test's key of one letter must not be cut out of every word. */
const KEY_MIN_LENGTH = 8;

interface Request {
  /** In words, for error messages: "the scan for candidates". */
  readonly what: string;
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** What an agent's document costs; what ours cost is known. */
  readonly agentPoints?: number;
}

export class LinearClient {
  readonly #url: URL;
  readonly #key: string;
  readonly #headers: Readonly<Record<string, string>>;
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
    this.#url = endpointUrl(settings.endpoint);
    this.#key = settings.apiKey.trim();
    this.#headers = {
      authorization: authorization(this.#key),
      accept: "application/graphql-response+json, application/json",
      "content-type": "application/json",
    };
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
    this.#count(request);
    try {
      answer = await this.#exchange(request, signal);
    } catch (error) {
      pass({ said: signal.aborted ? "nothing" : "fine" });
      throw error;
    }
    const retryAt = pass(
      isLimited(answer)
        ? { said: "limited", until: retryAtOf(answer.headers, this.#clock()) }
        : { said: "fine" },
    );
    if (retryAt !== null) throw limitError(request.what, answer, retryAt);
    return answer;
  }

  #count({ document, variables, agentPoints }: Request): void {
    const { use, points } =
      agentPoints === undefined
        ? costOf(document, variables)
        : ({ use: "agents", points: agentPoints } as const);
    this.#options.budget?.spend(use, points);
  }

  async #exchange({ what, document, variables }: Request, signal: AbortSignal): Promise<LinearAnswer> {
    // Not AbortSignal.timeout and AbortSignal.any: they keep every answered request in memory until its deadline.
    const cut = new AbortController();
    const end = (): void => cut.abort();
    signal.addEventListener("abort", end, { once: true });
    const timer = setTimeout(end, this.#options.deadlineMs);
    try {
      signal.throwIfAborted();
      const body = JSON.stringify({ query: document, variables });
      const repeatable = READS.test(document);
      return answerOf(await this.#received({ body, repeatable, signal: cut.signal }));
    } catch (error) {
      throw this.#lost(what, error, { givenUp: signal.aborted, late: cut.signal.aborted });
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
    }
  }

  async #received(order: Pick<Post, "body" | "repeatable" | "signal">): Promise<Received> {
    const { send, bodyMaxBytes } = this.#options;
    const answer = await send({ url: this.#url, headers: this.#headers, ...order });
    const { status, headers } = answer;
    const rates = ratesOf(headers);
    this.#news.rates(rates);
    this.#options.budget?.heard(rates);
    const text = await textOf(answer.body, bodyMaxBytes);
    // Some servers repeat the headers they were sent: from here on nobody, the model included, can see the key.
    const safe = this.#key.length < KEY_MIN_LENGTH ? text : text.replaceAll(this.#key, "[key]");
    return { status, headers, body: safe };
  }

  #lost(
    what: string,
    error: unknown,
    why: { readonly givenUp: boolean; readonly late: boolean },
  ): TrackerError {
    if (error instanceof BodyRefused)
      return new TrackerError("tracker_response", `Linear's answer to ${what} ${error.message}.`);
    const { words, hint } =
      why.givenUp || why.late ? { words: "", hint: null } : mishap(error, this.#url.host);
    const reason = why.givenUp
      ? "was given up by us"
      : why.late
        ? `was not answered within ${this.#options.deadlineMs} ms`
        : `failed on the way: ${words}`;
    return new TrackerError("tracker_request", `The request for ${what} ${reason}.`, {
      ...(hint !== null && { hint }),
    });
  }
}

interface Received {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: string;
}

function answerOf(received: Received): LinearAnswer {
  const { data, errors } = responseIn(received.body) ?? {};
  const told = Array.isArray(errors) ? errors : errors === undefined ? [] : [errors];
  // A response in GraphQL's sense has data (null counts) or says why not.
  return { ...received, graphql: data !== undefined || told.length > 0, data, errors: told };
}

/** The GraphQL response that a body is, whatever its status and type; null when it is none. */
function responseIn(body: string): { readonly data?: object | null; readonly errors?: object } | null {
  const said = parsed(body);
  if (!isFields(said)) return null;
  const { data, errors } = said;
  const hasForm =
    (data === undefined || data === null || isFields(data)) &&
    (errors === undefined || Array.isArray(errors) || isFields(errors));
  return hasForm
    ? { ...(data === undefined ? {} : { data }), ...(errors === undefined ? {} : { errors }) }
    : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A document holds one operation; one without a word is a query. */
const READS = /^\s*(?:query\b|\{)/;
