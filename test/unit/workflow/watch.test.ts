import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { watchWorkflow } from "../../../src/workflow/workflow.ts";

describe("watching a file", () => {
  let directory = "";
  let file = "";
  beforeEach(() => {
    directory = mkdtempSync(path.join(tmpdir(), "baton-watch-"));
    file = path.join(directory, "WORKFLOW.md");
    writeFileSync(file, "one");
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  /** A watch whose calls can be counted and waited for. */
  async function listening(to: string) {
    const state = { heard: 0, wake: () => {} };
    const watching = watchWorkflow(to, () => {
      state.heard++;
      state.wake();
    });
    await watching.ready;
    const after = async (change: () => void) => {
      const next = new Promise<void>((resolve) => {
        state.wake = resolve;
      });
      change();
      await next;
    };
    return { state, after, close: () => watching.close() };
  }

  test("sees writing, replacing by rename, removing and making again", async () => {
    const { state, after, close } = await listening(file);
    try {
      await after(() => writeFileSync(file, "two"));
      await after(() => {
        writeFileSync(`${file}.tmp`, "three");
        renameSync(`${file}.tmp`, file);
      });
      await after(() => writeFileSync(file, "four"));
      await after(() => rmSync(file));
      await after(() => writeFileSync(file, "five"));
      await after(() => writeFileSync(file, "six"));
      expect(state.heard).toBe(6);
    } finally {
      await close();
    }
  });

  test("does not hear its neighbours", async () => {
    const neighbour = path.join(directory, "other.md");
    const own = await listening(file);
    const others = await listening(neighbour);
    try {
      await others.after(() => writeFileSync(neighbour, "x"));
      await own.after(() => writeFileSync(file, "two"));
      await others.after(() => writeFileSync(neighbour, "y"));
      await own.after(() => writeFileSync(file, "three"));
      expect(own.state.heard).toBe(2);
    } finally {
      await Promise.all([own.close(), others.close()]);
    }
  });

  test("a directory that is not there is no error: the hash comparison of each tick remains", async () => {
    const watching = watchWorkflow(path.join(directory, "none", "W.md"), () => {});
    await watching.ready;
    await watching.close();
    await watching.close();
  });

  test("closing at once leaves nothing behind", async () => {
    await watchWorkflow(file, () => {}).close();
  });
});
