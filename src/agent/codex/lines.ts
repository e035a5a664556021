/**
 * Bytes to lines. Knows nothing of JSON. A line is handed over as a range of bytes, so that a reader that only needs to
 * glance at it pays for neither a copy nor a string.
 */

/**
 * Longest line that is kept. Codex sends every final message in full, and 5 MB lines are ordinary (a 5 MB message goes
 * out three times); ten times that is no longer an answer anybody asked for.
 */
export const LINE_BYTES_MAX = 64 * 1024 * 1024;

const LF = 0x0a;
const CR = 0x0d;

export interface LineReader {
  /** One line without its end: `bytes[start..end)`. The bytes are valid during the call only. */
  readonly line: (bytes: Buffer, start: number, end: number) => void;
  /** A line grew over the bound. The rest of it is skipped; `head` is how it began. */
  readonly tooLong: (head: Buffer) => void;
}

/** How much of a line that is too long is shown. */
const HEAD_BYTES = 512;

/** Cuts a stream of chunks at LF or CRLF, however the chunks are split. Empty lines are dropped. */
export class LineSplitter {
  readonly #reader: LineReader;
  readonly #bytesMax: number;
  /** The beginning of an unfinished line, in pieces: joined once, when its end is known. */
  #pieces: Buffer[] = [];
  #pending = 0;
  #skipping = false;

  constructor(reader: LineReader, bytesMax: number = LINE_BYTES_MAX) {
    this.#reader = reader;
    this.#bytesMax = bytesMax;
  }

  push(chunk: Buffer): void {
    let start = 0;
    let end = chunk.indexOf(LF);
    if (end !== -1 && (this.#pending > 0 || this.#skipping)) {
      this.#finish(chunk.subarray(0, end));
      start = end + 1;
      end = chunk.indexOf(LF, start);
    }
    while (end !== -1) {
      this.#emit(chunk, start, end);
      start = end + 1;
      end = chunk.indexOf(LF, start);
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** The stream is over: what is left is a line too. */
  end(): void {
    this.#finish(Buffer.alloc(0));
  }

  #finish(last: Buffer): void {
    if (this.#pending > 0) this.#keep(last);
    const { length } = this.#pieces;
    const whole = length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces, this.#pending);
    this.#pieces = [];
    this.#pending = 0;
    if (this.#skipping) this.#skipping = false;
    else if (whole !== undefined) this.#emit(whole, 0, whole.length);
  }

  #keep(piece: Buffer): void {
    if (this.#skipping || piece.length === 0) return;
    this.#pieces.push(piece);
    this.#pending += piece.length;
    // One more than the bound may be the CR of the line's end.
    if (this.#pending > this.#bytesMax + 1) this.#skip();
  }

  #skip(): void {
    // Only the head is joined: joining all of it would double the memory that the bound is there to limit.
    const head = firstBytes(this.#pieces, HEAD_BYTES);
    this.#pieces = [];
    this.#pending = 0;
    this.#skipping = true;
    this.#reader.tooLong(head);
  }

  #emit(bytes: Buffer, start: number, lineEnd: number): void {
    const end = lineEnd > start && bytes[lineEnd - 1] === CR ? lineEnd - 1 : lineEnd;
    if (end - start > this.#bytesMax) {
      this.#reader.tooLong(bytes.subarray(start, Math.min(end, start + HEAD_BYTES)));
    } else if (end > start) this.#reader.line(bytes, start, end);
  }
}

function firstBytes(pieces: readonly Buffer[], bytesMax: number): Buffer {
  const head: Buffer[] = [];
  let room = bytesMax;
  for (const piece of pieces) {
    if (room <= 0) break;
    head.push(piece.subarray(0, room));
    room -= piece.length;
  }
  return Buffer.concat(head);
}
