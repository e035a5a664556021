/**
 * Process groups that must not outlive this process when it exits, or is ended by a signal that nobody here handles. Who
 * handles a signal, as the daemon does, ends what it has started in its own order.
 *
 * By hand: `signal-exit` listens for 17 signals instead of three, and to begin and end that costs 0.7 CPU ms a command.
 */
import { killQuietly } from "./kill.ts";

const groups = new Set<number>();

/** By which people, terminals and supervisors end programs. */
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** From now on the group of this number is killed when this process ends. */
export function endsWithUs(group: number): void {
  if (groups.size === 0) {
    process.on("exit", killAll);
    for (const signal of signals) if (process.listenerCount(signal) === 0) process.once(signal, endByIt);
  }
  groups.add(group);
}

/** It is not any more, and its number may become another's. */
export function endsAlone(group: number): void {
  if (groups.delete(group) && groups.size === 0) stopListening();
}

function stopListening(): void {
  process.off("exit", killAll);
  for (const signal of signals) process.off(signal, endByIt);
}

function killAll(): void {
  for (const group of groups) killQuietly(-group, "SIGKILL");
}

function endByIt(signal: NodeJS.Signals): void {
  // Somebody has begun to handle it since.
  if (process.listenerCount(signal) > 0) return;
  killAll();
  stopListening();
  // As it would have ended without us.
  process.kill(process.pid, signal);
}
