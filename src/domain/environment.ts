/**
 * What a child process may know of the daemon's environment. An allow-list, because a deny-list forgets the secret that
 * is introduced next year; the agent and the hooks use the same one.
 */

/** Where programs, homes, languages and certificates are found. Nothing here is a credential by its purpose. */
const allowed: ReadonlySet<string> = new Set([
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "TERM",
  "TZ",
  "TMPDIR",
  "CODEX_HOME",
  "XDG_CACHE_HOME",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_RUNTIME_DIR",
  "XDG_STATE_HOME",
  // Behind a proxy or a private certificate authority nothing that clones or installs works without these.
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "all_proxy",
  "no_proxy",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
  "GIT_SSL_CAINFO",
]);

/** How the variables begin that hold what the trackers need, their keys among it; one for each kind. */
export const trackerPrefixes: readonly string[] = ["LINEAR_"];

/** The tracker's own variables stay with the daemon even when somebody lists them (SPEC 15.3). */
export const isTrackers = (name: string): boolean =>
  trackerPrefixes.some((prefix) => name.toUpperCase().startsWith(prefix));

const isAllowed = (name: string, pass: ReadonlySet<string>): boolean =>
  !isTrackers(name) && (allowed.has(name) || name.startsWith("LC_") || pass.has(name));

/**
 * The part of `environment` a child may have: the allow-list and the names in `pass`. Variables that hold one of
 * `secrets` are left out whatever they are called: a tracker key may live under any name (`api_key: $MY_KEY`).
 */
export function scrubbed(
  environment: Readonly<Record<string, string | undefined>>,
  pass: readonly string[],
  secrets: readonly string[] = [],
): Record<string, string> {
  const wanted = new Set(pass);
  const hidden = secrets.filter((secret) => secret !== "");
  const kept = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      isAllowed(entry[0], wanted) &&
      !hidden.some((secret) => entry[1]?.includes(secret)),
  );
  return Object.fromEntries(kept);
}
