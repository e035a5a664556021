/** A stranger follows every reference: documents and files that are named in the documents or in comments are there. */
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";

const repository = join(import.meta.dirname, "../../..");
const files = globSync(["*", ".ci/*", "{src,test,docs,scripts,bench,workflows}/**/*"], { cwd: repository });

/** Files of those who use Baton, and the specification that it follows. */
const elsewhere = new Set(["WORKFLOW.md", "AGENTS.md", "SKILL.md", "SPEC.md"]);
/** Written by `npm run build`; of Codex's and of workspaces. */
const notHere = /^dist\/|(^|\/)(auth|package)\.json$/;

/** Something that looks like a file of ours: a document or a source, with or without the way to it. */
const fileName = /(?<![\w./*:-])(?:[\w.-]+\/)*[\w.-]*\w\.(?:md|ts)\b(?!\.\w)/g;
/** Something that looks like a folder of ours. */
const folderName = /(?<![\w./-])(?:src|test|docs|scripts|bench)\/[\w/-]*/g;
const comment = /\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm;

const isThere = (name: string): boolean =>
  elsewhere.has(basename(name)) ||
  notHere.test(name) ||
  files.some(
    (file) => file === name || file.endsWith(`/${name}`) || file.startsWith(`${name.replace(/\/$/, "")}/`),
  );

const missingIn = (text: string): readonly string[] =>
  [...text.matchAll(fileName), ...text.matchAll(folderName)]
    .map(([name]) => name.replace(/^(\.\.?\/)+/, ""))
    .filter((name) => !isThere(name) && !files.some((file) => file.startsWith(name)));

const documents = files.filter(
  (file) => /^(docs\/.*|README|CONTRIBUTING|CHANGELOG)(\.md)?$/.test(file) && file.endsWith(".md"),
);
const sources = files.filter((file) => /^(src|test|scripts|bench)\/.*\.ts$/.test(file));

test.each(documents)("what %s names is there", (file) => {
  expect(missingIn(readFileSync(join(repository, file), "utf8"))).toEqual([]);
});

test("what comments name is there", () => {
  const missing = sources.flatMap((file) =>
    [...readFileSync(join(repository, file), "utf8").matchAll(comment)].flatMap(([text]) =>
      missingIn(text).map((name) => `${file}: ${name}`),
    ),
  );
  expect(missing).toEqual([]);
});

test("a name that is not there is noticed, in a comment as in a document", () => {
  expect(missingIn("see architecture.md and `src/scheduler/nobody.ts`, in test/nowhere/")).toEqual([
    "architecture.md",
    "src/scheduler/nobody.ts",
    "src/scheduler/nobody",
    "test/nowhere/",
  ]);
  expect(
    missingIn("see docs/ARCHITECTURE.md, `scheduler/state.ts`, [it](../README.md) and a WORKFLOW.md"),
  ).toEqual([]);
});

/** Where invariants (I1) and promises (C1) are listed. */
const lists = { I: "docs/ARCHITECTURE.md", C: "docs/RELIABILITY.md" };

test("who speaks of an invariant or a promise by its number says once where they are listed", () => {
  const silent = sources
    .filter((file) => file.startsWith("src/"))
    .flatMap((file) => {
      const text = readFileSync(join(repository, file), "utf8");
      return Object.entries(lists).flatMap(([letter, list]) =>
        new RegExp(`\\(([^()]*, )?${letter}[1-9][,) ]`).test(text) && !text.includes(list)
          ? [`${file}: ${list}`]
          : [],
      );
    });
  expect(silent).toEqual([]);
});

test("the invariants that are checked after every step are those that ARCHITECTURE.md and the check itself name", () => {
  const text = readFileSync(join(repository, "src/scheduler/invariants.ts"), "utf8");
  const checked = new Set([...text.matchAll(/["`](I[1-9]): /g)].map(([, number]) => number));
  expect([...checked].toSorted((a = "", b = "") => a.localeCompare(b))).toEqual([
    "I1",
    "I2",
    "I3",
    "I4",
    "I5",
    "I6",
    "I8",
  ]);
  for (const file of ["src/scheduler/invariants.ts", "docs/ARCHITECTURE.md"])
    expect(readFileSync(join(repository, file), "utf8")).toContain("I1 to I6 and I8");
});
