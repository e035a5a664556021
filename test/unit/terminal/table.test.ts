import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import type { Paint } from "../../../src/terminal/colour.ts";
import { unpainted } from "../../../src/terminal/colour.ts";
import { type Column, tableLines } from "../../../src/terminal/table.ts";
import { cutTo, widthOf, wrapTo } from "../../../src/terminal/text-width.ts";

interface Row {
  readonly name: string;
  readonly count: number;
}

const columns: readonly Column<Row>[] = [
  { title: "NAME", text: ({ name }) => name, style: () => "bold" },
  { title: "N", text: ({ count }) => String(count), align: "right" },
  { title: "REST", text: ({ name }) => `${name} and much more of it`, restMin: 10 },
];
const rows: readonly Row[] = [
  { name: "a", count: 1 },
  { name: "検索", count: 1_000 },
];

describe("a table", () => {
  it("lines up by columns of the terminal, not by characters", () => {
    const lines = tableLines(columns, rows, 40, unpainted);
    expect(lines).toEqual([
      "NAME     N  REST",
      "a        1  a and much more of it",
      "検索  1000  検索 and much more of it",
    ]);
  });

  it.each([14, 23, 24, 31, 80])("is never wider than %i columns when its fixed columns fit", (width) => {
    for (const line of tableLines(columns, rows, width, unpainted))
      expect(widthOf(line)).toBeLessThanOrEqual(width);
  });

  it("leaves the last column out when less of it than its minimum would be seen", () => {
    expect(tableLines(columns, rows, 21, unpainted)[0]).toBe("NAME     N");
    expect(tableLines(columns, rows, 22, unpainted)[1]).toBe("a        1  a and muc…");
  });

  it("keeps its shape when it is painted", () => {
    const shout: Paint = (style, text) => `<${style}>${text}</>`;
    const [, first = ""] = tableLines(columns, rows, 40, shout);
    expect(first).toBe("<bold>a</>        1  a and much more of it");
  });
});

describe("columns that are spare", () => {
  const spared: readonly Column<string>[] = [
    { title: "A", text: () => "aaaa" },
    { title: "B", text: () => "bbbb", spare: 2 },
    { title: "C", text: () => "cccc", spare: 1 },
    { title: "REST", text: (row) => row, restMin: 4, restGood: 10 },
  ];
  const heading = (width: number): string | undefined =>
    tableLines(spared, ["what is said"], width, (_, text) => text)[0];

  it("make room for the last one, the lowest first, as far as it helps", () => {
    expect(heading(40)).toBe("A     B     C     REST");
    expect(heading(24)).toBe("A     B     REST");
    expect(heading(17)).toBe("A     REST");
    expect(heading(9)).toBe("A");
  });
});

describe("text", () => {
  it("is as wide without being measured as it is when measured", () => {
    for (let code = 0; code < 0x3000; code++) {
      const text = `a${String.fromCharCode(code)}b`;
      expect(widthOf(text), code.toString(16)).toBe(stringWidth(text));
    }
  });

  it("is cut between characters, never through one", () => {
    expect(cutTo(5, "検索結果")).toBe("検索…");
    expect(cutTo(4, "検索結果")).toBe("検…");
    expect(cutTo(3, "👩‍👩‍👧 x")).toBe("👩‍👩‍👧…");
    expect(cutTo(4, "four")).toBe("four");
    expect(cutTo(0, "x")).toBe("");
  });

  it("is wrapped at spaces; a long word stays whole", () => {
    expect(wrapTo(9, "one two three")).toEqual(["one two", "three"]);
    expect(wrapTo(4, "a unbreakable b")).toEqual(["a", "unbreakable", "b"]);
    expect(wrapTo(4, "")).toEqual([""]);
  });
});
