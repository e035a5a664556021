/** One line of Markdown, read from the left in columns, as CommonMark counts them. It knows of blanks and tabs alone. */

/** A tab goes on to the next column that this divides. */
const TAB_COLUMNS = 4;

/** So far in, a line is code, or goes on with what stands above it. */
export const CODE_COLUMNS = 4;

interface Position {
  readonly at: number;
  readonly column: number;
  readonly within: boolean;
}

export class MarkdownLine {
  readonly #text: string;
  /** Offset of its end, without the line break. */
  readonly to: number;
  #at: number;
  #column = 0;
  /** Some columns of a tab are taken already. */
  #within = false;
  #known: { readonly at: number; readonly columns: number } | null = null;

  constructor(text: string, from: number, to: number) {
    this.#text = text;
    this.#at = from;
    this.to = to;
  }

  /** Offset of what was not taken yet, blanks included. */
  get at(): number {
    return this.#at;
  }

  get column(): number {
    return this.#column;
  }

  /** Offset of the next character that is no blank and no tab; the end, if there is none. */
  get wordAt(): number {
    return this.#ahead().at;
  }

  /** Columns of blanks before it. */
  get indent(): number {
    return this.#ahead().columns;
  }

  get isBlank(): boolean {
    return this.wordAt === this.to;
  }

  /** Whether the next character is a blank or a tab. */
  get isAtBlank(): boolean {
    return this.#at < this.to && isBlankAt(this.#text, this.#at);
  }

  /** All that is left, from the next word on. */
  get words(): string {
    return this.#text.slice(this.wordAt, this.to);
  }

  toWord(): void {
    const { at, columns } = this.#ahead();
    this.#move({ at, column: this.#column + columns, within: false });
  }

  /** Takes so many columns, a part of a tab if need be. */
  take(columns: number): void {
    for (let left = columns; left > 0 && this.#at < this.to; ) {
      const isTab = this.#text[this.#at] === "\t";
      const width = isTab ? TAB_COLUMNS - (this.#column % TAB_COLUMNS) : 1;
      const taken = Math.min(left, width);
      const within = taken < width;
      this.#move({ at: within ? this.#at : this.#at + 1, column: this.#column + taken, within });
      left -= taken;
    }
  }

  mark(): Position {
    return { at: this.#at, column: this.#column, within: this.#within };
  }

  backTo(position: Position): void {
    this.#move(position);
  }

  #move({ at, column, within }: Position): void {
    this.#at = at;
    this.#column = column;
    this.#within = within;
    this.#known = null;
  }

  #ahead(): { readonly at: number; readonly columns: number } {
    if (this.#known !== null) return this.#known;
    let at = this.#at;
    let column = this.#column;
    for (; at < this.to && isBlankAt(this.#text, at); at += 1)
      column += this.#text[at] === "\t" ? TAB_COLUMNS - (column % TAB_COLUMNS) : 1;
    this.#known = { at, columns: column - this.#column };
    return this.#known;
  }
}

const isBlankAt = (text: string, at: number): boolean => text[at] === " " || text[at] === "\t";
