/** The heap after everything that nobody needs is gone. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Bytes. */
export function gc(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}
