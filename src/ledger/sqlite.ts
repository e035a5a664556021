/**
 * The ledger on SQLite: one writer connection, WAL, synchronous=FULL, one IMMEDIATE transaction per commit of the loop.
 * It must not know what records mean to the scheduler; it keeps what it is told, exactly.
 */
import { LedgerError } from "./ledger-error.ts";
import {
  type Fact,
  instant,
  type Instant,
  type IssueId,
  type Order,
  REFUSED,
  type RunId,
  type ThreadId,
  type Tokens,
  type WaitingOrder,
} from "../domain/domain.ts";
import type Database from "better-sqlite3";
import { statSync } from "node:fs";
import type { LedgerRecord } from "../scheduler/scheduler.ts";
import { Backlog, realTimer, type SetTimer } from "./backlog.ts";
import { BUSY_MS, connect, connectReadOnly } from "./connect.ts";
import { guarded, ledgerError } from "./errors.ts";
import type {
  IssueRow,
  Ledger,
  LedgerReader,
  RunFilter,
  RunRow,
  Saved,
  Tidied,
  TimelineRow,
  ToldRow,
  WorkflowText,
} from "./port.ts";
import { parseOrder } from "./order-text.ts";
import { Unfit } from "./parse.ts";
import { pruner } from "./prune.ts";
import { Reader } from "./reader.ts";
import { type Look, type LookAt, looks } from "./look.ts";
import { Rows } from "./rows.ts";
import { eventRow, type EventRow, eventWriter } from "./write-events.ts";
import { recordWriter } from "./writer.ts";
import { type TextColumns, textWriter } from "./write-texts.ts";

export interface LedgerOptions {
  /** Takes secrets out of everything before it is written; nothing is taken out when it is missing. */
  readonly redact?: <T>(value: T) => T;
  /** Hears once that buffered facts cannot be written, until they can be again. */
  readonly onTrouble?: (error: LedgerError) => void;
  /** Hears that what is on the disk is not what was written; the next start must look at all of it. */
  readonly onDamage?: () => void;
  /** Hears that the ledger was closed with everything in it. */
  readonly onClosed?: () => void;
  readonly setTimer?: SetTimer;
  /** How long to wait for another process's transaction. */
  readonly busyMs?: number;
  /** What is left to be looked at while the daemon works; the history when nothing else is said. */
  readonly lookAt?: LookAt;
}

/** Facts that may wait do not hold up the daemon for as long as a commit may: they are tried again every second. */
const PATIENT_MS = 50;

/** Opens the ledger for writing; makes and migrates it when needed. @throws LedgerError */
export function openLedger(path: string, options: LedgerOptions = {}): Ledger {
  const db = connect(path, options.busyMs ?? BUSY_MS);
  return guarded(path, "opening", () => new SqliteLedger(db, path, options));
}

/** Opens the ledger to ask questions, also beside a running daemon. @throws LedgerError, also when there is none */
export function openLedgerReadOnly(path: string): LedgerReader {
  const db = connectReadOnly(path);
  return new SqliteReader(db, path);
}

class SqliteReader implements LedgerReader {
  readonly #db: Database.Database;
  readonly #path: string;
  readonly #reader: Reader;

  constructor(db: Database.Database, path: string) {
    this.#db = db;
    this.#path = path;
    this.#reader = guarded(path, "reading", () => new Reader(db));
  }

  installation(): string {
    return this.ask((reader) => reader.installation());
  }

  load(): Saved {
    return this.ask((reader) => reader.load());
  }

  runs(filter: RunFilter): readonly RunRow[] {
    return this.ask((reader) => reader.runs(filter));
  }

  run(id: string): RunRow | null {
    return this.ask((reader) => reader.run(id));
  }

  timeline(runIds: readonly RunId[], limit: number): readonly TimelineRow[] {
    return this.ask((reader) => reader.timeline(runIds, limit));
  }

  told(run: RunId): readonly ToldRow[] {
    return this.ask((reader) => reader.told(run));
  }

  besides(issue: IssueId, limit: number): readonly TimelineRow[] {
    return this.ask((reader) => reader.besides(issue, limit));
  }

  lately(since: Instant, limit: number): readonly TimelineRow[] {
    return this.ask((reader) => reader.lately(since, limit));
  }

  mark(thread: ThreadId): Tokens {
    return this.ask((reader) => reader.mark(thread));
  }

  workflowText(path: string, hash: string | null): WorkflowText | null {
    return this.ask((reader) => reader.workflowText(path, hash));
  }

  issue(identifierOrId: string): IssueRow | null {
    return this.ask((reader) => reader.issue(identifierOrId));
  }

  orders(): readonly WaitingOrder[] {
    return this.ask((reader) => reader.orders());
  }

  close(): void {
    this.#db.close();
  }

  // One transaction per question: an answer from several tables shows one moment of them.
  protected ask<T>(question: (reader: Reader) => T): T {
    return guarded(this.#path, "reading", () =>
      this.#db.transaction(() => question(this.#reader)).deferred(),
    );
  }
}

/** Exported for tests that limit the connection; others use `openLedger`. */
export class SqliteLedger extends SqliteReader implements Ledger {
  readonly #db: Database.Database;
  readonly #path: string;
  readonly #options: LedgerOptions;
  readonly #backlog: Backlog;
  readonly #rows: Rows;
  readonly #writeRecord: (record: LedgerRecord) => void;
  readonly #writeEvent: (row: EventRow) => void;
  readonly #keepText: (row: TextColumns) => void;
  readonly #dataVersion: Database.Statement<[], number>;
  readonly #waitingOrders: Database.Statement<[], { id: number; body: string }>;
  readonly #prune: (before: Instant, rowsMax: number) => number;
  #look: Look | null = null;
  #ordersSeen: number | undefined;
  #inTrouble = false;

  constructor(db: Database.Database, path: string, options: LedgerOptions = {}) {
    super(db, path);
    this.#db = db;
    this.#path = path;
    this.#options = options;
    this.#backlog = new Backlog(options.setTimer ?? realTimer, () => this.#flushOrWait());
    this.#rows = new Rows(db);
    this.#writeRecord = recordWriter(db, this.#rows);
    this.#writeEvent = eventWriter(db, this.#rows);
    this.#keepText = textWriter(this.#rows);
    this.#prune = pruner(db);
    this.#dataVersion = db.prepare<[], number>("SELECT data_version FROM pragma_data_version").pluck();
    this.#waitingOrders = db.prepare(
      "SELECT id, body FROM orders WHERE done_at IS NULL ORDER BY id LIMIT 100",
    );
  }

  commit(records: readonly LedgerRecord[], facts: readonly Fact[]): void {
    if (records.length === 0 && facts.length === 0) return this.flush();
    const rows = facts.map((fact) => eventRow(this.#redacted(fact)));
    this.#transact(() => {
      for (const record of records) this.#writeRecord(this.#redacted(record));
      for (const row of rows) this.#writeEvent(row);
    });
  }

  append(fact: Fact): void {
    // Facts of the last moments, after the ledger was closed, are for the log alone.
    if (this.#db.open) this.#backlog.add(eventRow(this.#redacted(fact)));
  }

  flush(): void {
    if (!this.#backlog.isEmpty) this.#transact(() => {});
  }

  override orders(): readonly WaitingOrder[] {
    return this.#noticing(() => guarded(this.#path, "reading", () => this.#newOrders()));
  }

  keepWorkflow(hash: string, path: string, text: string, at: Instant): void {
    const row = { hash, path, text: this.#redacted(text), first_seen: at };
    this.#write(() => this.#rows.transact(() => this.#keepText(row)));
  }

  prune(before: Instant, rowsMax: number): number {
    let gone = 0;
    this.#write(() =>
      this.#rows.bypass(() => {
        gone = this.#prune(before, rowsMax);
      }),
    );
    return gone;
  }

  look(rowsMax: number): readonly string[] | null {
    try {
      return this.#noticing(() => guarded(this.#path, "reading", () => this.#lookOn(rowsMax)));
    } catch (error) {
      this.#look?.end();
      if (isDamage(error)) return [error.message];
      // It has not looked at everything: the next one begins again.
      this.#look = null;
      throw error;
    }
  }

  tidy(): Tidied {
    try {
      this.#waitingFor(0, () => {
        this.#db.pragma("optimize");
        this.#db.pragma("wal_checkpoint(TRUNCATE)");
      });
    } catch {
      // Somebody reads or writes just now, or the disk is full: the next time will do, and commits tell what is wrong.
    }
    return { logBytes: sizeOf(`${this.#path}-wal`) };
  }

  override runs(filter: RunFilter): readonly RunRow[] {
    this.#flushOrWait();
    return super.runs(filter);
  }

  override timeline(runIds: readonly RunId[], limit: number): readonly TimelineRow[] {
    this.#flushOrWait();
    return super.timeline(runIds, limit);
  }

  override besides(issue: IssueId, limit: number): readonly TimelineRow[] {
    this.#flushOrWait();
    return super.besides(issue, limit);
  }

  override lately(since: Instant, limit: number): readonly TimelineRow[] {
    this.#flushOrWait();
    return super.lately(since, limit);
  }

  override close(): void {
    if (!this.#db.open) return;
    // It reads as of a moment, and beside a reader the log cannot be emptied.
    this.#look?.end();
    try {
      this.flush();
      // Without it the log stays beside the database, as whole as it is.
      this.tidy();
    } finally {
      this.#backlog.stop();
      this.#db.close();
    }
    this.#options.onClosed?.();
  }

  protected override ask<T>(question: (reader: Reader) => T): T {
    return this.#noticing(() => super.ask(question));
  }

  #lookOn(rowsMax: number): readonly string[] | null {
    this.#look ??= looks(this.#path, this.#options.lookAt ?? "history");
    const found = this.#look.next(rowsMax);
    if (found?.some(({ decides }) => decides) === true) this.#options.onDamage?.();
    return found?.map(({ what }) => what) ?? null;
  }

  #newOrders(): readonly WaitingOrder[] {
    // Another process's commit moves this number; asking for it costs no read of the tables.
    const version = this.#dataVersion.get();
    if (version === this.#ordersSeen) return [];
    const waiting = this.#waitingOrders.all();
    if (waiting.length === 0) this.#ordersSeen = version;
    return waiting.flatMap(({ id, body }) => this.#readable(id, parseOrder(body)));
  }

  #readable(id: number, order: Order | Unfit): readonly WaitingOrder[] {
    if (!(order instanceof Unfit)) return [{ id, order }];
    const answer = `${REFUSED}this version of Baton cannot read the order: order${order.message}`;
    const at = instant(Date.now());
    this.#rows.transact(() => this.#writeRecord({ type: "order_done", number: id, answer, at }));
    return [];
  }

  /** What waits goes first, in the same transaction: the order of events is the order in which they happened. */
  #transact(work: () => void): void {
    this.#write(() =>
      this.#rows.transact(() => {
        for (const row of this.#backlog.rows()) this.#writeEvent(row);
        work();
      }),
    );
    this.#backlog.clear();
    this.#inTrouble = false;
  }

  #write(work: () => void): void {
    this.#noticing(() => guarded(this.#path, "writing to", work));
  }

  /** What says that the disk has something else than was written is remembered for the next start. */
  #noticing<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (isDamage(error)) this.#options.onDamage?.();
      throw error;
    }
  }

  #flushOrWait(): void {
    try {
      this.#waitingFor(PATIENT_MS, () => this.flush());
    } catch (error) {
      if (this.#inTrouble) return;
      this.#inTrouble = true;
      this.#options.onTrouble?.(ledgerError(this.#path, "writing to", error));
    }
  }

  /** With less patience for other processes than a commit has. */
  #waitingFor(ms: number, work: () => void): void {
    if (!this.#db.open) return work();
    const usual = Number(this.#db.pragma("busy_timeout", { simple: true }));
    this.#db.pragma(`busy_timeout = ${Math.min(ms, usual)}`);
    try {
      work();
    } finally {
      if (this.#db.open) this.#db.pragma(`busy_timeout = ${usual}`);
    }
  }

  #redacted<T>(value: T): T {
    return this.#options.redact === undefined ? value : this.#options.redact(value);
  }
}

const isDamage = (error: unknown): error is LedgerError =>
  error instanceof LedgerError && error.kind === "damaged";

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
