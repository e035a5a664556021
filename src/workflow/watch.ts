/**
 * Tells when a WORKFLOW.md may have changed. A hint, not a promise: network file systems and a full inotify table lose
 * events, so the daemon also looks at the content on every tick (SPEC 6.2).
 */
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { FSWatcher } from "chokidar";
import { debounced } from "./debounce.ts";

/** An editor writes a file in several steps within a few milliseconds. */
const QUIET_MS = 60;
/** A file that is written without pause is looked at all the same. */
const LATEST_MS = 1_000;
/** A start has its first questions to ask before it loads and sets up a watcher, which takes it 10 ms. */
const BEGIN_MS = 50;

export interface Watching {
  /** Settles when changes are seen from now on, or cannot be; what was changed before it is not. Never rejects. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

/** Calls `onChange` shortly after the file was written, replaced, removed or made again. */
export function watchWorkflow(file: string, onChange: () => void): Watching {
  const absolute = path.resolve(file);
  const change = debounced(onChange, { quiet: QUIET_MS, latest: LATEST_MS });
  const over = new AbortController();
  const watcher = open(
    absolute,
    () => {
      if (!over.signal.aborted) change.call();
    },
    over.signal,
  );
  return {
    ready: watcher.then(() => undefined),
    close: async () => {
      over.abort();
      change.cancel();
      await (await watcher)?.close();
    },
  };
}

/** Null when nothing can be watched, or it is over before it began: then the look of every tick alone has to do. */
async function open(file: string, onEvent: () => void, signal: AbortSignal): Promise<FSWatcher | null> {
  // The directory, with all else in it ignored: editors replace the file, and a watch on the old one would go with it.
  const directory = path.dirname(file);
  try {
    await sleep(BEGIN_MS, undefined, { signal });
    const { watch } = await import("chokidar");
    if (signal.aborted) return null;
    const watcher = watch(directory, {
      depth: 0,
      ignoreInitial: true,
      ignored: (entry) => path.resolve(entry) !== directory && path.resolve(entry) !== file,
    });
    watcher.on("all", onEvent);
    await new Promise<void>((resolve) => {
      watcher.on("ready", () => resolve());
      watcher.on("error", () => resolve());
    });
    return watcher;
  } catch {
    return null;
  }
}
