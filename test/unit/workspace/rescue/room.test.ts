import { expect, test } from "vitest";
import { refuseWithoutRoom } from "../../../../src/workspace/rescue/room.ts";

test("what takes all the room there is is written, a byte more is refused with the amounts and the rule", () => {
  refuseWithoutRoom(1_024, 1_024);
  expect(() => refuseWithoutRoom(2_048, 1_024)).toThrow("it takes 2.0 KiB of 256 MiB that are free");
});

test("on a disk that is fuller than the reserve nothing may be used", () => {
  expect(() => refuseWithoutRoom(3_000_000, 11 * 2 ** 20 - 256 * 2 ** 20)).toThrow(
    "it takes 2.9 MiB of 11 MiB that are free on the disk of the state directory, where 256 MiB always stay free for the ledger",
  );
});
