/** The log: a subscriber to facts that writes one line for each, for people in a terminal or as JSON for machines. */
import { isatty } from "node:tty";
import { pino } from "pino";
import type { Fact } from "../domain/fact.ts";
import { describe } from "./describe.ts";
import type { Level } from "./describe.ts";
import { bodyFields, scopeFields } from "./log-fields.ts";
import { logLine } from "./log-line.ts";
import { fdSink, streamSink } from "./log-sink.ts";
import type { LogSink, LogStream } from "./log-sink.ts";

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

const standardError = 2;

/** Makes the subscriber. It throws when its line cannot be written; Facts then tells the others. */
export function createLog(options: LogOptions): (fact: Fact) => void {
  const { fd = standardError, stream, level, pretty } = options;
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

/** `time` is the fact's own; ids as SPEC 13.1 names them; then what the fact carries. */
function jsonWriter(sink: LogSink): Writer {
  const level = (label: string): object => ({ level: label });
  const logger = pino({ level: "debug", base: null, timestamp: false, formatters: { level } }, sink);
  return (fact, { level: of, message }) => {
    const time = new Date(fact.at).toISOString();
    logger[of]({ time, fact: fact.type, ...scopeFields(fact), ...bodyFields(fact) }, message);
  };
}

// https://no-color.org: set to anything but nothing.
function wantsColour(fd: number, stream: LogStream | undefined): boolean {
  const terminal = stream === undefined ? isatty(fd) : "isTTY" in stream && stream.isTTY === true;
  return terminal && (process.env["NO_COLOR"] ?? "") === "";
}

/** Facts calls a subscriber by its function's name. */
const named = (log: (fact: Fact) => void, name: string): ((fact: Fact) => void) =>
  Object.defineProperty(log, "name", { value: name });
