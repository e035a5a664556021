/**
 * The beginning and the end of a stream of any length, in a fixed amount of memory. What was being done is at the
 * beginning, what went wrong is at the end.
 */
export class Excerpt {
  readonly #half: number;
  #head = Buffer.alloc(0);
  #tail = Buffer.alloc(0);
  #seen = 0;

  /** Keeps at most `bytesMax` bytes. */
  constructor(bytesMax: number) {
    this.#half = Math.floor(bytesMax / 2);
  }

  add(chunk: Buffer): void {
    this.#seen += chunk.length;
    const room = this.#half - this.#head.length;
    if (room > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, room)]);
    const rest = chunk.subarray(Math.max(0, room));
    // A copy: a view would keep all of the chunk it was cut from alive.
    if (rest.length > 0)
      this.#tail = Buffer.concat([this.#tail, rest.subarray(-this.#half)]).subarray(-this.#half);
  }

  /** What was kept, as text without blank ends; says how much is missing in between. */
  text(): string {
    const missing = this.#seen - this.#head.length - this.#tail.length;
    if (missing === 0) return Buffer.concat([this.#head, this.#tail]).toString("utf8").trim();
    // A cut may go through a character: its remains are no text.
    const head = this.#head.toString("utf8").replace(/\uFFFD+$/u, "");
    const tail = this.#tail.toString("utf8").replace(/^\uFFFD+/u, "");
    return `${head}\n[... ${missing} bytes left out ...]\n${tail}`.trim();
  }
}
