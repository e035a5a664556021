import { LedgerError } from "../../../src/ledger/ledger-error.ts";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { isServedAs, LockHeld, lockState, takeLock } from "../../../src/ledger/lock.ts";
import { folder } from "./folder.ts";

const module = fileURLToPath(new URL("../../../src/ledger/lock.ts", import.meta.url));
const me = { pid: process.pid, since: "2031-05-09T08:00:00.000Z", workflows: ["/srv/WORKFLOW.md"] };

test("a lock is held once; who asks next is told who holds it, since when and for what", () => {
  const path = join(folder(), "ledger.db");
  const lock = takeLock(path, me);
  const second = (): unknown => takeLock(path, { ...me, pid: 1 });
  expect(second).toThrow(LockHeld);
  expect(second).toThrow(`process ${process.pid}, since ${me.since}, for /srv/WORKFLOW.md`);
  lock.release();
  lock.release();
  takeLock(path, me).release();
});

test("a killed holder's lock is free at once", async () => {
  const path = join(folder(), "ledger.db");
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
  const path = join(folder(), "ledger.db");
  const gone = spawn("true");
  await once(gone, "exit");
  takeLock(path, { ...me, pid: gone.pid ?? 0 }).release();
  // Another program has the lock, and said nothing.
  const silent = new Database(join(dirname(path), "lock.ledger.db"));
  silent.exec("BEGIN EXCLUSIVE");
  expect(() => takeLock(path, me)).toThrow("held by another process");
  silent.close();
});

test("the name of the ledger that was here is remembered over starts", () => {
  const path = join(folder(), "ledger.db");
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

test("two ledgers in one directory have a lock and a name each", () => {
  const directory = folder();
  const [one, two] = [join(directory, "one.db"), join(directory, "two.db")];
  const first = takeLock(one, me);
  first.remember("a1b2");
  const second = takeLock(two, me);
  expect(second.installation).toBeNull();
  expect(() => takeLock(two, me)).toThrow(`The ledger ${two} is held by process`);
  second.release();
  expect(lockState(two)).toMatchObject({ held: false });
  expect(lockState(one)).toMatchObject({ held: true });
  first.release();
});

test("who is refused a ledger is not sent to another one for the same tickets", () => {
  const path = join(folder(), "ledger.db");
  const lock = takeLock(path, me);
  expect(() => takeLock(path, me)).toThrow(
    /stop that one first.* only for a daemon with other tickets and another workspace.root/s,
  );
  lock.release();
});

test("a ledger is served as itself, and not as one that was at its place before", () => {
  const path = join(folder(), "ledger.db");
  expect(isServedAs(path, "a1b2")).toBe(false);
  const lock = takeLock(path, me);
  // It has not said yet.
  expect(isServedAs(path, "a1b2")).toBe(true);
  lock.remember("a1b2");
  expect([isServedAs(path, "a1b2"), isServedAs(path, "c3d4")]).toEqual([true, false]);
  lock.release();
  expect(isServedAs(path, "a1b2")).toBe(false);
});

/** As versions before this one took it, for all ledgers of the directory. */
function takeEarlierLock(directory: string, installation: string): Database.Database {
  const path = join(directory, "lock.db");
  const db = new Database(path, { timeout: 0 });
  try {
    db.pragma("locking_mode = EXCLUSIVE");
    db.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    db.close();
    throw error;
  }
  writeFileSync(`${path}.holder.json`, JSON.stringify({ ...me, installation }));
  return db;
}

test("an earlier version's daemon and this one keep each other from the ledger", () => {
  const directory = folder();
  const path = join(directory, "ledger.db");
  const earlier = takeEarlierLock(directory, "c3d4");
  expect(() => takeLock(path, me)).toThrow(`process ${process.pid}, since ${me.since}`);
  expect(lockState(path)).toMatchObject({ held: true });
  earlier.close();
  const lock = takeLock(path, me);
  expect(() => takeEarlierLock(directory, "c3d4")).toThrow("locked");
  lock.release();
  takeEarlierLock(directory, "c3d4").close();
});

test("the name that an earlier version remembered is taken over for its own workflow only, and once", () => {
  const directory = folder();
  takeEarlierLock(directory, "c3d4").close();
  const other = takeLock(join(directory, "two.db"), { ...me, workflows: ["/srv/OTHER.md"] });
  expect(other.installation).toBeNull();
  other.release();
  const own = takeLock(join(directory, "ledger.db"), me);
  expect(own.installation).toBe("c3d4");
  own.release();
});

test("the lock is taken although nobody can be told", () => {
  const path = join(folder(), "ledger.db");
  mkdirSync(join(dirname(path), "lock.ledger.db.holder.json"));
  const lock = takeLock(path, me);
  expect(() => takeLock(path, me)).toThrow("held by another process");
  lock.release();
});

test("a place that takes no lock is an error about that place, not about another daemon", () => {
  const file = join(folder(), "file");
  writeFileSync(file, "");
  expect(() => takeLock(join(file, "ledger.db"), me)).toThrow(LedgerError);
});
