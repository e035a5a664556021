import { LedgerError } from "../../../src/ledger/ledger-error.ts";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { LockHeld, takeLock } from "../../../src/ledger/lock.ts";
import { folder } from "./folder.ts";

const module = fileURLToPath(new URL("../../../src/ledger/lock.ts", import.meta.url));
const me = { pid: process.pid, since: "2031-05-09T08:00:00.000Z", workflows: ["/srv/WORKFLOW.md"] };

test("a lock is held once; who asks next is told who holds it, since when and for what", () => {
  const path = join(folder(), "lock.db");
  const lock = takeLock(path, me);
  const second = (): unknown => takeLock(path, { ...me, pid: 1 });
  expect(second).toThrow(LockHeld);
  expect(second).toThrow(`process ${process.pid}, since ${me.since}, for /srv/WORKFLOW.md`);
  lock.release();
  lock.release();
  takeLock(path, me).release();
});

test("a killed holder's lock is free at once", async () => {
  const path = join(folder(), "lock.db");
  const script = `import { takeLock } from ${JSON.stringify(module)};
    takeLock(${JSON.stringify(path)}, { pid: process.pid, since: "x", workflows: [] });
    process.stdout.write("held");
    setTimeout(() => {}, 60_000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  expect(() => takeLock(path, me)).toThrow(`process ${child.pid}`);
  child.kill("SIGKILL");
  await once(child, "exit");
  takeLock(path, me).release();
});

test("a holder who is gone is not named, even when the file still names it", async () => {
  const path = join(folder(), "lock.db");
  const gone = spawn("true");
  await once(gone, "exit");
  takeLock(path, { ...me, pid: gone.pid ?? 0 }).release();
  // Another program has the lock, and said nothing.
  const silent = new Database(path);
  silent.exec("BEGIN EXCLUSIVE");
  expect(() => takeLock(path, me)).toThrow("held by another process");
  silent.close();
});

test("the name of the ledger that was here is remembered over starts", () => {
  const path = join(folder(), "lock.db");
  const first = takeLock(path, me);
  expect(first.installation).toBeNull();
  first.remember("a1b2");
  first.release();
  const second = takeLock(path, me);
  expect(second.installation).toBe("a1b2");
  second.release();
  const third = takeLock(path, me);
  expect(third.installation).toBe("a1b2");
  third.release();
});

test("the lock is taken although nobody can be told", () => {
  const path = join(folder(), "lock.db");
  mkdirSync(`${path}.holder.json`);
  const lock = takeLock(path, me);
  expect(() => takeLock(path, me)).toThrow("held by another process");
  lock.release();
});

test("a place that takes no lock is an error about that place, not about another daemon", () => {
  const file = join(folder(), "file");
  writeFileSync(file, "");
  expect(() => takeLock(join(file, "lock.db"), me)).toThrow(LedgerError);
});
