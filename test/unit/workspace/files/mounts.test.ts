import { expect, test } from "vitest";
import { needsLinux } from "../../../platform.ts";
import { mountPoints, refuseMounts } from "../../../../src/workspace/files/mounts.ts";

test("mount points are read with their spaces and the like", () => {
  const table =
    "22 1 0:20 / / rw - ext4 /dev/a rw\n36 22 0:33 /x /ws/MT-1/a\\040b\\134c rw shared:1 - tmpfs none rw\n";
  expect(mountPoints(table)).toEqual(["/", "/ws/MT-1/a b\\c"]);
});

test("a directory with something mounted in it is refused, by name", async ({ skip }) => {
  needsLinux({ skip }, "/proc is what is mounted");
  await expect(refuseMounts("/proc")).rejects.toMatchObject({
    message: expect.stringContaining("is mounted in it"),
    hint: expect.stringContaining("umount /proc"),
  });
  await expect(refuseMounts("/pro")).resolves.toBeUndefined();
});
