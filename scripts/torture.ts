/**
 * Fault tests in numbers that are too large for every change: `npm run torture -- kills --rounds 2000`. Prints figures as
 * JSON; exit 1 when one of them is not what it must be. What was seen is recorded in docs/RELIABILITY.md.
 */
import { parseArgs } from "node:util";
import { kills } from "../test/faults/kills.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "100" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});

const [suite = "kills"] = positionals;
if (suite !== "kills") {
  console.error(`torture: there is no suite "${suite}"; there is: kills`);
  process.exit(2);
}

const seed = Number(values.seed);
const figures = await kills(Number(values.rounds), seed);
console.log(JSON.stringify({ suite, seed, ...figures }));
const { lost, doubled, orphans, unfinished } = figures;
process.exitCode = lost + doubled + orphans + unfinished === 0 ? 0 : 1;
