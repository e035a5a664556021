/** Answers that are made to cost much: as large, as deep, as long as a server can make them. */
import { repliesOf, scenarios, type Call, type Reply, type Scenario } from "./replies.ts";

type Bomb = () => readonly [Scenario, ReadonlyMap<string, Reply>];

/** The most that is read of a body. */
export const BODY_BYTES_MAX = 16 * 2 ** 20;

const scenarioOf = (call: Call): Scenario => {
  const found = scenarios.find((scenario) => scenario.call === call && scenario.assignee === null);
  if (found === undefined) throw new Error(`no scenario calls ${call}`);
  return found;
};

/** The scenario with this body for its first question. */
const answering =
  (call: "candidates" | "issues" | "graphql", body: () => string, status = 200): Bomb =>
  () => {
    const scenario = scenarioOf(call);
    const request = { candidates: "BatonCandidates", issues: "BatonIssues", graphql: "query" }[call];
    return [scenario, new Map(repliesOf(scenario.answers)).set(request, { status, body: body() })];
  };

const pageOf = (nodes: string, info = '{"hasNextPage":false}'): string =>
  `{"data":{"issues":{"nodes":[${nodes}],"pageInfo":${info}}}}`;

const lean = (more: string): string =>
  `{"id":"i","identifier":"MT-1","title":"T","state":{"name":"Todo"},"labels":{"nodes":[]},"inverseRelations":{"nodes":[]}${more}}`;

/** Every page leads on to another, for ever. */
function endless(request: string, page: (cursor: string) => string): ReadonlyMap<string, Reply> {
  return new (class extends Map<string, Reply> {
    #n = 0;
    override get(key: string): Reply | undefined {
      return key.startsWith(request) ? { status: 200, body: page(`c${this.#n++}`) } : super.get(key);
    }
  })();
}

const onward = (cursor: string): string => `{"hasNextPage":true,"endCursor":"${cursor}"}`;

const endlessScan: Bomb = () => [
  scenarioOf("candidates"),
  endless("BatonCandidates", (cursor) => pageOf(lean(""), onward(cursor))),
];

const endlessFullPages: Bomb = () => [
  scenarioOf("candidates"),
  endless("BatonCandidates", (cursor) =>
    pageOf(
      Array.from(
        { length: 10_000 },
        (_, n) => `{"id":"${cursor}-${n}","identifier":"MT-${n}","title":"T","state":{"name":"Todo"}}`,
      ).join(),
      onward(cursor),
    ),
  ),
];

/** Each with a body of about so many bytes. */
export const bombsOf = (size: number): ReadonlyMap<string, Bomb> =>
  new Map<string, Bomb>([
    ["a body one byte too large", answering("candidates", () => `"${"x".repeat(BODY_BYTES_MAX)}"`)],
    [
      "many MiB of brackets",
      answering("candidates", () => "[".repeat((size - 1_000) / 2) + "]".repeat((size - 1_000) / 2)),
    ],
    [
      "many MiB of objects in objects",
      answering(
        "candidates",
        () => '{"a":'.repeat((size - 1_000) / 6) + "1" + "}".repeat((size - 1_000) / 6),
      ),
    ],
    [
      "many MiB of nothing but nodes",
      answering("candidates", () => pageOf(`0${",0".repeat((size - 1_000) / 2 - 100)}`)),
    ],
    [
      "many MiB of empty records",
      answering("candidates", () => pageOf(`{}${",{}".repeat((size - 1_000) / 3 - 100)}`)),
    ],
    ["10,000 records that cannot be read", answering("candidates", () => pageOf(`{}${",{}".repeat(9_999)}`))],
    [
      "a title of many MiB",
      answering("candidates", () => pageOf(lean(`,"title":"${"t".repeat(size - 1_000 - 500)}"`))),
    ],
    [
      "a title of many MiB of blanks",
      answering("candidates", () => pageOf(lean(`,"title":"${" ".repeat(size - 1_000 - 500)}x"`))),
    ],
    [
      "a title of 2 million controls",
      answering("candidates", () => pageOf(lean(`,"title":"${"\\u0001".repeat((size - 1_000) / 7)}"`))),
    ],
    [
      "an identifier of many MiB with a control at its end",
      answering("candidates", () => pageOf(lean(`,"identifier":"${"a".repeat(size - 1_000 - 500)}\\u0000"`))),
    ],
    [
      "a state of many MiB with a control at its end",
      answering("candidates", () =>
        pageOf(lean(`,"state":{"name":"${"a".repeat(size - 1_000 - 500)}\\u0000"}`)),
      ),
    ],
    [
      "a million bad labels",
      answering("issues", () => pageOf(lean(`,"labels":{"nodes":[0${",0".repeat(1_000_000)}]}`))),
    ],
    [
      "an object with a million keys",
      answering(
        "candidates",
        () => `{"data":{${Array.from({ length: 500_000 }, (_, n) => `"k${n}":${n}`).join()}}}`,
      ),
    ],
    [
      "errors of many MiB",
      answering(
        "candidates",
        () =>
          `{"errors":[${Array.from({ length: 20 }, () => `{"message":"${"m".repeat((size - 1_000) / 21)}","extensions":{"code":"${"R".repeat(9)}"}}`).join()}]}`,
      ),
    ],
    [
      "codes of many MiB",
      answering(
        "candidates",
        () =>
          `{"errors":[${Array.from({ length: 20 }, () => `{"extensions":{"code":"${"R".repeat((size - 1_000) / 21)}"}}`).join()}]}`,
        400,
      ),
    ],
    [
      "many MiB for the agent",
      answering("graphql", () => `{"data":{"a":[0${",0".repeat((size - 1_000) / 2 - 100)}]}}`),
    ],
    [
      "many MiB of a web page",
      answering("candidates", () => `<html>${"<p>".repeat((size - 1_000) / 3)}`, 502),
    ],
    ["pages without end", endlessScan],
    ["full pages without end", endlessFullPages],
  ]);
