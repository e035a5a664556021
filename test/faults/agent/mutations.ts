/** Ways to damage what an agent says: the bytes of a line, its JSON, its place among the others. */
import type { Fields } from "./host.ts";

export interface RecordedLine {
  readonly bytes: Buffer;
  readonly message: Fields;
  /** Where in the message something stands: every member of every object and list. */
  readonly paths: readonly Path[];
  /** Those of them that somebody reads. */
  readonly read: readonly Path[];
}

export type Path = readonly string[];
type Random = () => number;

export const recordedLine = (text: string): RecordedLine => {
  const message = JSON.parse(text) as Fields;
  const paths = pathsOf(message);
  const read = paths.filter((path) => READ.has(path.at(-1) ?? ""));
  return { bytes: Buffer.from(text), message, paths, read };
};

function pathsOf(value: unknown, at: Path = []): readonly Path[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[...at, key], ...pathsOf(inner, [...at, key])]);
}

export const below = (random: Random, count: number): number => Math.floor(random() * count);

export function oneOf<T>(random: Random, of: readonly T[]): T {
  const found = of[below(random, of.length)];
  if (found === undefined) throw new Error("nothing to choose from");
  return found;
}

type Mutation = (line: RecordedLine, random: Random, all: readonly RecordedLine[]) => readonly Buffer[];

const byName: { readonly [name: string]: Mutation } = {
  flip: ({ bytes }, random) => {
    const copy = Buffer.from(bytes);
    for (let n = 1 + below(random, 8); n > 0; n--) copy[below(random, copy.length)] = below(random, 256);
    return [copy];
  },
  truncate: ({ bytes }, random) => [bytes.subarray(0, below(random, bytes.length))],
  headless: ({ bytes }, random) => [bytes.subarray(below(random, bytes.length))],
  hole: ({ bytes }, random) => {
    const at = below(random, bytes.length);
    return [Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + below(random, 20))])];
  },
  insert: ({ bytes }, random) => {
    const at = below(random, bytes.length);
    return [Buffer.concat([bytes.subarray(0, at), oneOf(random, INSERTS), bytes.subarray(at)])];
  },
  spliced: ({ bytes }, random, all) => {
    const other = oneOf(random, all).bytes;
    const head = bytes.subarray(0, below(random, bytes.length));
    return [Buffer.concat([head, other.subarray(below(random, other.length))])];
  },
  twice: ({ bytes }) => [bytes, bytes],
  joined: ({ bytes }, random, all) => [Buffer.concat([bytes, oneOf(random, all).bytes])],
  batch: ({ bytes }, random, all) => [Buffer.from(`[${String(bytes)},${String(oneOf(random, all).bytes)}]`)],
  reordered: ({ bytes }, random, all) => [oneOf(random, all).bytes, bytes],
  dropped: (_, random, all) => [oneOf(random, all).bytes],
  bom: ({ bytes }) => [Buffer.concat([BOM, bytes])],
  crlf: ({ bytes }) => [Buffer.concat([bytes, Buffer.from("\r")])],
  empty: ({ bytes }) => [Buffer.alloc(0), bytes],
  wrongType: (line, random) => [changed(line, random, () => oneOf(random, ABSURD))],
  missing: (line, random) => [changed(line, random, () => undefined)],
  veryLongText: (line, random) =>
    below(random, 20) === 0 ? [changed(line, random, () => "x".repeat(150_000))] : [line.bytes],
  deepWhereRead: (_, random) => [oneOf(random, DEEP_LINES)],
  longText: (line, random) => [changed(line, random, () => "ä\u0000\ud800".repeat(below(random, 2_000)))],
  deep: (line, random) => [changed(line, random, () => DEEP)],
  renamed: (line, random, all) => {
    const { method } = oneOf(random, all).message;
    return [json({ ...line.message, method: method ?? oneOf(random, METHODS) })];
  },
  otherId: (line, random) => [json({ ...line.message, id: oneOf(random, IDS) })],
  hostileKey: (line, random) => {
    const key = oneOf(random, HOSTILE_KEYS);
    const params = Object.entries(line.message["params"] ?? line.message["result"] ?? {});
    const body = JSON.stringify(Object.fromEntries(params)).slice(1);
    const method = line.message["method"] ?? "turn/started";
    return [
      Buffer.from(
        `{"method":${JSON.stringify(method)},"params":{"${key}":{"${key}":1}${body === "}" ? "" : ","}${body}}`,
      ),
    ];
  },
  ofThread: (line, random) => [
    json({
      ...line.message,
      params: { ...(line.message["params"] as object | undefined), threadId: oneOf(random, ABSURD) },
    }),
  ],
};

/** Rare, for they take as long as thousands of others. */
const rare: { readonly [name: string]: Mutation } = {
  flood: ({ bytes }) => Array.from({ length: 2_000 }, () => bytes),
  tenMegabytes: (line, random) => [changed(line, random, () => "x".repeat(10_000_000))],
  tenMegabytesOfNothing: () => [Buffer.alloc(10_000_000, "[")],
  tenMegabytesOfParts: ({ message }) => [
    Buffer.from(`{"method":"${String(message["method"])}","params":[${"{},".repeat(3_000_000)}{}]}`),
  ],
  deepMegabytes: ({ message }) => [
    Buffer.from(
      `{"method":"${String(message["method"])}","params":${'{"turn":'.repeat(300_000)}1${"}".repeat(300_001)}`,
    ),
  ],
};

const mutations = Object.entries(byName);
const rareMutations = Object.entries(rare);
const RARE_ONE_IN = 15_000;

export interface Mutated {
  readonly name: string;
  readonly lines: readonly Buffer[];
}

export function mutate(line: RecordedLine, random: Random, all: readonly RecordedLine[]): Mutated {
  const isRare = below(random, RARE_ONE_IN) === 0;
  const [name, mutation] = oneOf(random, isRare ? rareMutations : mutations);
  return { name, lines: mutation(line, random, all) };
}

export const mutationNames: readonly string[] = [...mutations, ...rareMutations].map(([name]) => name);

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value) ?? "");

/** The message with something else in one place of it. */
function changed({ message, paths, read }: RecordedLine, random: Random, to: () => unknown): Buffer {
  const among = read.length > 0 && random() < 0.5 ? read : paths;
  return json(replaced(message, oneOf(random, among), to()));
}

export function replaced(value: unknown, [key, ...rest]: Path, to: unknown): unknown {
  if (key === undefined) return to;
  if (Array.isArray(value))
    return value.map((one: unknown, n) => (String(n) === key ? replaced(one, rest, to) : one));
  const fields = value as Fields;
  return { ...fields, [key]: replaced(fields[key], rest, to) };
}

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** What breaks texts: broken UTF-8 in several ways, ends of lines and files, quotes, half an escape. */
const INSERTS: readonly Buffer[] = [
  Buffer.from([0xff]),
  Buffer.from([0xc0, 0x80]),
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from([0xf4, 0x90, 0x80, 0x80]),
  Buffer.from([0xe2, 0x82]),
  Buffer.from([0x00]),
  Buffer.from([0x1b, 0x5b]),
  Buffer.from("\r"),
  Buffer.from("\n"),
  Buffer.from("\r\n"),
  Buffer.from("\u2028"),
  BOM,
  Buffer.from('"'),
  Buffer.from("\\"),
  Buffer.from("\\ud800"),
  Buffer.from("{"),
  Buffer.from("]"),
];

const nest = (levels: number): unknown => {
  let value: unknown = 1;
  for (let n = 0; n < levels; n++) value = n % 2 === 0 ? [value] : { a: value };
  return value;
};
const DEEP = nest(950);

/** Deep enough to end the stack of whoever walks over it by calling itself, where something would. */
const DEEP_TEXT = `${'{"a":['.repeat(10_000)}1${"]}".repeat(10_000)}`;
const DEEP_LINES: readonly Buffer[] = [
  `{"id":1,"error":${DEEP_TEXT}}`,
  `{"id":5,"error":${DEEP_TEXT}}`,
  `{"method":"model/rerouted","params":${DEEP_TEXT}}`,
  `{"method":"account/rateLimits/updated","params":{"rateLimits":${DEEP_TEXT}}}`,
  `{"method":"item/permissions/requestApproval","id":7,"params":{"permissions":{"network":${DEEP_TEXT}}}}`,
].map((line) => Buffer.from(line));

/** Members that a client looks at. */
const READ: ReadonlySet<string> = new Set(
  (
    "id method params result error code message data thread turn threadId turnId status items item type text command " +
    "exitCode durationMs aggregatedOutput changes path willRetry codexErrorInfo additionalDetails tokenUsage total " +
    "totalTokens inputTokens rateLimits limitId primary secondary usedPercent resetsAt reason questions permissions " +
    "tool callId arguments config httpStatusCode"
  ).split(" "),
);

/** Of every type, and at the edges of each. */
export const ABSURD: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  -1e308,
  2 ** 53,
  "",
  "0",
  "\u0000",
  "x".repeat(300),
  "x".repeat(150_000),
  "__proto__",
  "toString",
  [],
  [null],
  [[[]]],
  {},
  { toString: 1, valueOf: 1, toJSON: 1 },
  [{ toString: 1, valueOf: 1 }],
  { constructor: { a: 1 } },
  { length: -1 },
  nest(20),
];

const IDS: readonly unknown[] = [
  0,
  1,
  2,
  3,
  4,
  5,
  6,
  7,
  8,
  99,
  -1,
  1.5,
  1e308,
  2 ** 53,
  "1",
  "x",
  "",
  null,
  true,
  [],
  {},
  "y".repeat(10_000),
];

const METHODS: readonly string[] = [
  "turn/started",
  "turn/completed",
  "turn/failed",
  "codex/event/error",
  "item/tool/call",
  "item/commandExecution/requestApproval",
  "execCommandApproval",
  "mcpServer/elicitation/request",
  "item/permissions/requestApproval",
  "account/chatgptAuthTokens/refresh",
  "toString",
  "constructor",
  "",
  "m".repeat(10_000),
];

const HOSTILE_KEYS: readonly string[] = [
  "__proto__",
  "constructor",
  "toString",
  "toJSON",
  "then",
  "length",
  "hasOwnProperty",
];
