/** A stream of bytes as records that a line break or a NUL ends. */

/** A record is a path, or a line with two ids and a name. */
const RECORD_BYTES_MAX = 64 * 1_024;

/** Cuts a stream into records. Bytes that are no UTF-8 become U+FFFD. */
export class Records {
  readonly #separator: string;
  readonly #onRecord: (record: string) => void;
  #rest: Buffer = Buffer.alloc(0);

  constructor(separator: string, onRecord: (record: string) => void) {
    this.#separator = separator;
    this.#onRecord = onRecord;
  }

  add(chunk: Buffer): void {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (let end = bytes.indexOf(this.#separator); end !== -1; end = bytes.indexOf(this.#separator)) {
      this.#onRecord(bytes.toString("utf8", 0, end));
      bytes = bytes.subarray(end + 1);
    }
    // No record of git is that long. A longer one is cut, and its name then belongs to no file.
    this.#rest = Buffer.from(bytes.subarray(0, RECORD_BYTES_MAX));
  }

  end(): void {
    if (this.#rest.length > 0) this.#onRecord(this.#rest.toString("utf8"));
    this.#rest = Buffer.alloc(0);
  }
}
