/** Takes all the room there is, so that the next write of whoever it may be finds none. */
import { closeSync, openSync, writeSync } from "node:fs";

/** Halved whenever it does not fit, down to the last byte. */
const FIRST_WRITE_BYTES = 64 * 1024;

/** Writes to a new file at `path` until its disk is full. Removing the file gives the room back. */
export function fillDisk(path: string): void {
  const file = openSync(path, "w");
  try {
    for (let bytes = FIRST_WRITE_BYTES; bytes > 0; ) {
      try {
        writeSync(file, Buffer.alloc(bytes, 1));
      } catch (error) {
        if (!isFull(error)) throw error;
        bytes = Math.floor(bytes / 2);
      }
    }
  } finally {
    closeSync(file);
  }
}

/** The disk has no room left, or no room for one more file. */
export const isFull = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOSPC";
