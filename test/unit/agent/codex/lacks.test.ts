import { expect, test } from "vitest";
import { LACK_REMEDY, lackWords } from "../../../../src/agent/codex/lacks.ts";

test("what a Codex lacks is one sentence with its version, however much it is, and the remedy names a release", () => {
  const words = (count: number): string =>
    lackWords({ is: "unfit", version: "0.98.0", missing: Array.from({ length: count }, (_, n) => `n${n}`) });
  expect(words(1)).toBe("Codex 0.98.0 lacks what Baton needs of it: n0.");
  expect(words(7)).toBe("Codex 0.98.0 lacks what Baton needs of it: n0, n1, n2, n3, n4, 2 more.");
  expect(LACK_REMEDY).toMatch(/@openai\/codex@0\.\d+/);
});
