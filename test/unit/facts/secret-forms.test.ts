import { expect, test } from "vitest";
import { secretForms } from "../../../src/facts/secret-forms.ts";

const secret = 'a/b+c"d e!f';

test.each([
  ["as it is", (text: string) => text],
  ["in JSON", (text: string) => JSON.stringify(text).slice(1, -1)],
  ["in JSON inside JSON", (text: string) => JSON.stringify(JSON.stringify(text)).slice(3, -3)],
  ["in a URL", encodeURIComponent],
])("a secret is known %s", (_name, written) => {
  expect(secretForms(secret)).toContain(written(secret));
});

test("a secret is known inside base64, wherever its first byte falls", () => {
  for (const before of ["", "u", "us", "use"]) {
    const encoded = Buffer.from(`${before}${secret}:x`).toString("base64");
    expect(secretForms(secret).some((form) => encoded.includes(form))).toBe(true);
  }
});

test("no form is so short that it could be anything", () => {
  expect(secretForms("a\nb\nlonger than that line").every((form) => form.length >= 6)).toBe(true);
  expect(secretForms("a\nb\nlonger than that line")).not.toContain("a");
});
