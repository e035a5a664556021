/** Where requests may go, and what the key looks like on the way. */
import { TrackerError } from "../port.ts";

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * The endpoint as a URL.
 * @throws TrackerError unless it is https, or plain http to this machine: the key travels in a header.
 */
export function endpointUrl(endpoint: string): URL {
  const url = URL.parse(endpoint);
  const problem =
    url === null
      ? "is not a URL"
      : url.username !== "" || url.password !== ""
        ? "has a user name or password in it"
        : url.protocol === "https:" || (url.protocol === "http:" && loopback.test(url.hostname))
          ? null
          : "is neither https nor plain http on this machine";
  if (url === null || problem !== null) {
    throw new TrackerError("invalid_tracker_config", `tracker.endpoint ${problem}.`, {
      hint: "Use https://api.linear.app/graphql, or http://127.0.0.1:PORT/... for a local server.",
    });
  }
  return url;
}

/**
 * The Authorization header for this key: personal keys go as they are, OAuth tokens as bearers.
 * @throws TrackerError for a key that is missing, or that no header can carry. The check is ours because others put
 * the key into their error message.
 */
export function authorization(apiKey: string): string {
  const key = apiKey.trim();
  if (key === "") {
    throw new TrackerError("missing_tracker_secret", "tracker.api_key is empty.", {
      hint: "Set it, or the environment variable that it names, to a Linear API key.",
    });
  }
  if (!/^[\x21-\x7e]+( [\x21-\x7e]+)?$/.test(key)) {
    throw new TrackerError(
      "invalid_tracker_config",
      "tracker.api_key holds a line break or another character that no key has.",
      { hint: "Copy the key again." },
    );
  }
  return key.startsWith("lin_oauth_") ? `Bearer ${key}` : key;
}
