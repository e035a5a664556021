/** Saves that are good or bad by construction: broken text, wrong types for every key there is, bombs, odd encodings. */
import { jsonSchema } from "../../../src/workflow/workflow.ts";
import { at, type Case, secrets, withKeys, withText } from "./case.ts";

const good = (name: string, content: Buffer | string, marker: number, more: Partial<Case> = {}): Case => ({
  name,
  content,
  expect: { good: true, marker },
  ...more,
});
const bad = (name: string, content: Buffer | string, more: Partial<Case> = {}): Case => ({
  name,
  content,
  expect: { good: false },
  ...more,
});

/** All of them once; `marker` is a number that no save before it had. */
export const cases = (marker: number): readonly Case[] => [
  ...encodings(marker),
  ...broken(marker),
  ...bombs(marker),
  ...keys(marker),
  ...references(marker),
  ...templates(marker),
];

const encodings = (n: number): readonly Case[] => [
  good("a byte order mark", `\uFEFF${withKeys(n)}`, n),
  good("CRLF", withKeys(n).replaceAll("\n", "\r\n"), n),
  good("no line break at the end", withKeys(n).trimEnd(), n),
  good("a comment more", withText(n, '# a comment: with {odd} [signs] and a "quote'), n),
  good("text in many scripts", withText(n, 'x_note: "中文 עברית 🙂"', "Größe 中文 {{ issue.title }}"), n, {
    prompt: "made",
  }),
  good("unknown keys", withKeys(n, { made_up: { a: [1, 2] }, agent: { max_turn: 3 } }), n),
  good("empty sections", withText(n, "codex:\nhooks:\nlimits:"), n),
  good("a number as text", withKeys(n, { agent: { max_turns: `${n}` } }), n),
  good("a body with front matter in it", withText(n, "", "a\n---\nb: c\n---\nd"), n),
  good("no body", withText(n, "", ""), n, { prompt: "made" }),
  bad("UTF-16", Buffer.from(`\uFEFF${withKeys(n)}`, "utf16le"), { hasLine: false }),
  bad("Latin-1", Buffer.from(withText(n, "name: caf\u00e9"), "latin1"), { hasLine: false }),
  bad("a picture", Buffer.from("89504e470d0a1a0a0000000d49484452ffd8ffe0", "hex"), { hasLine: false }),
  bad("a character cut in two", Buffer.from(withText(n, "", "中")).subarray(0, -3), { hasLine: false }),
  bad("10 MB", withText(n, "", "x".repeat(10 * 2 ** 20)), { hasLine: false }),
  bad("10 MB of keys", withText(n, "a: 1\n".repeat(2 * 2 ** 20)), { hasLine: false }),
  bad("NUL bytes", Buffer.alloc(4_096)),
];

const broken = (n: number): readonly Case[] => [
  bad("an empty file", ""),
  bad("only a prompt", "Do it.\n"),
  bad("only the opening line", "---"),
  bad("front matter that is never closed", withKeys(n).replace(/\n---\n.*$/s, "\n")),
  bad("a line before the front matter", `\n${withKeys(n)}`),
  bad("a list", "---\n- a\n- b\n---\nx"),
  bad("a word", "---\nword\n---\nx"),
  bad("tabs", withText(n, "codex:\n\tmodel: x")),
  bad("a key twice", withText(n, "agent:\n  max_turns: 3")),
  bad("a key twice, below", withText(n, "codex:\n  model: a\n  model: b")),
  bad("a quote that is not closed", withText(n, 'name: "x')),
  bad("a bracket that is not closed", withText(n, "codex: {model: [x")),
  bad("wrong indentation", withText(n, "codex:\n    model: a\n  command: b")),
  bad("an alias of nothing", withText(n, "name: *none")),
  bad(
    "a conflict of git",
    withKeys(n).replace("agent:", "<<<<<<< HEAD\nagent:\n=======\nagent:\n>>>>>>> x\n"),
  ),
  bad("another tracker", withKeys(n, { tracker: { kind: "jira" } })),
  bad("another name than it had", withKeys(n, { name: "other" })),
  bad("its workspaces around itself", withKeys(n, { workspace: { root: "." } })),
];

const bombs = (n: number): readonly Case[] => {
  const laughs = "abcdefghij".split("").map((key, index, all) => {
    const before = index === 0 ? "lol" : `*${all[index - 1]}`;
    return `${key}: &${key} [${Array.from({ length: 9 }, () => before).join(", ")}]`;
  });
  const room = 60_000;
  return [
    bad("a billion laughs", withText(n, laughs.join("\n"))),
    ...[
      "a: &a [*a, *a]",
      "a: &a {b: *a}",
      "codex: &c {model: x, b: *c}",
      "server: &s {port: *s}",
      "? &a [*a]\n: x",
    ].map((lines) => bad(`an alias in itself: ${lines}`, withText(n, lines))),
    bad("lists in lists", withText(n, `a: ${"[".repeat(room)}`)),
    bad("maps in maps", withText(n, `a: ${"{a: ".repeat(room / 4)}`)),
    bad("lists in lists, as lines", withText(n, "- ".repeat(room / 2))),
    bad("question marks", withText(n, "? ".repeat(room / 2))),
    bad("one key, ten thousand times", withText(n, "a: 1\n".repeat(10_000))),
    bad("a long escape", withText(n, `a: "${"\\u".repeat(room / 2)}"`)),
    bad("more front matter than is read", withText(n, "# x\n".repeat(20_000))),
    good("seven thousand keys", withText(n, Array.from({ length: 7_000 }, (_, i) => `k${i}:`).join("\n")), n),
    good("thirty thousand comments", withText(n, "#\n".repeat(room / 2)), n),
    good("a long number", withText(n, `a: ${"1".repeat(room)}`), n),
    good(
      "two thousand states",
      withText(n, `x:\n${Array.from({ length: 2_000 }, (_, i) => ` s${i}: x`).join("\n")}`),
      n,
    ),
  ];
};

interface Node {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Node[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: unknown;
}

/** Wrong in every place there is: no key takes a list of maps. */
const misfit = [{ a: 1 }];

/** For every key of the schema, values it cannot take. */
function keys(n: number): readonly Case[] {
  return leaves(jsonSchema(), []).flatMap(({ path, node }) =>
    wrongFor(node).map((value) =>
      bad(`${path.join(".")}: ${JSON.stringify(value)}`, withKeys(n, at(path, value))),
    ),
  );
}

function leaves(node: Node, path: readonly string[]): { path: readonly string[]; node: Node }[] {
  const here = path.length === 0 ? [] : [{ path, node }];
  return [
    ...here,
    ...Object.entries(node.properties ?? {}).flatMap(([key, one]) => leaves(one, [...path, key])),
  ];
}

function wrongFor(node: Node): readonly unknown[] {
  const kinds = [node, ...(node.anyOf ?? [])].map(({ type }) => type);
  const wrong: unknown[] = [misfit];
  if (kinds.includes("integer")) wrong.push("abc", 1.5, true, "1e3");
  if (kinds.includes("boolean")) wrong.push("yes", 1);
  if (kinds.includes("object") && !kinds.includes("string")) wrong.push("text", 7, []);
  if (node.enum !== undefined) wrong.push("no-such-word");
  if (kinds.includes("string") && !kinds.includes("integer")) wrong.push(5, true);
  return wrong;
}

const references = (n: number): readonly Case[] => [
  ...[
    ["tracker", "api_key"],
    ["tracker", "endpoint"],
    ["tracker", "project_slug"],
    ["tracker", "assignee"],
  ].flatMap((path): readonly Case[] => [
    bad(`${path.join(".")} of a variable that is not set`, withKeys(n, at(path, "$NOT_SET_ANYWHERE"))),
    bad(`${path.join(".")} of an empty variable`, withKeys(n, at(path, "${EMPTY}"))),
  ]),
  bad("a root below a variable that is not set", withKeys(n, { workspace: { root: "$NOT_SET_ANYWHERE/x" } })),
  bad(
    "a ledger below a variable that is not set",
    withKeys(n, { ledger: { path: "${NOT_SET_ANYWHERE}/x" } }),
  ),
  good(
    "a root that is a variable that is not set",
    withKeys(n, { workspace: { root: "$NOT_SET_ANYWHERE" } }),
    n,
  ),
  // A secret by mistake in every place that knows variables, and as it is.
  ...["endpoint", "project_slug", "assignee"].map(
    (key): Case => ({
      name: `a secret variable as tracker.${key}`,
      content: withKeys(n, at(["tracker", key], "$OTHER_KEY")),
      expect: null,
    }),
  ),
  ...[
    "tracker.api_key",
    "tracker.provider.api_key",
    "codex.env_pass",
    "server.port",
    "codex.approval_policy",
  ].map(
    (path): Case => ({
      name: `the key itself as ${path}`,
      content: withKeys(
        n,
        at(path.split("."), path.endsWith("api_key") ? [secrets.OTHER_KEY] : `${secrets.OTHER_KEY} `),
      ),
      expect: path.endsWith("api_key") ? { good: false } : null,
    }),
  ),
  good(
    "the key itself as tracker.api_key, as text",
    withKeys(n, { tracker: { api_key: secrets.OTHER_KEY } }),
    n,
  ),
  bad("a broken line with the key in it", withText(n, `x: {api_key: ${secrets.OTHER_KEY}\ny: [`)),
  bad("the key in a map of another type", withText(n, `server: ["${secrets.OTHER_KEY}"`)),
];

const templates = (n: number): readonly Case[] => {
  const refused = [
    ["an unknown variable", "{{ issue.no_such }}"],
    ["an unknown filter", "{{ issue.title | no_such }}"],
    ["a tag that is not closed", "{% if issue.title %}"],
    ["an endless range", "{% for i in (1..1000000000000) %}x{% endfor %}"],
    ["loops in loops", `${"{% for i in (1..9) %}".repeat(30)}x${"{% endfor %}".repeat(30)}`],
    [
      "a text that doubles",
      '{% assign s = "xxxx" %}{% for i in (1..60) %}{% assign s = s | append: s %}{% endfor %}{{ s }}',
    ],
    ["a file of the host", "{% include '/etc/passwd' %}"],
    ["a file of the host, rendered", "{% render '/etc/passwd' %}"],
    ["a layout of the host", "{% layout '/etc/passwd' %}"],
    ["an object's insides", "{{ issue.constructor }}"],
    ["brackets in brackets", `{{ issue${"[".repeat(30_000)} }}`],
    ["comments in comments", "{% comment %}".repeat(10_000)],
    ["outputs that are not closed", "{{".repeat(60_000)],
    ["more than an agent takes", "{% for i in (1..200000) %}0123456789{% endfor %}"],
  ] as const;
  return [
    ...refused.map(([name, body]) =>
      good(`a prompt with ${name}`, withKeys(n, {}, body), n, { prompt: "refused" as const }),
    ),
    good("a prompt with all variables", withKeys(n, {}, "{{ issue | json }} {{ attempt }}"), n, {
      prompt: "made",
    }),
  ];
};

/** The text cut at `offset`: half a save. Good only if what is left has its front matter whole. */
export function cutAt(marker: number, text: string, offset: number): Case {
  const closed = text.indexOf("\n---", 3) + "\n---".length;
  const content = text.slice(0, offset);
  return offset >= closed
    ? good("cut in its body", content, marker)
    : bad("cut in its front matter", content);
}
