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
const fullPipeTries = 20;
const fullPipePauseMs = 2;

/** Writes to a file descriptor; 2 is standard error. */
export function fdSink(fd: number, write: typeof writeSync = writeSync): LogSink {
  let stuck = false;
  return {
    write(line) {
      try {
        writeAll(fd, Buffer.from(line, "utf8"), write, stuck ? 1 : fullPipeTries);
        stuck = false;
      } catch (error) {
        stuck = true;
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

function writeAll(fd: number, bytes: Buffer, write: typeof writeSync, tries: number): void {
  let written = 0;
  let left = tries;
  while (written < bytes.length) {
    try {
      written += write(fd, bytes, written);
    } catch (error) {
      left -= 1;
      if (!isFullPipe(error) || left === 0) throw error;
      pause(fullPipePauseMs);
    }
  }
}

const isFullPipe = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "EAGAIN";

const pause = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
