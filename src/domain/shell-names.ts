/**
 * Which environment variables a shell script names. Not a parser of bash: it knows quotes, comments, here-documents and
 * `$`. What it takes for too much is a variable that is passed and not used.
 */

export interface NamedVariable {
  readonly name: string;
  /** Line of the script, from 1, where it is named first. */
  readonly line: number;
  /** The script's own shell puts its value there; in single quotes another program may. */
  readonly expanded: boolean;
  /** Expanded where nobody thought of its absence: without a default, and nothing in the script sets it. */
  readonly needed: boolean;
}

/** What bash sets by itself, at the latest as a login shell. */
const SET_BY_BASH =
  /^(HOME|PATH|USER|LOGNAME|SHELL|TERM|PWD|OLDPWD|SHLVL|HOSTNAME|HOSTTYPE|MACHTYPE|OSTYPE|UID|EUID|PPID|GROUPS|IFS|PS[0-4]|OPTARG|OPTIND|OPTERR|REPLY|RANDOM|SRANDOM|SECONDS|EPOCHSECONDS|EPOCHREALTIME|LINENO|FUNCNAME|PIPESTATUS|DIRSTACK|MAPFILE|COLUMNS|LINES|_|BASH\w*|COPROC)$/;

/** No script that people keep names more; each is looked for in the whole of it. */
const NAMES_MAX = 300;

/** No variable has a longer name. */
const NAME_CHARS_MAX = 300;

/** Of `(` within each other: no more is followed, whatever the text. */
const DEPTH_MAX = 100;

const NAME = /^\$(?:([A-Za-z_]\w*)|\{[#!]?([A-Za-z_]\w*)((?:\[[^\]]*\])?:?[-=?+])?)/;

interface Found {
  readonly name: string;
  readonly at: number;
  readonly expanded: boolean;
  readonly guarded: boolean;
}

/** The variables that `script` names with a `$`, each once, in their order. */
export function namedVariables(script: string): readonly NamedVariable[] {
  const byName = Map.groupBy(new Scan(script).found(), ({ name }) => name);
  return [...byName].slice(0, NAMES_MAX).flatMap(([name, all]) => {
    const [first] = all;
    if (first === undefined) return [];
    const bare = all.some(({ expanded, guarded }) => expanded && !guarded);
    const needed = bare && !SET_BY_BASH.test(name) && !isSetIn(script, name);
    const line = script.slice(0, first.at).split("\n").length;
    return [{ name, line, expanded: all.some(({ expanded }) => expanded), needed }];
  });
}

/** Whether something in the script looks like giving the variable a value: then it is the script's own. */
export function isSetIn(script: string, name: string): boolean {
  const assigned = String.raw`(?:^|[\s;&|({\`])${name}(?:\[[^\]]*\])?\+?=`;
  const looped = String.raw`\b(?:for|select)\s+${name}\b`;
  const byBuiltin = String.raw`\b(?:read|mapfile|readarray|getopts|local|declare|typeset|readonly|export|unset|printf\s+-v)\b[^\n;|&]*(?<![$\w{])${name}\b`;
  return new RegExp(`${assigned}|${looped}|${byBuiltin}`, "m").test(script);
}

/** Goes through a script once. In `"` and in a here-document only `$` and the backslash mean something. */
class Scan {
  readonly #text: string;
  readonly #found: Found[] = [];
  /** Delimiters of the here-documents that begin on the next line. */
  readonly #pending: { readonly end: string; readonly isQuoted: boolean }[] = [];
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  found(): readonly Found[] {
    // The end of `$(...)` also ends what is not within one.
    while (this.#at < this.#text.length) this.#commands();
    return this.#found;
  }

  #group(): void {
    if (this.#depth >= DEPTH_MAX) return;
    this.#depth++;
    this.#commands();
    this.#depth--;
  }

  /** Up to the `)` that ends it, or the end of the text. */
  #commands(): void {
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at];
      if (char === ")") return void this.#at++;
      if (char === "\\") this.#at += 2;
      else if (char === "'") this.#single();
      else if (char === '"') this.#double();
      else if (char === "$") this.#dollar(true);
      else if (char === "(") {
        this.#at++;
        this.#group();
      } else if (char === "#" && /^$|[\s;&|(]/.test(this.#text[this.#at - 1] ?? "")) this.#to("\n");
      else if (char === "<" && this.#text.startsWith("<<", this.#at)) this.#hereDocument();
      else if (char === "\n") {
        this.#at++;
        for (const { end, isQuoted } of this.#pending.splice(0)) this.#document(end, isQuoted);
      } else this.#at++;
    }
  }

  /** Names in single quotes are for another program, which may be a shell. */
  #single(): void {
    const end = this.#text.indexOf("'", this.#at + 1);
    this.#literal(end === -1 ? this.#text.length : end);
    this.#at++;
  }

  #double(): void {
    for (this.#at++; this.#at < this.#text.length; ) {
      const char = this.#text[this.#at];
      if (char === '"') return void this.#at++;
      if (char === "\\") this.#at += 2;
      else if (char === "$") this.#dollar(false);
      else this.#at++;
    }
  }

  /** `$NAME`, `${NAME...}`, `$(commands)`, and what is no variable: `$$`, `$1`, `$'text'`. */
  #dollar(isPlain: boolean): void {
    const next = this.#text[this.#at + 1];
    if (next === "(") {
      this.#at += 2;
      return this.#group();
    }
    if (next === "'" && isPlain) return this.#ansi();
    const match = NAME.exec(this.#text.slice(this.#at, this.#at + NAME_CHARS_MAX));
    const name = match?.[1] ?? match?.[2];
    if (name !== undefined)
      this.#found.push({ name, at: this.#at, expanded: true, guarded: match?.[3] !== undefined });
    this.#at += match?.[0].length ?? (next === "$" ? 2 : 1);
  }

  #ansi(): void {
    for (this.#at += 2; this.#at < this.#text.length && this.#text[this.#at] !== "'"; )
      this.#at += this.#text[this.#at] === "\\" ? 2 : 1;
    this.#at++;
  }

  #hereDocument(): void {
    const match = /^<<(<)?-?[ \t]*(['"\\]?)([\w.-]+)/.exec(
      this.#text.slice(this.#at, this.#at + NAME_CHARS_MAX),
    );
    this.#at += match === null ? 2 : match[0].length;
    if (match?.[1] !== undefined) this.#at -= match[0].length - 3;
    else if (match?.[3] !== undefined) {
      if (match[2] !== "" && match[2] !== "\\") this.#at++;
      this.#pending.push({ end: match[3], isQuoted: match[2] !== "" });
    }
  }

  /** The lines up to the one that is `end`. */
  #document(end: string, isQuoted: boolean): void {
    const rest = this.#text.slice(this.#at).split("\n");
    const lines = rest.findIndex((line) => line.replace(/^\t+/, "") === end);
    const stop = lines === -1 ? this.#text.length : this.#at + rest.slice(0, lines).join("\n").length;
    if (isQuoted) return this.#literal(stop);
    while (this.#at < stop)
      if (this.#text[this.#at] === "\\") this.#at += 2;
      else if (this.#text[this.#at] === "$") this.#dollar(false);
      else this.#at++;
  }

  /** Up to `end`, where a `$` is a `$`. */
  #literal(end: number): void {
    for (const match of this.#text.slice(this.#at, end).matchAll(/\$\{?([A-Za-z_]\w*)/g))
      this.#found.push({ name: match[1] ?? "", at: this.#at + match.index, expanded: false, guarded: false });
    this.#at = end;
  }

  #to(char: string): void {
    const end = this.#text.indexOf(char, this.#at);
    this.#at = end === -1 ? this.#text.length : end;
  }
}
