/** The program inside `codex.command`, to ask it other things than to serve. Texts only. */

/**
 * The command up to `app-server`: `codex --config x=y app-server` asks for `codex --config x=y`, so that options count
 * for the questions too. A command without that word is somebody's own script: its first word.
 */
export function programIn(command: string): string {
  const text = command.trim().replace(/^exec\s+/, "");
  const before = /^(.+?)\s+app-server(?:\s|$)/s.exec(text)?.[1];
  return before ?? /^(?:"[^"]*"|'[^']*'|\S)+/.exec(text)?.[0] ?? text;
}

/** The command that has its own Codex write its schema into this directory; null = it does not end in `app-server`. */
export function generatorIn(command: string, directory: string): string | null {
  const text = command.trim();
  if (!/(?:^|\s)app-server$/.test(text)) return null;
  return `${text} generate-json-schema --experimental --out '${directory.replaceAll("'", "'\\''")}'`;
}

/** The version in what `codex --version` has said; null = this is not how Codex says it. */
export const versionIn = (said: string): string | null =>
  /^codex(?:-cli)? (\d+\.\d+\.\d+[\w.+-]*)\s*$/m.exec(said)?.[1] ?? null;
