import { stripVTControlCharacters } from "node:util";

/** The last bytes of a stream of any length. What went wrong is said at the end. */
export class Tail {
  readonly #bytesMax: number;
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    // Joined once in a while, at double the bound: each byte is copied once, and no whole chunk outlives its use.
    if (this.#size > 2 * this.#bytesMax || this.#chunks.length > CHUNKS_MAX) this.#trim();
  }

  /** As text without colours and blank ends; a character that was cut in two is left out. */
  text(): string {
    this.#trim();
    const [bytes] = this.#chunks;
    if (bytes === undefined) return "";
    let start = 0;
    while (start < 4 && isContinuation(bytes[start])) start++;
    return stripVTControlCharacters(bytes.toString("utf8", start)).trim();
  }

  #trim(): void {
    const kept = Buffer.concat(this.#chunks, this.#size).subarray(-this.#bytesMax);
    this.#chunks = [Buffer.from(kept)];
    this.#size = kept.length;
  }
}

/** Programs that write byte by byte must not make a list of a million buffers. */
const CHUNKS_MAX = 256;

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;
