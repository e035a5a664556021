/** The log: a subscriber to facts that writes one line for each, for people in a terminal or as JSON for machines. */
import { isatty } from "node:tty";
import type { Fact } from "../domain/domain.ts";
import { describe, type Level } from "./describe.ts";
import { bodyFields, scopeFields } from "./log-fields.ts";
import { logLine } from "./log-line.ts";
import { fdSink, type LogSink, type LogStream, streamSink } from "./log-sink.ts";

export interface LogOptions {
  /** One readable line per fact instead of one JSON object. */
  readonly pretty: boolean;
  /** Facts below this level are not logged. */
  readonly level: Level;
  /** File descriptor; standard error when neither this nor `stream` is given. */
  readonly fd?: number;
  readonly stream?: LogStream;
  /** Colours in readable lines. Missing = on a terminal, unless NO_COLOR is set. */
  readonly colour?: boolean;
}

const STANDARD_ERROR = 2;

/** Makes the subscriber. It throws when its line cannot be written; Facts then tells the others. */
export function createLog(options: LogOptions): (fact: Fact) => void {
  const { fd = STANDARD_ERROR, stream, level, pretty } = options;
  const sink = stream === undefined ? fdSink(fd) : streamSink(stream);
  const write = pretty ? prettyWriter(sink, options.colour ?? wantsColour(fd, stream)) : jsonWriter(sink);
  const log = (fact: Fact): void => {
    const description = describe(fact);
    if (rank[description.level] >= rank[level]) write(fact, description);
  };
  return named(log, "the log");
}

type Writer = (fact: Fact, description: ReturnType<typeof describe>) => void;

const rank: Readonly<Record<Level, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

const prettyWriter =
  (sink: LogSink, colour: boolean): Writer =>
  (fact, description) =>
    sink.write(logLine(fact, description, colour));

/** `time` is the fact's own; ids as SPEC 13.1 names them; then what the fact carries; its words last. */
const jsonWriter =
  (sink: LogSink): Writer =>
  (fact, { level, message }) => {
    const time = new Date(fact.at).toISOString();
    const fields = { level, time, fact: fact.type, ...scopeFields(fact), ...bodyFields(fact), msg: message };
    sink.write(`${JSON.stringify(fields)}\n`);
  };

// https://no-color.org: set to anything but nothing.
function wantsColour(fd: number, stream: LogStream | undefined): boolean {
  const terminal = stream === undefined ? isatty(fd) : "isTTY" in stream && stream.isTTY === true;
  return terminal && (process.env["NO_COLOR"] ?? "") === "";
}

/** Facts calls a subscriber by its function's name. */
const named = (log: (fact: Fact) => void, name: string): ((fact: Fact) => void) =>
  Object.defineProperty(log, "name", { value: name });
