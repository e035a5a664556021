import { expect, test } from "vitest";
import { mishap } from "../../../../src/tracker/linear/network.ts";

const coded = (code: string, message = "said by a library"): Error =>
  Object.assign(new Error(message), { code });
const words = (code: string): string => mishap(coded(code), "api.linear.app").words;

test.each([
  ["ENOTFOUND", "the name api.linear.app could not be resolved (ENOTFOUND)"],
  ["EAI_AGAIN", "the name api.linear.app could not be resolved (EAI_AGAIN)"],
  ["ECONNREFUSED", "nothing listens at api.linear.app (ECONNREFUSED)"],
  ["EHOSTUNREACH", "there is no way to api.linear.app (EHOSTUNREACH)"],
  ["ECONNRESET", "the connection to api.linear.app was closed before the answer was whole (ECONNRESET)"],
  ["CERT_HAS_EXPIRED", "the certificate of api.linear.app is not valid today (CERT_HAS_EXPIRED)"],
  [
    "SELF_SIGNED_CERT_IN_CHAIN",
    "the certificate of api.linear.app is signed by nobody whom this machine trusts (SELF_SIGNED_CERT_IN_CHAIN)",
  ],
  [
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    "the certificate of api.linear.app is signed by nobody whom this machine trusts (UNABLE_TO_VERIFY_LEAF_SIGNATURE)",
  ],
  [
    "ERR_TLS_CERT_ALTNAME_INVALID",
    "what answers as api.linear.app has another server's certificate (ERR_TLS_CERT_ALTNAME_INVALID)",
  ],
  [
    "ERR_SSL_WRONG_VERSION_NUMBER",
    "what answers at api.linear.app does not speak TLS as it should (ERR_SSL_WRONG_VERSION_NUMBER)",
  ],
  ["ERR_PROXY_TUNNEL", "the proxy did not connect to api.linear.app (ERR_PROXY_TUNNEL)"],
  [
    "HPE_INVALID_CONSTANT",
    "what answers at api.linear.app does not speak HTTP as it should (HPE_INVALID_CONSTANT)",
  ],
  ["ESOMETHING", "ESOMETHING"],
])("a code of the network is told in words: %s", (code, said) => {
  expect(words(code)).toBe(said);
});

test("what can be done is told with it, and the next try", () => {
  expect(mishap(coded("SELF_SIGNED_CERT_IN_CHAIN"), "x").hint).toMatch(
    /NODE_EXTRA_CA_CERTS.*asks again by itself\.$/,
  );
  expect(mishap(coded("ERR_PROXY_TUNNEL"), "x").hint).toMatch(/HTTPS_PROXY/);
  expect(mishap(coded("CERT_NOT_YET_VALID"), "x").hint).toMatch(/clock/);
});

test("a message beside a code is not told: it may name a proxy with its password", () => {
  const error = coded("ERR_PROXY_TUNNEL", "tunnel via http://me:secret@proxy:3128 failed");
  expect(JSON.stringify(mishap(new Error("outer", { cause: error }), "x"))).not.toContain("secret");
});

test("an error without a code is told in its own words", () => {
  expect(mishap(new Error("ended early"), "x")).toEqual({ words: "ended early", hint: null });
  expect(mishap("?", "x").words).toBe("unknown");
});
