/**
 * What a failed exchange with Linear means, as one TrackerError (SPEC 11.4). Messages say what was asked, what came back
 * and what to do; the key and the variables of the query are never in them, which is why no library error is passed on.
 */
import { fieldsOf, instant, type Instant } from "../../domain/domain.ts";
import { TrackerError } from "../port.ts";
import type { AnswerHeaders } from "./http.ts";
import { retryAtOf } from "./rates.ts";

/** An answer of any status whose body was read whole. `graphql`: the body was a GraphQL response. */
export interface LinearAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly graphql: boolean;
  readonly data: unknown;
  readonly errors: readonly unknown[];
  readonly body: string;
}

/** How much of a server's own words goes into one of our messages. */
const QUOTE_MAX = 300;

/** GraphQL errors looked at in one answer. */
const ERRORS_MAX = 20;

/** Whether this answer says that the rate limit is used up; history has seen it with 400 and with 429. */
export const isLimited = (answer: LinearAnswer): boolean =>
  answer.status === 429 || coded(answer, "RATELIMITED");

/** A request that Linear did not answer because of its rate limit. `retryAt`: when it makes sense to ask again. */
export const limitError = (what: string, answer: LinearAnswer, retryAt: Instant): TrackerError =>
  new TrackerError(
    "tracker_rate_limited",
    `Linear's rate limit is used up (HTTP ${answer.status} to ${what}); asking again makes sense from ${iso(retryAt)}.${quote(answer)}`,
    { status: answer.status, retryAt },
  );

/** A request that was not even sent, because of the same. */
export const notSent = (what: string, retryAt: Instant): TrackerError =>
  new TrackerError(
    "tracker_rate_limited",
    `Linear's rate limit is used up; the request for ${what} was not sent. Asking again makes sense from ${iso(retryAt)}.`,
    { retryAt },
  );

/** Why this answer is no use to anybody, GraphQL clients included; null when it is a GraphQL response to look into. */
export function refusalOf(what: string, answer: LinearAnswer, now: Instant): TrackerError | null {
  const { status } = answer;
  const words = quote(answer);
  // Forbidden may be one of the records that were asked for: then it is said in GraphQL's own form.
  const isKeys = status === 401 || (status === 403 && !(answer.graphql && answer.errors.length > 0));
  if (isKeys || coded(answer, "AUTHENTICATION_ERROR")) {
    return new TrackerError(
      "tracker_status",
      `Linear refused the API key (HTTP ${status} to ${what}).${words}`,
      {
        status,
        passing: false,
        hint: "Check that tracker.api_key is a key in use, and that its user may see the project. A new key, also one in a file that LINEAR_API_KEY_FILE names, is read when Baton starts or the text of WORKFLOW.md changes.",
      },
    );
  }
  if (answer.graphql && (answer.errors.length > 0 || status === 200)) return null;
  if (status !== 200) return statusError(what, answer, now);
  return new TrackerError(
    "tracker_response",
    `Linear's answer to ${what} is not a GraphQL response.${words}`,
    { status, hint: isPage(answer) ? NOT_LINEAR : "Check tracker.endpoint: it must end in /graphql." },
  );
}

/** Why this GraphQL response has no complete data; null when it has. Half an answer is none (SPEC 11.1). */
export function incompleteOf(what: string, answer: LinearAnswer, now: Instant): TrackerError | null {
  // Errors of the question come with any status of the client's; the others are the server's own.
  const isOfQuestion = answer.status === 200 || (isClients(answer.status) && answer.errors.length > 0);
  if (!isOfQuestion) return statusError(what, answer, now);
  if (answer.errors.length === 0) return null;
  const passing = answer.errors.slice(0, ERRORS_MAX).every(isPassing);
  return new TrackerError(
    "tracker_response",
    `Linear answered ${what} with GraphQL errors.${quote(answer)}`,
    {
      status: answer.status,
      passing,
      hint: passing
        ? "Nothing has to be done: Baton asks again by itself. If this goes on, check the tracker's status page."
        : "Check that what the tracker settings name exists, and that the key's user may see it.",
    },
  );
}

/** 408 and 429 are about the moment. */
const isClients = (status: number): boolean =>
  status >= 400 && status < 500 && status !== 408 && status !== 429;

/** Words in a code or type that are the server's own trouble: the same question may be answered later. */
const SERVERS_OWN = /INTERNAL|TIMEOUT|LOCK|UNAVAILABLE|OVERLOAD|NETWORK|BAD_GATEWAY|BOOTSTRAP/;

/** Whether this GraphQL error is the server's own trouble, and not one of what was asked. */
function isPassing(error: unknown): boolean {
  const said = fieldsOf(fieldsOf(error)["extensions"]);
  if (said["userError"] === true) return false;
  const { status } = fieldsOf(said["http"]);
  const codes = [said["statusCode"], status].filter((code) => typeof code === "number");
  if (codes.length > 0) return codes.every((code) => code >= 500 || code === 408 || code === 429);
  return [said["code"], said["type"]].some(
    (word) => typeof word === "string" && SERVERS_OWN.test(plain(word)),
  );
}

const plain = (word: string): string => word.toUpperCase().replaceAll(" ", "_");

function statusError(what: string, answer: LinearAnswer, now: Instant): TrackerError {
  const isRedirect = answer.status >= 300 && answer.status < 400;
  return new TrackerError(
    "tracker_status",
    `Linear answered ${what} with HTTP ${answer.status}.${quote(answer)}`,
    {
      status: answer.status,
      retryAt: retryAtOf(withoutBudgets(answer.headers), now),
      ...(isRedirect ? { hint: "Redirects are not followed: correct tracker.endpoint." } : {}),
    },
  );
}

// Budgets say when more may be asked, which is no promise about a server that is down: only its own word counts.
function withoutBudgets({ "retry-after": asked }: AnswerHeaders): AnswerHeaders {
  return asked === undefined ? {} : { "retry-after": asked };
}

function coded(answer: LinearAnswer, code: string): boolean {
  return answer.errors.slice(0, ERRORS_MAX).some((error) => {
    const extensions = fieldsOf(error)["extensions"];
    return [fieldsOf(extensions)["code"], fieldsOf(extensions)["type"]].some((said) => sameCode(said, code));
  });
}

// The code reads RATELIMITED, the type `ratelimited`; AUTHENTICATION_ERROR comes with the type `authentication error`.
const sameCode = (said: unknown, code: string): boolean => typeof said === "string" && plain(said) === code;

/** The messages of GraphQL errors, bounded; what is not in the usual form is left out. */
export function errorMessages(errors: readonly unknown[]): string {
  const messages = errors
    .slice(0, ERRORS_MAX)
    .flatMap((error) => {
      const said = fieldsOf(fieldsOf(error)["extensions"])["userPresentableMessage"];
      return [fieldsOf(error)["message"], said].filter((text) => typeof text === "string");
    })
    .join("; ");
  return oneLine(messages);
}

const NOT_LINEAR =
  "Something answers in Linear's place, such as a proxy, the login page of a network or a page of maintenance; or tracker.endpoint, which must end in /graphql, is a page for people.";

function quote(answer: LinearAnswer): string {
  if (!answer.graphql && isPage(answer)) return ` It sent a web page${titleOf(answer.body)}.`;
  const words = answer.graphql ? errorMessages(answer.errors) : oneLine(answer.body);
  if (words === "") return "";
  return ` It said: "${words}"${/[.!?…]$/.test(words) ? "" : "."}`;
}

/** A page for people in place of an answer. */
const isPage = ({ body, headers }: LinearAnswer): boolean =>
  /^\s*<(!doctype|html)/i.test(body) || headers["content-type"]?.startsWith("text/html") === true;

/** As far as it is looked for. */
const HEAD_CHARS_MAX = 4_096;

function titleOf(body: string): string {
  const [, title = ""] = /<title[^>]*>([^<]*)/i.exec(body.slice(0, HEAD_CHARS_MAX)) ?? [];
  const words = oneLine(title);
  return words === "" ? "" : ` with the title "${words}"`;
}

const oneLine = (text: string): string => {
  const line = text
    .slice(0, QUOTE_MAX * 4)
    .replaceAll(/[\p{C}\s]+/gu, " ")
    .trim();
  return line.length > QUOTE_MAX ? `${line.slice(0, QUOTE_MAX).toWellFormed()}…` : line;
};

const iso = (at: Instant): string => new Date(instant(at)).toISOString();
