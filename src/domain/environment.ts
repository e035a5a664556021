/**
 * What a child process may know of the daemon's environment. An allow-list, because a deny-list forgets the secret that
 * is introduced next year. Who gets what besides is said at the lists, and in one table in docs/CONFIGURATION.md.
 */

/** For hooks and agents alike. `LC_*` as well. Nothing here is a credential by its purpose. */
export const usualVariables: readonly string[] = [
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
  "CURL_CA_BUNDLE",
  "REQUESTS_CA_BUNDLE",
  "NODE_EXTRA_CA_CERTS",
  "GIT_SSL_CAINFO",
  "GIT_SSL_CAPATH",
];

/**
 * For hooks alone, which fetch and push with the operator's rights: who they are to git and how git gets in. The agent
 * would get in as well. `GIT_CONFIG_KEY_<n>` and `GIT_CONFIG_VALUE_<n>` too; not what points git at another repository.
 */
export const hookVariables: readonly string[] = [
  "SSH_AUTH_SOCK",
  "SSH_ASKPASS",
  "SSH_ASKPASS_REQUIRE",
  "GIT_SSH",
  "GIT_SSH_COMMAND",
  "GIT_SSH_VARIANT",
  "GIT_ASKPASS",
  "GIT_TERMINAL_PROMPT",
  "GIT_PROXY_COMMAND",
  "GIT_AUTHOR_NAME",
  "GIT_AUTHOR_EMAIL",
  "GIT_COMMITTER_NAME",
  "GIT_COMMITTER_EMAIL",
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_SYSTEM",
  "GIT_CONFIG_NOSYSTEM",
  "GIT_CONFIG_COUNT",
];

const isNumberedGitConfig = (name: string): boolean => /^GIT_CONFIG_(KEY|VALUE)_\d+$/.test(name);

/** How the variables begin that hold what the trackers need, their keys among it; one for each kind. */
export const trackerPrefixes: readonly string[] = ["LINEAR_"];

/** The tracker's own variables stay with the daemon even when somebody lists them (SPEC 15.3). */
export const isTrackers = (name: string): boolean =>
  trackerPrefixes.some((prefix) => name.toUpperCase().startsWith(prefix));

const usual: ReadonlySet<string> = new Set(usualVariables);

/** Whether every child gets it. */
export const isUsual = (name: string): boolean => usual.has(name) || name.startsWith("LC_");

const forHooks: ReadonlySet<string> = new Set(hookVariables);

/** What a hook gets of `environment` besides the usual, by its name alone. */
export const namesForHooks = (environment: Environment): readonly string[] =>
  Object.keys(environment).filter((name) => forHooks.has(name) || isNumberedGitConfig(name));

const isAllowed = (name: string, pass: ReadonlySet<string>): boolean =>
  !isTrackers(name) && (isUsual(name) || pass.has(name));

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The part of `environment` a child may have: the usual and the names in `pass`. Variables that hold one of
 * `secrets` are left out whatever they are called: a tracker key may live under any name (`api_key: $MY_KEY`).
 */
export function scrubbed(
  environment: Environment,
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
