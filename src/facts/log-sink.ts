/**
 * Where log lines are written. Synchronous, so that the last words before a crash are not lost; what cannot be written
 * throws, and Facts says so through the subscribers that are left.
 */
import { writeSync } from "node:fs";

export interface LogSink {
  /** @throws Error saying where and why. */
  write(line: string): void;
}

/** What a stream must be able to do; process.stderr and any Writable are. */
export interface LogStream {
  write(line: string): unknown;
  on?(event: "error", listener: (error: Error) => void): unknown;
}

/** A non-blocking pipe that is full is tried again this often, with a pause: a moment, not a stop of the loop. */
const FULL_PIPE_TRIES = 20;
const FULL_PIPE_PAUSE_MS = 2;

/** Writes to a file descriptor; 2 is standard error. */
export function fdSink(fd: number, write: typeof writeSync = writeSync): LogSink {
  let stuck = false;
  /** The last line broke off: the next one must not become a part of it. */
  let torn = false;
  return {
    write(line) {
      const bytes = Buffer.from(torn ? `\n${line}` : line, "utf8");
      const progress = { written: 0 };
      try {
        writeAll(fd, bytes, write, stuck ? 1 : FULL_PIPE_TRIES, progress);
        [stuck, torn] = [false, false];
      } catch (error) {
        stuck = true;
        torn = progress.written > 0 || torn;
        throw new Error(`file descriptor ${fd} takes no lines: ${messageOf(error)}`, { cause: error });
      }
    },
  };
}

/** Writes to a stream. Streams report late: the error of one line is thrown with the next. */
export function streamSink(stream: LogStream): LogSink {
  let broken: Error | null = null;
  stream.on?.("error", (error) => {
    broken = error;
  });
  return {
    write(line) {
      const before = broken;
      broken = null;
      stream.write(line);
      if (before !== null) throw new Error(`the stream takes no lines: ${before.message}`, { cause: before });
    },
  };
}

function writeAll(
  fd: number,
  bytes: Buffer,
  write: typeof writeSync,
  tries: number,
  progress: { written: number },
): void {
  let left = tries;
  while (progress.written < bytes.length) {
    try {
      progress.written += write(fd, bytes, progress.written);
    } catch (error) {
      left -= 1;
      if (!isFullPipe(error) || left === 0) throw error;
      pause(FULL_PIPE_PAUSE_MS);
    }
  }
}

const isFullPipe = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "EAGAIN";

const pause = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
