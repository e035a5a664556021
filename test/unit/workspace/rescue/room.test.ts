import { expect, test } from "vitest";
import { refuseWithoutRoom } from "../../../../src/workspace/rescue/room.ts";

test("what takes all the room there is is written, a byte more is refused with both amounts", () => {
  refuseWithoutRoom(1_024, 1_024);
  expect(() => refuseWithoutRoom(2_048, 1_024)).toThrow("it takes 2.0 KiB, and 1.0 KiB may be used");
});

test("on a disk that is fuller than the reserve nothing may be used", () => {
  expect(() => refuseWithoutRoom(1, -5)).toThrow("0 bytes may be used");
});
