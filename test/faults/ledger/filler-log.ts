/**
 * Publishes facts to a log whose disk fills up, frees some room, goes on; prints figures as JSON. The first argument is
 * a small disk (`disk` as the second), or any folder: then the full disk is /dev/full.
 */
import { closeSync, fstatSync, openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Fact } from "../../../src/domain/fact.ts";
import { instant } from "../../../src/domain/time.ts";
import { Facts } from "../../../src/facts/bus.ts";
import { createLog } from "../../../src/facts/log.ts";
import { Redactor } from "../../../src/facts/redact.ts";
import { fillDisk } from "../fill-disk.ts";

const [, , folder = "", kind = "folder", count = "1"] = process.argv;
const rounds = Number(count);
const path = join(folder, "baton.log");
const ballast = join(folder, "ballast");
/** Facts published while the log takes none. */
const MISSED_EACH = 20;
const WORDS_EACH = 60;

const fd = openSync(path, "a");
const figures = {
  logWritten: 0,
  logMissed: 0,
  logTorn: 0,
  logThrown: 0,
  logUnheard: 0,
  logUnsaid: 0,
  logStuck: 0,
};
const facts = new Facts(new Redactor());
const heard: string[] = [];
facts.subscribe(createLog({ pretty: false, level: "debug", fd }));
facts.subscribe((fact) => void heard.push(fact.type === "warning" ? fact.message : fact.type), "another");

let published = 0;
for (let round = 0; round < rounds; round += 1) {
  publish();
  fill();
  const before = heard.length;
  // The first ones may find room in the last page of the log.
  for (let n = 0; n < MISSED_EACH; n += 1) publish();
  if (!heard.slice(before).some((words) => words.startsWith("the log fails"))) figures.logUnsaid += 1;
  free();
  publish();
  const missed = heard.map((words) => /^the log works again; it missed (\d+) facts/.exec(words)?.[1]).at(-1);
  if (missed === undefined) figures.logStuck += 1;
  figures.logMissed += Number(missed ?? 0);
}
figures.logUnheard = published - heard.filter((words) => words.startsWith("fact ")).length;
const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
const whole = lines.filter(isWhole);
figures.logTorn = lines.length - whole.length;
figures.logWritten = whole.filter((line) => line.includes('"msg":"fact ')).length;
process.stdout.write(`${JSON.stringify(figures)}\n`);

function publish(): void {
  published += 1;
  const message = `fact ${published} ${"word ".repeat(WORDS_EACH)}`;
  const fact: Fact = { type: "warning", message, at: instant(published) };
  try {
    facts.publish(fact);
  } catch {
    figures.logThrown += 1;
  }
}

function fill(): void {
  if (kind === "disk") fillDisk(ballast);
  else reopen("/dev/full");
}

function free(): void {
  if (kind === "disk") rmSync(ballast);
  else reopen(path);
}

/** A file that is opened gets the lowest free number: that of the one just closed. */
function reopen(at: string): void {
  closeSync(fd);
  if (openSync(at, "a") !== fd || !fstatSync(fd))
    throw new Error("the log's number is taken by another file");
}

function isWhole(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
