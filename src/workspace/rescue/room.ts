/** How much a rescue may write. */
import { statfs } from "node:fs/promises";
import { bytesText } from "../../domain/domain.ts";
import { WorkspaceError } from "../port.ts";

/** The ledger may lie on the same disk, and a daemon that cannot record must not start anything. */
const RESERVE_BYTES = 256 * 2 ** 20;

/** How many bytes may be written there. */
export async function roomIn(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize - RESERVE_BYTES;
}

/** @throws WorkspaceError when `bytes` would leave less than the reserve. */
export function refuseWithoutRoom(bytes: number, room: number): void {
  if (bytes <= room) return;
  throw new WorkspaceError(
    "workspace_error",
    `there is no room for it: it takes ${bytesText(bytes)} of ${bytesText(Math.max(0, room + RESERVE_BYTES))} that are free on the disk of the state directory, where ${bytesText(RESERVE_BYTES)} always stay free for the ledger`,
    { hint: "Free some space on that disk." },
  );
}
