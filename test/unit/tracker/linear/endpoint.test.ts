import { describe, expect, it } from "vitest";
import { authorization, endpointUrl } from "../../../../src/tracker/linear/endpoint.ts";

describe("an endpoint", () => {
  it.each([
    "https://api.linear.app/graphql",
    "http://127.0.0.1:4000/graphql",
    "http://localhost/graphql",
    "http://[::1]:80/graphql",
  ])("may be %s", (endpoint) => {
    expect(endpointUrl(endpoint)).toBeInstanceOf(URL);
  });

  it.each([
    "http://api.linear.app/graphql",
    "http://127.0.0.1.example.com/graphql",
    "http://localhost.example.com/",
    "https://user:pass@api.linear.app/graphql",
    "https://user@api.linear.app/graphql",
    "ftp://127.0.0.1/",
    "file:///etc/passwd",
    "api.linear.app/graphql",
    "",
  ])("may not be %j, because the key would travel in the open", (endpoint) => {
    expect(() => endpointUrl(endpoint)).toThrow(/tracker\.endpoint/);
  });
});

describe("a key", () => {
  it("goes as it is, and as a bearer when it is an OAuth token", () => {
    expect(authorization(" lin_api_abc\n")).toBe("lin_api_abc");
    expect(authorization("lin_oauth_abc")).toBe("Bearer lin_oauth_abc");
    expect(authorization("Bearer abc")).toBe("Bearer abc");
  });

  it("that is missing is said to be missing", () => {
    expect(() => authorization("  ")).toThrow(expect.objectContaining({ kind: "missing_tracker_secret" }));
  });

  it.each(["secret\nkey", "secret\r\nX-Evil: 1", "secret kéy", "a b c"])(
    "that no header can carry is refused without being repeated: %j",
    (key) => {
      expect(() => authorization(key)).toThrow(/tracker\.api_key/);
      expect(() => authorization(key)).not.toThrow(/secret/);
    },
  );
});
