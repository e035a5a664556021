/**
 * Linear's own SDK as the reference for what an answer means: it is not used at run time (28 MB and 60 ms for its model
 * classes), but what it takes for a rate limit or a refused key, we do too.
 */
import { LinearErrorType, parseLinearError } from "@linear/sdk";
import { expect, test } from "vitest";
import { instant } from "../../src/domain/time.ts";
import { incompleteOf, refusalOf, type LinearAnswer } from "../../src/tracker/linear/errors.ts";

const NOW = instant(1_795_000_000_000);

const answers = [
  [400, "ratelimited", "RATELIMITED", LinearErrorType.Ratelimited, "rate_limited"],
  [429, "ratelimited", "RATELIMITED", LinearErrorType.Ratelimited, "rate_limited"],
  [401, "authentication error", "AUTHENTICATION_ERROR", LinearErrorType.AuthenticationError, "auth"],
  [400, "authentication error", "AUTHENTICATION_ERROR", LinearErrorType.AuthenticationError, "auth"],
  [403, "forbidden", "FORBIDDEN", LinearErrorType.Forbidden, "auth"],
  [200, "invalid input", "INVALID_INPUT", LinearErrorType.InvalidInput, "linear_graphql_errors"],
  [500, "internal error", "INTERNAL_SERVER_ERROR", LinearErrorType.InternalError, "linear_api_status"],
] as const;

test.each(answers)(
  "HTTP %i with type '%s' means the same to us and to the SDK",
  (status, type, code, theirs, ours) => {
    const errors = [{ message: "no", extensions: { type, code } }];
    const headers = new Headers({ "x-ratelimit-requests-reset": String(NOW + 60_000) });
    expect(parseLinearError({ message: "no", response: { status, headers, errors } } as never).type).toBe(
      theirs,
    );
    const answer: LinearAnswer = { status, headers, graphql: true, data: undefined, errors, body: "" };
    expect((refusalOf("a test", answer, NOW) ?? incompleteOf("a test", answer, NOW))?.kind).toBe(ours);
  },
);

test("the reset time of a rate limit is read from the header that the SDK reads", () => {
  const errors = [{ message: "no", extensions: { type: "ratelimited", code: "RATELIMITED" } }];
  const headers = new Headers({ "x-ratelimit-requests-reset": String(NOW + 60_000) });
  const theirs = parseLinearError({ message: "no", response: { status: 400, headers, errors } } as never);
  const ours = refusalOf(
    "a test",
    { status: 400, headers, graphql: true, data: null, errors, body: "" },
    NOW,
  );
  expect(theirs).toMatchObject({ requestsResetAt: NOW + 60_000 });
  expect(ours?.retryAt).toBe(NOW + 60_000);
});
