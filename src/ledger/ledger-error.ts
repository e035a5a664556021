/** What goes wrong at the ledger, in one class. */

/**
 * `full`, `busy` and `io` may pass; `read_only`, `missing`, `foreign` (a database of another program), `newer` (of a
 * newer version of this one), `lost` (its file was taken from under a daemon) and `damaged` need a person. `inconsistent`: a record contradicts what is written, a bug.
 */
export type LedgerErrorKind =
  | "full"
  | "busy"
  | "io"
  | "read_only"
  | "missing"
  | "foreign"
  | "newer"
  | "lost"
  | "damaged"
  | "inconsistent";

/** The one error of this boundary: the message says what was done where and what SQLite said, the hint what to do. */
export class LedgerError extends Error {
  readonly kind: LedgerErrorKind;
  readonly path: string;
  readonly hint: string;

  constructor(kind: LedgerErrorKind, path: string, message: string, hint: string, cause?: unknown) {
    super(message, { cause });
    this.name = "LedgerError";
    this.kind = kind;
    this.path = path;
    this.hint = hint;
  }

  /** The disk may be given room, another program may let go: the same may be tried again. */
  get mayPass(): boolean {
    return this.kind === "full" || this.kind === "busy" || this.kind === "io";
  }
}
