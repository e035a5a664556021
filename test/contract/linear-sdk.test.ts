/**
 * Linear's own SDK as the reference for what an answer means: it is not used at run time (28 MB and 60 ms for its model
 * classes), but what it takes for a rate limit or a refused key, we do too.
 */
import { LinearErrorType, parseLinearError } from "@linear/sdk";
import { expect, test } from "vitest";
import { instant } from "../../src/domain/time.ts";
import { createLinearTracker } from "../../src/tracker/linear/linear.ts";
import type { TrackerError } from "../../src/tracker/port.ts";
import { errorOf, usualScope } from "./tracker-suite.ts";

const NOW = instant(1_795_000_000_000);

const answers = [
  [400, "ratelimited", "RATELIMITED", LinearErrorType.Ratelimited, "tracker_rate_limited"],
  [429, "ratelimited", "RATELIMITED", LinearErrorType.Ratelimited, "tracker_rate_limited"],
  [
    401,
    "authentication error",
    "AUTHENTICATION_ERROR",
    LinearErrorType.AuthenticationError,
    "tracker_status",
  ],
  [
    400,
    "authentication error",
    "AUTHENTICATION_ERROR",
    LinearErrorType.AuthenticationError,
    "tracker_status",
  ],
  [403, "forbidden", "FORBIDDEN", LinearErrorType.Forbidden, "tracker_response"],
  [200, "invalid input", "INVALID_INPUT", LinearErrorType.InvalidInput, "tracker_response"],
  [500, "internal error", "INTERNAL_SERVER_ERROR", LinearErrorType.InternalError, "tracker_status"],
] as const;

test.each(answers)(
  "HTTP %i with type '%s' means the same to us and to the SDK",
  async (status, type, code, theirs, ours) => {
    const errors = [{ message: "no", extensions: { type, code } }];
    const headers = new Headers({ "x-ratelimit-requests-reset": String(NOW + 60_000) });
    expect(parseLinearError({ message: "no", response: { status, headers, errors } } as never).type).toBe(
      theirs,
    );
    expect((await ourError(status, errors, headers)).kind).toBe(ours);
  },
);

test("the reset time of a rate limit is read from the header that the SDK reads", async () => {
  const errors = [{ message: "no", extensions: { type: "ratelimited", code: "RATELIMITED" } }];
  const headers = new Headers({ "x-ratelimit-requests-reset": String(NOW + 60_000) });
  const theirs = parseLinearError({ message: "no", response: { status: 400, headers, errors } } as never);
  const ours = await ourError(400, errors, headers);
  expect(theirs).toMatchObject({ requestsResetAt: NOW + 60_000 });
  expect(ours.retryAt).toBe(NOW + 60_000);
});

/** What our client makes of this answer. */
function ourError(status: number, errors: readonly unknown[], sent: Headers): Promise<TrackerError> {
  const headers = Object.fromEntries(sent);
  const answer = { status, headers, body: [Buffer.from(JSON.stringify({ errors }))] };
  const scope = {
    kind: "linear",
    endpoint: "http://127.0.0.1/",
    apiKey: "key",
    terminalStates: [],
    ...usualScope,
  } as const;
  const news = { rates: () => {}, rejected: () => {} };
  const tracker = createLinearTracker(scope, news, () => NOW, { send: async () => answer });
  return errorOf(tracker.candidates(new AbortController().signal));
}
