import { codeOf } from "../domain/domain.ts";

/** Whether a process has this number now, whosever it is. Numbers are used again: it may be a younger one. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}
