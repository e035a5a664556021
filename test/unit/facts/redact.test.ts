import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Redactor, TEXT_CHARS_MAX } from "../../../src/facts/redact.ts";
import { failure } from "../../../src/domain/failure.ts";
import { samples } from "./samples.ts";

const knowing = (...secrets: readonly string[]): Redactor => {
  const redactor = new Redactor();
  for (const secret of secrets) redactor.add(secret);
  return redactor;
};

// Without asterisks, which the replacement is made of, and without surrounding space, which no key has.
const aSecret = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom(...'abcXYZ019/+="\\ \n%&üß世-_.$^[('.split("")),
      fc.string({ minLength: 1, maxLength: 1 }),
    ),
    minLength: 8,
    maxLength: 40,
  })
  .map((text) => text.replaceAll("*", "x").trim())
  .filter((text) => text.length >= 6);

const around = fc.string({ maxLength: 12 });

const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** Ways in which a secret gets into a text, each with what must not be found in the end. */
const ways: Readonly<Record<string, (secret: string, before: string, behind: string) => string>> = {
  "as it is": (secret, before, behind) => before + secret + behind,
  "in JSON": (secret, before, behind) => JSON.stringify({ key: before + secret + behind }),
  "in JSON in JSON": (secret, before) => JSON.stringify(JSON.stringify([before, secret])),
  "in a URL": (secret, before) => `https://x/?q=${encodeURIComponent(before + secret)}`,
  "in a form": (secret) => new URLSearchParams({ key: secret }).toString(),
  "in a URL, small hex": (secret) =>
    encodeURIComponent(secret).replaceAll(/%../g, (hex) => hex.toLowerCase()),
  "in base64": (secret, before, behind) => base64(before + secret + behind),
  "in base64url": (secret, before) => Buffer.from(before + secret).toString("base64url"),
  "in basic auth": (secret, before) => `-u ${base64(`${before}:${secret}`)}`,
};

for (const [name, wrap] of Object.entries(ways)) {
  test(`no secret survives ${name}`, () => {
    fc.assert(
      fc.property(aSecret, around, around, (secret, before, behind) => {
        const clean = knowing(secret).text(wrap(secret, before, behind));
        expect(clean).not.toContain(secret);
        expect(decoded(clean)).not.toContain(secret);
      }),
      { numRuns: 400, seed: 5 },
    );
  });
}

/** Everything a reader could get out of a text by undoing an encoding once or twice. */
function decoded(text: string): string {
  const runs = text.match(/[A-Za-z0-9+/_-]{4,}={0,2}/g) ?? [];
  const url = text
    .replaceAll("+", " ")
    .replaceAll(/(?:%[0-9a-fA-F]{2})+/g, (hex) => Buffer.from(hex.replaceAll("%", ""), "hex").toString());
  const json = (of: string): string =>
    of.replaceAll(/\\(.)/g, (_all, char: string) => (char === "n" ? "\n" : char));
  return [
    url,
    json(text),
    json(json(text)),
    ...runs.map((run) => Buffer.from(run, "base64").toString()),
  ].join("\0");
}

test("text without a secret stays the very same", () => {
  const redactor = knowing("Xq7-super-secret-Zk2");
  const innocent = fc.oneof(fc.lorem({ maxCount: 60 }), fc.string({ maxLength: 200 }), fc.json());
  fc.assert(
    fc.property(innocent, (text) => {
      expect(redactor.text(text)).toBe(text);
    }),
    { numRuns: 500, seed: 9 },
  );
});

test("words that look a little like tokens are left alone", () => {
  const texts = [
    "disk-usage-threshold-percent-of-the-day",
    "the task-runner asks for-a-token and a bearer of-good-news-everyone",
    "Authorization is required here",
    "export const authorizationUrlForTheWorkspace = build()",
    "xoxo, lin_ear, ghp_ and sk- on their own",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
  ];
  for (const text of texts) expect(new Redactor().text(text)).toBe(text);
});

const digits = "0123456789abcdefABCDEF0123456789abcdef";
const looks: Readonly<Record<string, string>> = {
  "Linear API key": `lin_api_${digits}`,
  "Linear OAuth token": `lin_oauth_${digits}`,
  "OpenAI key": `sk-proj-${digits}`,
  "GitHub token": `ghp_${digits}`,
  "GitHub server token": `ghs_${digits}`,
  "GitHub fine-grained token": `github_pat_${digits}`,
  "Slack token": `xoxb-12345678-${digits}`,
  "JSON Web Token": `eyJhbGciOiJIUzI1NiJ9.${Buffer.from(digits).toString("base64url")}.${digits}`,
};

for (const [name, token] of Object.entries(looks)) {
  test(`a ${name} is recognised by its look, wherever it stands`, () => {
    const places = [
      token,
      `export KEY=${token};`,
      JSON.stringify({ key: token }),
      JSON.stringify(JSON.stringify(`one\n${token}\ntwo`)),
      `https://x/?token=${token}&y=1`,
      `https://user:${token}@host/`,
    ];
    for (const place of places) expect(new Redactor().text(place)).not.toContain(token.slice(-20));
    expect(new Redactor().text(`a ${token} b`)).toBe("a *** b");
  });
}

test("an Authorization header is hidden however it is written, and its scheme stays", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["Authorization: Bearer abcdef123456", "Authorization: Bearer ***"],
    ["authorization:Basic dXNlcjpwYXNz\r\nHost: x", "authorization:Basic ***\r\nHost: x"],
    ['{"Authorization":"abcdef-no-scheme"}', '{"Authorization":"***"}'],
    ['{\\"authorization\\": \\"Bearer abcdef123\\"}', '{\\"authorization\\": \\"Bearer ***\\"}'],
    ["curl -H 'Authorization: token 0123abcd' x", "curl -H 'Authorization: token ***' x"],
    ["sent bearer 0123456789abcdef to x", "sent bearer *** to x"],
  ];
  for (const [text, clean] of cases) expect(new Redactor().text(text)).toBe(clean);
});

test("a private key is hidden whole, also escaped, also cut off, and what follows it stays", () => {
  const key = `-----BEGIN RSA PRIVATE KEY-----\n${"MIIEpAIBAAKCAQEA\n".repeat(9)}-----END RSA PRIVATE KEY-----`;
  const redactor = new Redactor();
  expect(redactor.text(`a ${key} b ${key} c`)).toBe("a *** b *** c");
  expect(redactor.text(JSON.stringify([key, "b"]))).toBe('["***","b"]');
  expect(redactor.text(`a ${key.slice(0, 60)}`)).toBe("a ***");
});

test("a secret of several lines is hidden line by line", () => {
  const secret = "first-line-of-the-secret\nsecond-line-of-the-secret\nx";
  expect(knowing(secret).text("> second-line-of-the-secret <")).toBe("> *** <");
});

test("a value too short to be a secret makes no holes", () => {
  expect(knowing("abc", "  ", "").text("abc, abc")).toBe("abc, abc");
});

test("where one secret holds another, nothing of the longer one is left", () => {
  expect(knowing("secret-one", "secret-one-and-more").text("(secret-one-and-more)")).toBe("(***)");
});

test("a secret learnt later is hidden from then on, beside the earlier ones", () => {
  const redactor = knowing("first-secret");
  redactor.add("second-secret");
  expect(redactor.text("first-secret second-secret")).toBe("*** ***");
});

test("a name that was harmless is looked at again when a secret is learnt", () => {
  const redactor = new Redactor();
  expect(redactor.deep({ grandmother: 1 })).toEqual({ grandmother: 1 });
  redactor.add("grandmother");
  expect(redactor.deep({ grandmother: 1 })).toEqual({ "***": 1 });
});

test("a huge text is cut, and a secret across the cut does not survive by half", () => {
  const secret = "S3cret-".repeat(6);
  const text = "x".repeat(TEXT_CHARS_MAX - 20) + secret + "y".repeat(1_000);
  const clean = knowing(secret).text(text);
  expect(clean.length).toBeLessThan(TEXT_CHARS_MAX + 50);
  expect(clean).not.toContain("S3cret");
  expect(clean).toMatch(/x \[cut: \d+ characters\]$/);
});

test("no text is slow: hostile repetitions of every pattern's beginning take a bounded time", () => {
  const redactor = knowing("aaaaaaaaab", "lin_api_000000000000");
  const beginnings = [
    "a",
    "eyJ",
    "\\neyJ",
    "sk-",
    "bearer a",
    "bearer ",
    "authorization: ",
    "authorization\\",
    "-----BEGIN PRIVATE KEY-----(",
    "xoxb-",
  ];
  for (const beginning of beginnings) {
    const text = beginning.repeat(Math.floor(TEXT_CHARS_MAX / beginning.length));
    const from = process.cpuUsage();
    redactor.text(text);
    // Linear work takes some 30 ms here; anything worse takes minutes.
    expect(process.cpuUsage(from).user, beginning).toBeLessThan(2_000_000);
  }
});

test("facts without a secret are handed on as the very same objects", () => {
  const redactor = knowing("Xq7-super-secret-Zk2");
  for (const sample of samples) expect(redactor.deep(sample)).toBe(sample);
});

test("a secret is taken out of every string and key of a fact, and nothing else changes", () => {
  const redactor = knowing("hunter22");
  const value = { a: ["x", { "k-hunter22": "v hunter22" }], n: 1, no: null, yes: true, un: undefined };
  expect(redactor.deep(value)).toEqual({
    a: ["x", { "k-***": "v ***" }],
    n: 1,
    no: null,
    yes: true,
    un: undefined,
  });
  expect(value.a[1]).toEqual({ "k-hunter22": "v hunter22" });
});

test("errors lose their secrets in message, stack, cause and own fields, and stay what they are", () => {
  class MadeError extends TypeError {
    readonly failure = failure("internal", "saw hunter22");
  }
  const error = knowing("hunter22").deep(
    new MadeError("bad hunter22", { cause: new Error("deep hunter22") }),
  );
  expect(error).toBeInstanceOf(MadeError);
  expect(error.message).toBe("bad ***");
  expect(error.stack).toMatch(/bad \*\*\*/);
  expect(JSON.stringify([error.failure, (error.cause as Error).message, error.stack])).not.toContain(
    "hunter22",
  );
});

test("maps and sets are looked into; what is nested too deeply is left out", () => {
  const redactor = knowing("hunter22");
  expect(redactor.deep(new Map([["hunter22", ["hunter22"]]]))).toEqual(new Map([["***", ["***"]]]));
  expect(redactor.deep(new Set(["hunter22"]))).toEqual(new Set(["***"]));
  const loop: Record<string, unknown> = { secret: "hunter22" };
  loop["again"] = loop;
  expect(JSON.stringify(redactor.deep(loop))).toMatch(/nested too deeply/);
});
