import { expect, test } from "vitest";
import { bytesIn, bytesText } from "../../../src/domain/bytes.ts";

test.each([
  ["0", 0],
  ["2GiB", 2 ** 31],
  ["2 gib", 2 ** 31],
  ["2G", 2 ** 31],
  ["500MB", 500_000_000],
  [" 1.5 KiB ", 1_536],
  ["1_000", 1_000],
  ["7b", 7],
  ["1tb", 1e12],
])("%s is %d bytes", (text, bytes) => expect(bytesIn(text)).toBe(bytes));

test.each(["", "GiB", "-1", "1 2", "2 GiBs", "1e3", "1.", "99999999 TiB", "2 PiB", "0x10"])(
  "%j is no amount",
  (text) => expect(bytesIn(text)).toBeNull(),
);

test.each([
  [0, "0 bytes"],
  [1, "1 byte"],
  [999, "999 bytes"],
  [1_000, "1.0 KiB"],
  [10_200, "10 KiB"],
  [1_048_000, "1.0 MiB"],
  [2 ** 31, "2.0 GiB"],
  [5_000 * 2 ** 40, "5000 TiB"],
])("%d reads %s", (bytes, text) => expect(bytesText(bytes)).toBe(text));
