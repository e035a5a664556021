import { execFileSync } from "node:child_process";
import { existsSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdtemp, readdir, readFile, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { copyFiles, filesBounds, type FilesBounds } from "../../../../src/workspace/rescue/files.ts";

let base: string;
let root: string;
let to: string;
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "baton-files-")));
  root = join(base, "from");
  to = join(base, "to");
  execFileSync("mkdir", ["-p", join(root, "d")]);
  for (const [name, content] of [
    ["large", "x".repeat(100)],
    ["d/small", "x".repeat(10)],
    ["middle", "x".repeat(50)],
  ] as const)
    await writeFile(join(root, name), content);
});
afterEach(() => rm(base, { recursive: true, force: true }));

const live = new AbortController().signal;
const paths = ["large", "d/small", "middle"];
const copy = (bounds: Partial<FilesBounds> = {}, room = 1_000) =>
  copyFiles(root, paths, to, room, live, { ...filesBounds, ...bounds });

test.each<[Partial<FilesBounds>, readonly string[], string]>([
  [{ bytesMax: 60 }, ["d/small", "middle"], "more than 60 bytes in all"],
  [{ fileBytesMax: 60 }, ["d/small", "middle"], "it has 100 bytes, more than 60 bytes"],
  [{ filesMax: 2 }, ["d/small", "middle"], "more than 2 files"],
])("with bounds %j the small ones are saved, and the rest is named", async (bounds, saved, why) => {
  const { files, leftOut, bytes } = await copy(bounds);
  expect(files.map(({ path }) => path)).toEqual(saved);
  expect(leftOut).toEqual([{ path: "large", why }]);
  expect(bytes).toBe(60);
});

test("without room nothing is called saved", async () => {
  await expect(copy({}, 159)).rejects.toThrow(
    "there is no room for it: it takes 160 bytes of 256 MiB that are free",
  );
});

test("nothing outside is saved while a link takes a directory's place", async () => {
  const outside = join(base, "outside");
  execFileSync("mkdir", [outside]);
  await writeFile(join(outside, "small"), "gold");
  await symlink(outside, join(base, "link"));
  const done = new AbortController();
  let swaps = 0;
  // A few turns of the event loop between two swaps, more and less, so that they fall between any two steps of a copy.
  const wait = async (): Promise<void> => {
    for (let turns = swaps % 7; turns > 0; turns--) await setImmediate();
  };
  const swapped = (async () => {
    for (; !done.signal.aborted; swaps++) {
      await rename(join(root, "d"), join(base, "aside"));
      await rename(join(base, "link"), join(root, "d"));
      await wait();
      await rename(join(root, "d"), join(base, "link"));
      await rename(join(base, "aside"), join(root, "d"));
      await wait();
    }
  })();
  try {
    for (let round = 0; round < 1_000; round++) {
      const target = join(base, `to-${round}`);
      const { files } = await copyFiles(root, ["d/small"], target, 1_000, live);
      for (const { path } of files) expect(await readFile(join(target, path), "utf8")).toBe("x".repeat(10));
    }
  } finally {
    done.abort();
    await swapped;
  }
  expect(swaps).toBeGreaterThan(100);
});

test("a file is saved as it is when it is opened, whatever was seen of it before", async () => {
  // All are looked at before the first is copied: here one grows between the two.
  const growing = Object.assign(["d/small"], {
    *[Symbol.iterator]() {
      yield "d/small";
      writeFileSync(join(root, "d/small"), "y".repeat(30));
    },
  });
  const { files, bytes } = await copyFiles(root, growing, to, 1_000, live);
  expect(files).toEqual([{ path: "d/small", bytes: 30 }]);
  expect(bytes).toBe(30);
  expect(await readFile(join(to, "d/small"), "utf8")).toBe("y".repeat(30));
  writeFileSync(join(root, "d/small"), "x".repeat(10));
  const { leftOut } = await copyFiles(root, growing, join(base, "again"), 1_000, live, {
    ...filesBounds,
    fileBytesMax: 20,
  });
  expect(leftOut).toEqual([{ path: "d/small", why: "it has 30 bytes, more than 20 bytes" }]);
});

test("what is no file is named, what is not there is missing, empty files are files", async () => {
  execFileSync("mkfifo", [join(root, "pipe")]);
  await writeFile(join(root, "empty"), "");
  const { files, leftOut, missing } = await copyFiles(root, ["pipe", "gone", "empty"], to, 100, live);
  expect(files).toEqual([{ path: "empty", bytes: 0 }]);
  expect(leftOut).toEqual([{ path: "pipe", why: "it is no file" }]);
  expect(missing).toEqual(["gone"]);
  expect(await readdir(to)).toEqual(["empty"]);
  expect(await readFile(join(to, "empty"), "utf8")).toBe("");
});

test("a copy is never written behind a link that was copied before it", async () => {
  const outside = join(base, "outside");
  execFileSync("mkdir", [outside]);
  renameSync(join(root, "d"), join(base, "dir"));
  symlinkSync(outside, join(base, "link"));
  const put = (what: "dir" | "link"): void => {
    const other = what === "dir" ? "link" : "dir";
    if (existsSync(join(root, "d"))) renameSync(join(root, "d"), join(base, other));
    renameSync(join(base, what), join(root, "d"));
  };
  // `d` is a link when it is looked at and copied, and a directory when `d/small` is: two swaps at the right moments.
  const seen = function* () {
    put("link");
    yield "d";
    put("dir");
    yield "d/small";
    put("link");
  };
  const list = Object.assign(["d", "d/small"], { [Symbol.iterator]: seen });
  let steps = 0;
  const swapping = Object.assign(new AbortController().signal, {
    throwIfAborted: () => void (steps++ === 1 && put("dir")),
  });
  const { files, leftOut } = await copyFiles(root, list, to, 1_000, swapping);
  expect(await readdir(outside)).toEqual([]);
  expect(files).toEqual([{ path: "d", bytes: 0 }]);
  expect(leftOut).toEqual([{ path: "d/small", why: "a link was put in the place of its directory" }]);
});
