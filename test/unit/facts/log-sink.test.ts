import type { writeSync } from "node:fs";
import { expect, test } from "vitest";
import { fdSink } from "../../../src/facts/log-sink.ts";

const codeError = (code: string): Error => Object.assign(new Error(`${code}: write`), { code });

test("a line that is taken in pieces is written whole; a full pipe is tried again", () => {
  const taken: string[] = [];
  let full = 3;
  const sink = fdSink(2, ((_fd: number, bytes: Buffer, offset: number) => {
    if (full-- > 0) throw codeError("EAGAIN");
    taken.push(bytes.toString("utf8", offset, offset + 3));
    return Math.min(3, bytes.length - offset);
  }) as typeof writeSync);
  sink.write("abcdefgh");
  expect(taken.join("")).toBe("abcdefgh");
});

test("a pipe that stays full costs its wait once, not for every line", () => {
  let asked = 0;
  const sink = fdSink(2, () => {
    asked += 1;
    throw codeError("EAGAIN");
  });
  expect(() => sink.write("a")).toThrow(/file descriptor 2 takes no lines/);
  const first = asked;
  for (let n = 0; n < 5; n += 1) expect(() => sink.write("b")).toThrow(/EAGAIN/);
  expect(asked - first).toBe(5);
});

test("a line that broke off on a full disk does not swallow the next one", () => {
  const disk = { room: 3, text: "" };
  const sink = fdSink(2, ((_fd: number, bytes: Buffer, offset: number) => {
    if (disk.room === 0) throw codeError("ENOSPC");
    const taken = Math.min(disk.room, bytes.length - offset);
    disk.room -= taken;
    disk.text += bytes.toString("utf8", offset, offset + taken);
    return taken;
  }) as typeof writeSync);
  expect(() => sink.write("abcdef\n")).toThrow(/ENOSPC/);
  expect(() => sink.write("lost\n")).toThrow(/ENOSPC/);
  disk.room = 100;
  sink.write("whole\n");
  sink.write("again\n");
  expect(disk.text).toBe("abc\nwhole\nagain\n");
});
