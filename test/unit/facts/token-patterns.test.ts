import { expect, test } from "vitest";
import { hideTokens } from "../../../src/facts/token-patterns.ts";

test("what is hidden leaves the text around it as it was", () => {
  expect(hideTokens("key=lin_api_abcdef123456, and more")).toBe("key=***, and more");
  expect(hideTokens('{"Authorization":"Bearer abc.def-1234567890"}')).toBe('{"Authorization":"Bearer ***"}');
});

test("prose about tokens stays: bearer of news, sk-, a branch called desk-lamp-for-the-office-1234", () => {
  const prose = "the bearer of news, sk-, a branch called desk-lamp-for-the-office-1234";
  expect(hideTokens(prose)).toBe(prose);
});

test("of a private key nothing is left, and what follows it is", () => {
  const key = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----";
  expect(hideTokens(`a ${key} b ${key} c`)).toBe("a *** b *** c");
});
