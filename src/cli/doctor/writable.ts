import { accessSync, constants } from "node:fs";

/** Whether this user may write to a file or directory; false when it is not there. */
export const isWritable = (path: string): boolean => {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};
