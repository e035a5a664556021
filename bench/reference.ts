/** How fast this machine is just now: CPU time is longer when other work shares the processor's caches and cores. */

const ROUNDS = 1_000_000;

/** The first rounds are spent on compiling the work itself. */
const WARM_UPS = 2;

/** CPU milliseconds of a fixed piece of work that allocates and looks things up, as the daemon does. */
export function referenceMs(): number {
  for (let i = 0; i < WARM_UPS; i++) once();
  return once();
}

function once(): number {
  const before = process.cpuUsage();
  const seen = new Map<string, { readonly at: number; readonly list: readonly number[] }>();
  for (let i = 0; i < ROUNDS; i++) seen.set(`key${i % 50_000}`, { at: i, list: [i] });
  const { user, system } = process.cpuUsage(before);
  return Math.round((user + system) / 1000);
}
