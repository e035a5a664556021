import { expect, test } from "vitest";
import { dirtyFiles } from "../../../../src/workspace/git/dirty.ts";
import type { Shadow } from "../../../../src/workspace/git/shadow.ts";

interface Answers {
  /** Of `ls-files --others --modified`. */
  readonly changed?: Iterable<string>;
  /** Of `diff-index --cached`. */
  readonly staged?: readonly string[];
  /** Of `ls-files --stage`. */
  readonly index?: readonly string[];
}

/** A shadow that knows git's answers; how git comes to them is tried where git is asked (test/contract). */
function shadow({ changed = [], staged, index }: Answers, hasHead = true): Shadow {
  const answer = (args: readonly string[]): Iterable<string> => {
    if (args.includes("--stage")) return index ?? [];
    if (args[0] === "diff-index") return staged ?? [];
    return changed;
  };
  return {
    hasIndex: index !== undefined,
    hasHead,
    shallow: new Set(),
    set: async () => {},
    lines: async () => [],
    each: async ({ args, inWorktree }, onRecord) => {
      // From anywhere else the paths would be of another directory.
      expect(inWorktree).toBe(true);
      for (const record of answer(args)) onRecord(record);
    },
  };
}

const dirty = (answers: Answers, hasHead?: boolean) =>
  dirtyFiles(shadow(answers, hasHead), new AbortController().signal);
const entry = (path: string, mode = "100644"): string => `${mode} ${"1".repeat(40)} 0\t${path}`;

test("changed, new and staged files are dirty, each once and in order", async () => {
  const found = await dirty({ changed: ["b", "a\nb", "c"], staged: ["c", "a"], index: [entry("a")] });
  expect(found).toEqual({ files: ["a", "a\nb", "b", "c"], repositories: [] });
});

test("a submodule, and a clone in here, is a repository to look at and no file", async () => {
  const found = await dirty({
    changed: ["clone/", "sub", "file"],
    staged: ["sub"],
    index: [entry("sub", "160000"), entry("other", "160000"), entry("file")],
  });
  expect(found).toEqual({ files: ["file"], repositories: ["clone", "other", "sub"] });
});

test("before the first commit everything that was added is new, after it nothing that did not change", async () => {
  const index = [entry("a"), entry("sub", "160000")];
  expect(await dirty({ index }, false)).toEqual({ files: ["a"], repositories: ["sub"] });
  expect((await dirty({ index }, true)).files).toEqual([]);
});

test("without an index only what lies there counts: HEAD's files are not called deleted", async () => {
  expect((await dirty({ changed: ["new"], staged: ["old"] })).files).toEqual(["new"]);
});

test.each(["/etc/passwd", "../x", "a/../../x"])(
  "an index that names %s is refused before a file is asked for",
  async (path) => {
    const answers = {
      index: [entry("fine"), entry(path)],
      changed: (function* () {
        yield "asked";
        throw new Error("the checkout was looked at");
      })(),
    };
    await expect(dirty(answers)).rejects.toMatchObject({
      message: expect.stringContaining(`the index names ${path}, which is outside of the checkout`),
      hint: expect.any(String),
    });
  },
);

test("more changed files than a person has made are refused, and no more are gathered", async () => {
  let made = 0;
  const changed = (function* () {
    for (;;) yield `f${made++}`;
  })();
  await expect(dirty({ changed })).rejects.toThrow("more than 200000 files have changed");
  expect(made).toBe(200_001);
});
