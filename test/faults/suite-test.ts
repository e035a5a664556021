/** A fault suite in small numbers, as a test. */
import { expect, test } from "vitest";
import { needsLinux } from "../platform.ts";
import { printFigures } from "./figures.ts";
import type { Suite } from "./suite.ts";

/** Ten times as long as on a quiet machine. */
const TIMEOUT_MS = 300_000;
const SEED = 20_261_121;

export function testSuite(suite: Suite): void {
  test(
    `${suite.name}: ${suite.promise}`,
    async ({ skip }) => {
      if (suite.linuxOnly !== undefined) needsLinux({ skip }, suite.linuxOnly);
      const figures = await suite.run(suite.rounds.test, SEED);
      printFigures(suite.name, figures);
      expect(suite.judge(figures)).toEqual([]);
    },
    TIMEOUT_MS,
  );
}
