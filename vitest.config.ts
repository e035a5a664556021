import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { nobodysHome } from "./test/home.ts";

/** Small programs that tests start from their sources are compiled once (larger ones are built: test/programs.ts). */
const compiled = join(import.meta.dirname, "node_modules/.cache/compiled");

const every = {
  testTimeout: 30_000,
  hookTimeout: 30_000,
  env: { NODE_COMPILE_CACHE: compiled, HOME: nobodysHome() },
};

export default defineConfig({
  test: {
    // One more than cores: what starts programs waits a third of its time.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        test: {
          ...every,
          name: "unit",
          include: ["test/unit/**/*.test.ts"],
          // A worker and its imports for each file cost as much as the tests themselves. What a file leaves behind in
          // the worker, the next would find: left-behind.ts does not let it.
          isolate: false,
          setupFiles: ["test/unit/left-behind.ts"],
        },
      },
      {
        test: {
          ...every,
          name: "programs",
          include: ["test/contract/**/*.test.ts", "test/lifecycle/**/*.test.ts"],
        },
      },
      {
        test: {
          ...every,
          name: "bugs",
          include: ["test/sim/**/*.test.ts"],
          exclude: ["test/sim/sim.test.ts"],
        },
      },
      {
        // What `npm run torture` does in larger numbers: .ci/run does that, and leaves these out.
        test: {
          ...every,
          name: "faults",
          include: ["test/faults/**/*.test.ts", "test/sim/sim.test.ts"],
        },
      },
    ],
  },
});
