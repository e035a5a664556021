/** The program inside `codex.command`, to ask it other things than to serve. */

/**
 * The command up to `app-server`: `codex --config x=y app-server` asks for `codex --config x=y`, so that options count
 * for the questions too. A command without that word is somebody's own script: its first word.
 */
export function programIn(command: string): string {
  const text = command.trim().replace(/^exec\s+/, "");
  const before = /^(.+?)\s+app-server(?:\s|$)/s.exec(text)?.[1];
  return before ?? /^(?:"[^"]*"|'[^']*'|\S)+/.exec(text)?.[0] ?? text;
}
