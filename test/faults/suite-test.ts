/** A fault suite in small numbers, as a test. */
import { expect, test } from "vitest";
import { printFigures } from "./figures.ts";
import type { Suite } from "./suite.ts";

const TIMEOUT_MS = 180_000;
const SEED = 20_261_121;

export function testSuite(suite: Suite): void {
  test(
    `${suite.name}: ${suite.promise}`,
    async () => {
      const figures = await suite.run(suite.rounds.test, SEED);
      printFigures(suite.name, figures);
      expect(suite.judge(figures)).toEqual([]);
    },
    TIMEOUT_MS,
  );
}
