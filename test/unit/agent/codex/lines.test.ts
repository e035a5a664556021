import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LineSplitter } from "../../../../src/agent/codex/lines.ts";

function read(chunks: readonly Buffer[], bytesMax?: number, encoding: BufferEncoding = "utf8") {
  const lines: string[] = [];
  const tooLong: string[] = [];
  const splitter = new LineSplitter(
    {
      line: (bytes, start, end) => lines.push(bytes.toString(encoding, start, end)),
      tooLong: (head) => tooLong.push(head.toString("utf8")),
    },
    bytesMax,
  );
  for (const chunk of chunks) splitter.push(chunk);
  return { lines, tooLong, end: () => splitter.end() };
}

const bytes = (...texts: readonly string[]): Buffer[] => texts.map((text) => Buffer.from(text));

describe("the line splitter", () => {
  test("gives each line without its end, LF or CRLF, and drops empty ones", () => {
    expect(read(bytes("one\ntwo\r\n\n\r\nthree\n")).lines).toEqual(["one", "two", "three"]);
  });

  test("keeps an unfinished line until its end comes, however many pieces it comes in", () => {
    const { lines, end } = read(bytes("a", "b", "", "c\nd", "e"));
    expect(lines).toEqual(["abc"]);
    end();
    expect(lines).toEqual(["abc", "de"]);
    end();
    expect(lines).toEqual(["abc", "de"]);
  });

  test("does not break a character that was cut in two, nor a CRLF", () => {
    const whole = Buffer.from("häß€𝄞\r\nend\n");
    for (let cut = 0; cut <= whole.length; cut++) {
      expect(read([whole.subarray(0, cut), whole.subarray(cut)]).lines).toEqual(["häß€𝄞", "end"]);
    }
  });

  test("skips a line over the bound to its end, tells how it began, and goes on with the next", () => {
    const split = read(bytes("123456", "789012", "345\nnext\n"), 10);
    expect(split).toMatchObject({ lines: ["next"], tooLong: ["123456789012"] });
    const inOne = read(bytes("12345678901\nnext\n"), 10);
    expect(inOne).toMatchObject({ lines: ["next"], tooLong: ["12345678901"] });
  });

  test("tells a line that never ends once, and keeps nothing of it", () => {
    const { lines, tooLong, end } = read(
      Array.from({ length: 1000 }, () => Buffer.alloc(100, "x")),
      1000,
    );
    end();
    expect(lines).toEqual([]);
    expect(tooLong).toHaveLength(1);
    expect(tooLong[0]).toHaveLength(512);
  });

  test("takes a line of exactly the bound", () => {
    expect(read(bytes("12345", "67890", "\n1234567890\r\n"), 10).lines).toEqual(["1234567890", "1234567890"]);
    expect(read(bytes("1234567890\r", "\n"), 10).lines).toEqual(["1234567890"]);
  });

  test("takes time in proportion to the bytes: a line of 20 MB in small pieces is joined once", () => {
    const piece = Buffer.alloc(1024, "x");
    const pieces = Array.from({ length: 20 * 1024 }, () => piece);
    const before = process.cpuUsage();
    const { lines } = read([...pieces, Buffer.from("\n")]);
    expect(lines[0]).toHaveLength(20 * 1024 * 1024);
    const { user, system } = process.cpuUsage(before);
    // Copying what is there for each piece would be 200 GB.
    expect((user + system) / 1e6).toBeLessThan(2);
  });

  test("gives the same lines for every split of the same bytes", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 40 }).map((line) => line.replaceAll(/[\r\n]/g, ""));
    const line = fc.tuple(text, fc.constantFrom("\n", "\r\n"));
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 12 }),
        fc.array(fc.nat(), { maxLength: 20 }),
        (written, cuts) => {
          const whole = Buffer.from(written.flat().join(""));
          const places = cuts.map((cut) => cut % (whole.length + 1)).toSorted((a, b) => a - b);
          const chunks = [...places, whole.length].map((to, i) =>
            whole.subarray(i === 0 ? 0 : places[i - 1], to),
          );
          expect(read(chunks).lines).toEqual(written.map(([one]) => one).filter((one) => one !== ""));
        },
      ),
      { seed: 7, numRuns: 2000 },
    );
  });

  test("loses no byte and breaks no bound on arbitrary bytes", () => {
    const chunk = fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.from(array));
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 20 }), fc.integer({ min: 1, max: 40 }), (chunks, bytesMax) => {
        const { lines, tooLong, end } = read(chunks, bytesMax, "latin1");
        end();
        const whole = Buffer.concat(chunks).toString("latin1").split("\n");
        const wanted = whole.map((one) => one.replace(/\r$/, "").length).filter((length) => length > 0);
        expect(lines.map((line) => line.length)).toEqual(wanted.filter((length) => length <= bytesMax));
        expect(tooLong).toHaveLength(wanted.filter((length) => length > bytesMax).length);
      }),
      { seed: 7, numRuns: 2000 },
    );
  });
});
