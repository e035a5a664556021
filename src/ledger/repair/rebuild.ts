/**
 * Opens the ledger for a daemon's start: looks at it first, as closely as its last end asks for, and when it is damaged
 * sets it aside, builds a new one from what can be read, and says so.
 */
import { constants, copyFileSync, existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { type Fact, instant, type Instant } from "../../domain/domain.ts";
import { clearLeftovers, finishSwap, placeNew, swap } from "../aside.ts";
import { connectUnchecked, makeAt } from "../connect.ts";
import { guarded, ledgerError } from "../errors.ts";
import type { Ledger } from "../port.ts";
import { mend } from "./mend.ts";
import { forgetEnded, saySuspect, sayClean, takeEnded, type Ended } from "../ended.ts";
import type { LookAt } from "../look.ts";
import { migrate, migrations, tables, versionOf } from "../schema/schema.ts";
import { salvage, type Salvage } from "./salvage.ts";
import { type LedgerOptions, openLedger } from "../sqlite.ts";
import { refuseStranger } from "../stranger.ts";
import { damageOf, type Depth, historyStructure } from "./verify.ts";

export interface OpeningOptions extends LedgerOptions {
  /** The name that the ledger here had at the last start, if that is known: kept when the ledger is lost. */
  readonly installation?: string | null;
  readonly now?: () => Instant;
}

/** How the ledger was found. */
export interface LedgerOpened {
  readonly ledger: Ledger;
  /** Where the damaged ledger is now, with its log beside it; null = nothing was damaged. */
  readonly setAside: string | null;
  /** Rows taken over from it, by table; null = nothing was damaged, or an earlier start did it and was killed. */
  readonly recovered: Readonly<Record<string, number>> | null;
  /** What a person must hear about it, with what to do; null = nothing. It is in the ledger's events already. */
  readonly warning: string | null;
}

/**
 * The ledger at this path, made when there is none. The caller holds the lock.
 * @throws LedgerError when it cannot be opened for a reason that is no damage: foreign, newer, read_only, full, io, busy.
 */
export function openWholeLedger(path: string, options: OpeningOptions = {}): LedgerOpened {
  return guarded(path, "opening", () => {
    const finished = finishSwap(path);
    clearLeftovers(path);
    refuseStranger(path, finished !== null || (options.installation ?? null) !== null);
    if (!existsSync(path) && !existsSync(`${path}-wal`)) return begun(path, options);
    const ended = takeEnded(path);
    const { depth, found } = lookedAt(path, ended);
    if (found.length > 0) return rebuilt(path, found, options);
    if (ended === "suspect") forgetEnded(path);
    const warning = finished === null ? null : finishedText(path, finished);
    let ledger: Ledger;
    try {
      ledger = openedAt(path, options, depth === "what holds" ? "account" : "history");
    } catch (error) {
      return rebuilt(path, [damageIn(error, path)], options);
    }
    return { ledger: telling(ledger, warning, options), setAside: finished, recovered: null, warning };
  });
}

/** The ledger, which says how it ended when it does. */
const openedAt = (path: string, options: OpeningOptions, lookAt: LookAt): Ledger =>
  openLedger(path, {
    ...options,
    lookAt,
    onDamage: () => saySuspect(path),
    onClosed: () => sayClean(path),
  });

interface LookedAt {
  readonly depth: Depth;
  /** What is wrong, in words; nothing when all is well. */
  readonly found: readonly string[];
}

/** The files at this path, as far as a start has to look after such an end. */
function lookedAt(path: string, ended: Ended): LookedAt {
  const depth = depthAfter(ended);
  const gone = (what: string): LookedAt => ({ depth, found: [what] });
  if (!existsSync(path)) return gone("the database is gone, only its log is there");
  // Never so by a kill: a ledger is made under another name first.
  if (statSync(path).size === 0) return gone("the file is empty");
  if (existsSync(`${path}-shm`) && !existsSync(`${path}-wal`)) return gone("its log is gone");
  try {
    const db = connectUnchecked(path);
    try {
      // A migration seals anew what it finds: nothing may be wrong with it by then.
      const isOlder = depth === "what holds" && versionOf(db) !== migrations.length;
      const deep = isOlder ? "what decides" : depth;
      const found = damageOf(db, path, deep);
      return { depth: deep, found: ended === "suspect" ? [...found, ...historyStructure(db)] : found };
    } finally {
      db.close();
    }
  } catch (error) {
    return gone(damageIn(error, path));
  }
}

/** What the damage is that was met by stumbling over it. @throws the error when it says something else */
function damageIn(error: unknown, path: string): string {
  const met = ledgerError(path, "opening", error);
  if (met.kind !== "damaged") throw error;
  return met.message;
}

/** What nobody touched since it was closed is what it was: only what everything hangs on is looked at. */
function depthAfter(ended: Ended): Depth {
  switch (ended) {
    case "clean":
      return "what holds";
    case "unclean":
      return "what decides";
    case "suspect":
      return "every page";
  }
}

/** A new ledger; where there was one before, it goes by the same name, by which that one's processes are found. */
function begun(path: string, options: OpeningOptions): LedgerOpened {
  const { installation = null } = options;
  const warning = installation === null ? null : lostText(path);
  if (installation !== null) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const { fresh } = build(path, installation);
    placeNew(fresh, path);
    rmSync(fresh, { force: true });
  }
  forgetEnded(path);
  const ledger = openedAt(path, options, "history");
  return { ledger: telling(ledger, warning, options), setAside: null, recovered: null, warning };
}

function rebuilt(path: string, found: readonly string[], options: OpeningOptions): LedgerOpened {
  const { fresh, saved } = build(path, options.installation ?? null);
  const setAside = swap(path, fresh, stampOf(timeOf(options)));
  forgetEnded(path);
  const warning = damagedText(path, found, setAside, saved);
  const ledger = telling(openedAt(path, options, "history"), warning, options);
  return { ledger, setAside, recovered: saved.recovered, warning };
}

/** Builds the new ledger beside the damaged one, which is not touched. */
function build(
  path: string,
  installation: string | null,
): { readonly fresh: string; readonly saved: Salvage } {
  const [copy, fresh] = [`${path}.salvage`, `${path}.rebuilding`];
  let saved: Salvage = { recovered: {}, lost: {} };
  try {
    // A copy, because reading a damaged file may change it further.
    for (const suffix of ["", "-wal"]) {
      if (existsSync(path + suffix)) copyFileSync(path + suffix, copy + suffix, constants.COPYFILE_FICLONE);
    }
    makeAt(fresh, (db) => {
      migrate(db, path);
      db.pragma("foreign_keys = OFF");
      db.transaction(() => {
        // The name comes from the damaged ledger, or from the last start.
        db.exec("DELETE FROM installation");
        if (existsSync(copy)) saved = salvage(copy, db);
        saved = withDropped(saved, mend(db, installation));
      }).immediate();
    });
    return { fresh, saved };
  } finally {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(copy + suffix, { force: true });
  }
}

function withDropped({ recovered, lost }: Salvage, dropped: Readonly<Record<string, number>>): Salvage {
  const [kept, gone] = [{ ...recovered }, { ...lost }];
  for (const [table, rows] of Object.entries(dropped)) {
    kept[table] = Math.max(0, (kept[table] ?? 0) - rows);
    gone[table] = (gone[table] ?? 0) + rows;
  }
  return { recovered: kept, lost: gone };
}

/** The warning is part of the history it is about. */
function telling(ledger: Ledger, message: string | null, options: OpeningOptions): Ledger {
  if (message !== null) {
    const fact: Fact = { type: "warning", message, at: timeOf(options) };
    ledger.append(fact);
  }
  return ledger;
}

const timeOf = ({ now }: OpeningOptions): Instant => now?.() ?? instant(Date.now());

/** `20310509T080000.123Z`: a name that sorts by time. */
const stampOf = (at: Instant): string => new Date(at).toISOString().replace(/[-:]/g, "");

/** What to do comes early: a log line is cut. */
function damagedText(path: string, found: readonly string[], setAside: string, saved: Salvage): string {
  const took = counts(saved.recovered);
  const gaps = Object.keys(saved.lost).map((table) => table.replace("_", " "));
  const lost = gaps.length === 0 ? "" : `, and could not read all of: ${gaps.join(", ")}`;
  return (
    `The ledger ${path} was damaged; it is kept beside it as ${basename(setAside)}. What to do: compare \`baton runs\` ` +
    `with what you expect, restore a backup if you have one (docs/LEDGER.md), and have the disk checked. The new ledger ` +
    `took over ${took === "" ? "nothing" : took}${lost}; issues whose claim is missing are looked at afresh. What was ` +
    `found: ${found.join("; ")}.`
  );
}

const finishedText = (path: string, setAside: string): string =>
  `An earlier start found the ledger ${path} damaged and was ended while it replaced it. The damaged one is kept beside ` +
  `it as ${basename(setAside)}. What to do: compare \`baton runs\` with what you expect, and have the disk checked.`;

const lostText = (path: string): string =>
  `A daemon has worked here before, but its ledger ${path} is gone: this one begins empty, without claims, parks, ` +
  `limits used and totals. What to do: if it was not removed on purpose, stop, and put it back.`;

/** In the order of the catalogue: what a person asks about first. */
const counts = (rows: Readonly<Record<string, number>>): string =>
  tables
    .flatMap(({ name, words }) => {
      const count = rows[name] ?? 0;
      return words === null || count === 0 ? [] : [`${count} ${words[count === 1 ? 0 : 1]}`];
    })
    .join(", ");
