import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { WorkflowError } from "../../../src/workflow/workflow.ts";
import { parsed } from "./parsing.ts";
import { spice } from "./spice.ts";

/** The fault suite of WORKFLOW.md tries many more, on a daemon. */
const MUTANTS = 250;
const SEED = 20_260_105;

const originals = [
  path.join(import.meta.dirname, "../../../workflows"),
  path.join(import.meta.dirname, "fixtures"),
].flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".md"))
    .map((name) => readFileSync(path.join(folder, name), "utf8").slice(0, 1_600)),
);

/** A small generator with a seed, so that a mutant that fails can be made again. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function mutant(text: string, pick: (below: number) => number): string {
  let result = text;
  for (let i = 0; i <= pick(6); i++) {
    // Most of the cuts hit the front matter, which is where the parsing is.
    const at = pick(4) === 0 ? pick(result.length + 1) : pick(Math.min(900, result.length + 1));
    const cut = pick(3) === 0 ? pick(40) : 0;
    const insert = pick(5) === 0 ? result.slice(at, at + pick(60)) : (spice[pick(spice.length)] ?? "");
    result = result.slice(0, at) + insert + result.slice(at + cut);
  }
  return result;
}

test("whatever a file holds, loading it answers with a workflow or an error and throws nothing", () => {
  const pick = random(SEED);
  let accepted = 0;
  for (let i = 0; i < MUTANTS; i++) {
    const text = mutant(originals[i % originals.length] ?? "", pick);
    const loaded = parsed(text);
    if (loaded.ok) accepted++;
    else {
      expect(loaded.error).toBeInstanceOf(WorkflowError);
      expect(loaded.error.problems.length).toBeGreaterThan(0);
      expect(loaded.error.message).not.toContain("lin_test_key");
    }
  }
  // Both outcomes must be common, or the mutations are too tame or too wild to prove anything.
  expect(accepted).toBeGreaterThan(MUTANTS / 10);
  expect(accepted).toBeLessThan(MUTANTS * 0.9);
});
