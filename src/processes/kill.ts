import { codeOf } from "../domain/domain.ts";

/** A process, or with a negative id a group, that is gone already is what was wanted. */
export function killQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // ESRCH: gone. EPERM: became somebody else's, which is not ours to end.
  }
}

/** Whether a group has any member, the dead that nobody has waited for included. */
export function groupLives(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}
