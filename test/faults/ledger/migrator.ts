/**
 * Migrates the database named on the command line through the steps of `steps.ts`, and kills itself at the mark whose
 * number is the second argument; 0 = goes on to the end, after a word that it begins. Without a database it ends at once.
 */
import { writeSync } from "node:fs";
import Database from "better-sqlite3";
import { migrate } from "../../../src/ledger/schema/migrate.ts";
import { markedSteps } from "./steps.ts";

const [, , path, at = "0"] = process.argv;
if (path !== undefined) migrateAt(path);

function migrateAt(file: string): void {
  const db = new Database(file);
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = FULL");
  db.function("mark", (number: number) => {
    if (number === Number(at)) process.kill(process.pid, "SIGKILL");
    return null;
  });
  writeSync(1, "begins\n");
  migrate(db, file, markedSteps);
  writeSync(1, "done\n");
}
