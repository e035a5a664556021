import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
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
