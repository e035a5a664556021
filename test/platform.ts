/** What a test needs of the system it runs on. One that cannot run here says so, and why, in its own line. */
import type { TestContext } from "vitest";

export const isLinux = process.platform === "linux";

/** Skips the rest of the test elsewhere than on Linux. */
export const needsLinux = ({ skip }: Pick<TestContext, "skip">, why: string): void =>
  skip(!isLinux, `only on Linux: ${why}`);
