/**
 * Rows of sealed tables as one transaction changes them, each written with its seal: `put` and `drop` change a row here,
 * and write it at the end of the transaction; `append` inserts at once. Statements of one's own see the second, not the first. Everything this program writes into a sealed table goes through here, so that no row can be without one. What
 * changes nothing is not written, and an update names only the columns that changed: an index of the others is left alone.
 * Rows that were written lately are remembered, until a transaction fails, another program has written, or SQL of our own
 * goes past this memory (`bypass`).
 */
import type Database from "better-sqlite3";
import { type SealedTable, sealedTables, sealOf, type Value } from "./schema/schema.ts";

/** Rows of one table that are remembered: those of the runs that are under way, and some more. */
export const REMEMBERED_MAX = 256;

/** A row by the names of its columns, without `seal`. */
type RowOf<C> = { readonly [Name in keyof C]: Value };

export class Rows {
  readonly #db: Database.Database;
  readonly #known: ReadonlyMap<string, SealedTable>;
  readonly #tables: Pick<TableRows<object>, "forget" | "settled">[] = [];
  readonly #immediately: (work: () => void) => void;
  readonly #version: Database.Statement<[], number>;
  #seen: number | undefined;
  /** In the order in which they were first touched: rows that others refer to come before those. */
  #touched: (() => void)[] = [];

  constructor(db: Database.Database) {
    this.#db = db;
    this.#known = new Map(sealedTables(db).map((table) => [table.name, table]));
    const transaction = db.transaction((work: () => void) => this.#within(work));
    this.#immediately = (work) => transaction.immediate(work);
    this.#version = db.prepare<[], number>("SELECT data_version FROM pragma_data_version").pluck();
  }

  /** The rows of a table, told apart by the columns of `key`, which never change. */
  table<C extends RowOf<C>>(name: string, key: readonly (keyof C & string)[]): TableRows<C> {
    const known = this.#known.get(name);
    if (known === undefined) throw new Error(`there is no sealed table ${name}`);
    const table = new TableRows<C>(this.#db, known, key, (write) => void this.#touched.push(write));
    this.#tables.push(table);
    return table;
  }

  /** Runs `work` in one transaction, and writes what it changed. Whatever is thrown: nothing was written. */
  transact(work: () => void): void {
    try {
      this.#immediately(work);
    } catch (error) {
      this.#forget();
      throw error;
    }
  }

  /**
   * Runs `work` in one transaction, which changes rows by SQL of its own and none by way of this: no row is remembered
   * afterwards. A row that is remembered and gone would be taken for written, or updated where there is none.
   */
  bypass(work: () => void): void {
    this.transact(() => {
      work();
      if (this.#touched.length > 0)
        throw new Error("rows were changed by way of their memory and past it at once");
      this.#forget();
    });
  }

  #within(work: () => void): void {
    // Another connection's commit moves it, and none can commit from here on.
    const version = this.#version.get();
    if (version !== this.#seen) this.#forget();
    this.#seen = version;
    work();
    for (const write of this.#touched) write();
    this.#touched = [];
    for (const table of this.#tables) table.settled();
  }

  #forget(): void {
    this.#touched = [];
    for (const table of this.#tables) table.forget();
  }
}

/** A row as it is in the table and as it is to be. */
interface Entry<C> {
  rowid: number | bigint | null;
  seal: number;
  found: C | null;
  now: C | null;
  touched: boolean;
}

/** What a row looks like when it is read. */
interface Stored {
  readonly rowid_: number;
  readonly seal: number | null;
}

/** One table's rows, see `Rows`. */
export class TableRows<C extends RowOf<C>> {
  readonly #db: Database.Database;
  readonly #name: string;
  readonly #columns: readonly (keyof C & string)[];
  readonly #key: readonly (keyof C & string)[];
  readonly #touch: (write: () => void) => void;
  readonly #select: Database.Statement<Value[], C & Stored>;
  readonly #insert: Database.Statement<Value[]>;
  readonly #delete: Database.Statement<[number | bigint]>;
  readonly #lastId: Database.Statement<[], number | null>;
  /** Null for a table whose seals have no sum. */
  readonly #addToSum: Database.Statement<[number, string]> | null;
  /** By the columns they set: few of all there could be. */
  readonly #updates = new Map<string, Database.Statement<Value[]>>();
  /** The one that was asked for last comes last. */
  readonly #entries = new Map<string, Entry<C>>();
  #last: number | null = null;
  #risen = 0;

  constructor(
    db: Database.Database,
    { name, columns, decides }: SealedTable,
    key: readonly (keyof C & string)[],
    touch: (write: () => void) => void,
  ) {
    this.#db = db;
    this.#name = name;
    this.#columns = columns.filter((column): column is keyof C & string => column !== "seal");
    this.#key = key;
    this.#touch = touch;
    const where = key.map((column) => `${column} = ?`).join(" AND ");
    this.#select = db.prepare(`SELECT rowid AS rowid_, * FROM ${name} WHERE ${where}`);
    const places = columns.map(() => "?").join(", ");
    this.#insert = db.prepare(`INSERT INTO ${name} (${columns.join(", ")}, seal) VALUES (${places}, ?)`);
    this.#delete = db.prepare(`DELETE FROM ${name} WHERE rowid = ?`);
    this.#lastId = db.prepare<[], number | null>(`SELECT max(rowid) FROM ${name}`).pluck();
    // A number of JavaScript's arrives as a double, and a sum of some million seals has more digits than that.
    this.#addToSum = decides
      ? db.prepare("UPDATE seals SET sum = sum + CAST(? AS INTEGER) WHERE name = ?")
      : null;
  }

  /** The row with this key as it is by now; undefined = there is none. */
  get(...key: readonly Value[]): C | undefined {
    return this.#entry(key).now ?? undefined;
  }

  /** The row is to be so, whether there was one with its key or not; in the table at the end of the transaction. */
  put(row: C): void {
    this.#set(this.#entry(this.#key.map((column) => row[column])), row);
  }

  /** There is to be no row with this key. */
  drop(...key: readonly Value[]): void {
    this.#set(this.#entry(key), null);
  }

  /** A new row at the end, inserted at once, for tables whose key is `id`: nobody asks for it again soon, so it is not remembered. */
  append(row: (id: number) => C): void {
    this.#last ??= this.#lastId.get() ?? 0;
    this.#write(row(this.#last + 1));
    this.#last += 1;
  }

  /** Rows of this transaction that are not in the table yet, or not as they are there. */
  *touched(): Generator<C> {
    for (const { now, touched } of this.#entries.values()) if (touched && now !== null) yield now;
  }

  /** All rows that were touched are in the table now. */
  settled(): void {
    if (this.#risen !== 0) this.#addToSum?.run(this.#risen, this.#name);
    this.#risen = 0;
    for (const [name] of this.#entries) {
      if (this.#entries.size <= REMEMBERED_MAX) break;
      this.#entries.delete(name);
    }
  }

  /** What is remembered may not be what is in the table. */
  forget(): void {
    this.#entries.clear();
    this.#last = null;
    this.#risen = 0;
  }

  #entry(key: readonly Value[]): Entry<C> {
    const name = key.length === 1 ? String(key[0]) : key.join("\0");
    const known = this.#entries.get(name);
    if (known !== undefined) {
      this.#entries.delete(name);
      this.#entries.set(name, known);
      return known;
    }
    const found = this.#select.get(...key) ?? null;
    const [rowid, seal] = [found?.rowid_ ?? null, found?.seal ?? 0];
    const entry: Entry<C> = { rowid, seal, found, now: found, touched: false };
    this.#entries.set(name, entry);
    return entry;
  }

  #set(entry: Entry<C>, row: C | null): void {
    entry.now = row;
    if (entry.touched) return;
    entry.touched = true;
    this.#touch(() => this.#settle(entry));
  }

  #settle(entry: Entry<C>): void {
    entry.touched = false;
    const { rowid, seal, found, now } = entry;
    entry.found = now;
    if (rowid === null || found === null) {
      if (now !== null) [entry.rowid, entry.seal] = this.#write(now);
    } else if (now === null) {
      this.#delete.run(rowid);
      this.#risen -= seal;
      entry.rowid = null;
    } else {
      const changed = this.#columns.filter((column) => found[column] !== now[column]);
      if (changed.length === 0) return;
      entry.seal = this.#sealOf(now);
      this.#update(changed).run(...changed.map((column) => now[column]), entry.seal, Number(rowid));
      this.#risen += entry.seal - seal;
    }
  }

  #write(row: C): readonly [number | bigint, number] {
    const values: Value[] = this.#columns.map((column) => row[column]);
    const seal = sealOf(this.#name, values);
    values.push(seal);
    const { lastInsertRowid } = this.#insert.run(...values);
    this.#risen += seal;
    return [lastInsertRowid, seal];
  }

  #sealOf(row: C): number {
    return sealOf(
      this.#name,
      this.#columns.map((column) => row[column]),
    );
  }

  #update(changed: readonly string[]): Database.Statement<Value[]> {
    const sets = changed.map((column) => `${column} = ?`).join(", ");
    const known = this.#updates.get(sets);
    if (known !== undefined) return known;
    const statement = this.#db.prepare<Value[]>(`UPDATE ${this.#name} SET ${sets}, seal = ? WHERE rowid = ?`);
    this.#updates.set(sets, statement);
    return statement;
  }
}
