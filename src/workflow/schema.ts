/**
 * Every key a WORKFLOW.md may have: SPEC 5.3's with SPEC's defaults, and our own. Unknown keys pass (SPEC 5.3) and are
 * warned about elsewhere. What depends on the environment, on other keys or on Codex is settled in settings.ts and the
 * files it uses; here is only the shape, and the words that editors show.
 */
import * as z from "zod";
import { HOUR_MS, MINUTE_MS } from "../domain/domain.ts";
import { about, bytes, choice, flag, integer, labels, milliseconds, names, someText, text } from "./keys.ts";
import { LINEAR_ENDPOINT } from "./linear-settings.ts";
import { trackerReaders } from "./tracker-kinds.ts";

const ACTIVE = ["Todo", "In Progress"];
const TERMINAL = ["Closed", "Cancelled", "Canceled", "Duplicate", "Done"];
/** A checkout with its dependencies, and room for the daemon to write its own records. */
const MIN_FREE_BYTES = 2 * 2 ** 30;

/** What editors show. `meta` would copy each schema, which is a third of what they cost at every start. */
const words = z.globalRegistry;

/** The keys of Linear that may stand under `tracker` or under `tracker.provider`. */
const linearKeys = () => ({
  endpoint: text()
    .optional()
    .register(
      words,
      about("GraphQL endpoint: https, or plain http on this machine. May be `$VAR`.", LINEAR_ENDPOINT),
    ),
  api_key: text()
    .optional()
    .register(
      words,
      about(
        "Linear API key as `$VAR`: the variable VAR, or the file that VAR_FILE names. Do not write the key itself here.",
        "$LINEAR_API_KEY",
      ),
    ),
  project_slug: text()
    .optional()
    .register(
      words,
      about(
        "The project: the last part of its address in Linear (`web-0c79b11b75ea`), or only the id at its end. May be `$VAR`. Required.",
      ),
    ),
  assignee: text()
    .optional()
    .register(
      words,
      about(
        "Take only issues assigned to this user: an id, an e-mail address, or `me` (the key's own user). May be `$VAR`. Without it: anybody's issues.",
        "$LINEAR_ASSIGNEE",
      ),
    ),
});

/**
 * What stands under `tracker.provider`: Linear's keys, and beside them those of another kind (`...theirKeys()`). A key that
 * two kinds have stands here once, with words for both: editors show these, whatever the kind is.
 */
export const providerKeys = z.looseObject(linearKeys(), { error: "must be a map of keys" });

const kinds = Object.keys(trackerReaders).map((name) => `\`${name}\``);

const tracker = z
  .looseObject(
    {
      kind: text()
        .optional()
        .register(words, about(`Where the issues are. Required; supported: ${kinds.join(", ")}.`)),
      ...linearKeys(),
      provider: providerKeys
        .optional()
        .register(words, about("The same Linear keys, nested. Give each key in one place only.")),
      required_labels: labels()
        .default([])
        .register(
          words,
          about(
            "An issue is taken only if it carries all of these labels. A blank one matches no issue.",
            [],
          ),
        ),
      active_states: names()
        .default(ACTIVE)
        .register(words, about("States in which an issue is worked on.", ACTIVE)),
      terminal_states: names()
        .default(TERMINAL)
        .register(words, about("States in which an issue is over and its workspace is removed.", TERMINAL)),
    },
    { error: "must be a map of keys" },
  )
  .register(words, about("Where the issues come from and which of them are taken."));

const section = <T extends z.core.$ZodLooseShape>(shape: T, description: string) =>
  z.looseObject(shape, { error: "must be a map of keys" }).register(words, { description });

const hook = (when: string) =>
  text()
    .optional()
    .register(words, about(`Shell script, run by \`bash -lc\` in the workspace ${when}.`));

const polling = section(
  {
    interval_ms: milliseconds()
      .default(30_000)
      .register(words, about("Time between two scans of the tracker.", 30_000)),
  },
  "How often the tracker is asked.",
);

const workspace = section(
  {
    root: someText()
      .optional()
      .register(
        words,
        about(
          "Directory that holds one workspace per issue. `~` and `$VAR` are expanded; a relative path, also a bare name, counts from the directory of this file. Default: symphony_workspaces in the system's temporary directory.",
        ),
      ),
    min_free_bytes: bytes({ min: 0 })
      .default(MIN_FREE_BYTES)
      .register(
        words,
        about(
          "Less free space than this on the workspaces' disk: nothing new starts. `0`: not looked at.",
          "2GiB",
        ),
      ),
    max_bytes: bytes({ min: 1 })
      .optional()
      .register(
        words,
        about("More than this in all workspaces together: nothing new starts. None: no limit."),
      ),
  },
  "Where the issues' directories are, and how much room they may take.",
);

const rescue = section(
  {
    retention_days: integer({ min: 1 })
      .default(14)
      .register(
        words,
        about(
          "How long work that was saved from a removed workspace is kept. `baton rescue list` shows it.",
          14,
        ),
      ),
  },
  "Work that nobody pushed is saved before its workspace is removed.",
);

const hooks = section(
  {
    after_create: hook("when it has just been made; failure removes it again and fails the run"),
    before_run: hook("before each run; failure fails the run"),
    after_run: hook("after each run; failure is recorded and otherwise ignored"),
    before_remove: hook("before it is removed; failure is recorded and otherwise ignored"),
    timeout_ms: milliseconds()
      .default(MINUTE_MS)
      .register(words, about("Longest time a hook may take.", MINUTE_MS)),
  },
  "Scripts at the corners of a workspace's life. They run with the daemon's rights.",
);

const agent = section(
  {
    max_concurrent_agents: integer({ min: 1 })
      .default(10)
      .register(words, about("Issues worked on at the same time.", 10)),
    max_concurrent_agents_by_state: z
      .record(z.string(), z.unknown(), { error: "must be a map of state names to whole numbers" })
      .default({})
      .register(words, {
        ...about("The same per state. Entries that are not whole numbers of at least 1 are ignored.", {}),
        additionalProperties: { type: "integer", minimum: 1 },
      }),
    max_turns: integer({ min: 1 }).default(20).register(words, about("Turns of the agent in one run.", 20)),
    max_retry_backoff_ms: milliseconds()
      .default(300_000)
      .register(words, about("Longest wait before a failed issue is tried again.", 300_000)),
  },
  "How much is done at once, and how long.",
);

const codex = section(
  {
    command: someText()
      .default("codex app-server")
      .register(
        words,
        about("Shell command of the agent, run by `bash -lc` in the workspace.", "codex app-server"),
      ),
    model: someText()
      .optional()
      .register(words, about("Model the agent uses. Without it: Codex's own choice.")),
    reasoning_effort: someText()
      .optional()
      .register(words, about("Reasoning effort, such as `low`, `medium`, `high`.")),
    service_tier: someText().optional().register(words, about("Service tier, such as `fast`.")),
    approval_policy: z
      .unknown()
      .optional()
      .register(words, {
        ...about(
          "When Codex asks before it acts: `never`, `on-request`, `untrusted`, or `granular: {...}`.",
          "never",
        ),
        anyOf: [{ type: "string", enum: ["never", "on-request", "untrusted"] }, { type: "object" }],
      }),
    thread_sandbox: z
      .unknown()
      .optional()
      .register(words, {
        ...about("Sandbox of the agent's commands.", "workspace-write"),
        type: "string",
        enum: ["read-only", "workspace-write", "danger-full-access"],
      }),
    turn_sandbox_policy: z
      .unknown()
      .optional()
      .register(words, {
        ...about(
          "Sandbox in detail: `{type: workspaceWrite, networkAccess: true}`. Without it: as thread_sandbox.",
        ),
        type: "object",
        properties: {
          type: { enum: ["readOnly", "workspaceWrite", "dangerFullAccess", "externalSandbox"] },
        },
      }),
    writable_git: flag()
      .default(true)
      .register(
        words,
        about("Let the agent's commands write the workspace's git directory, so that it can commit.", true),
      ),
    env_pass: names()
      .default([])
      .register(
        words,
        about(
          "Names of environment variables that the agent, its commands and the hooks get besides the usual few, such as `GH_TOKEN`.",
          [],
        ),
      ),
    env_provider: names()
      .default([])
      .register(
        words,
        about(
          "Names of environment variables for Codex itself and not for its commands, such as the provider's key. What `env_key` names in Codex's own config.toml it gets anyway.",
          [],
        ),
      ),
    turn_timeout_ms: milliseconds()
      .default(HOUR_MS)
      .register(
        words,
        about(
          "A turn of which nothing is heard for this long is ended, whatever is under way. How long a whole run may take is `limits.max_run_ms`.",
          HOUR_MS,
        ),
      ),
    read_timeout_ms: milliseconds()
      .default(5_000)
      .register(words, about("Longest wait for Codex's answer to one request.", 5_000)),
    stall_timeout_ms: integer({ min: Number.MIN_SAFE_INTEGER })
      .default(5 * MINUTE_MS)
      .register(
        words,
        about(
          "A turn that is silent for this long, with no command and no call of a tool under way, is ended. It counts from the request on. Zero and less: never.",
          5 * MINUTE_MS,
        ),
      ),
    tool_timeout_ms: milliseconds()
      .default(10 * MINUTE_MS)
      .register(
        words,
        about(
          "A turn that is silent for this long while a tool, an MCP server or another agent is called is ended, unless `stall_timeout_ms` is longer, or switched off.",
          10 * MINUTE_MS,
        ),
      ),
  },
  "The agent: how it is started and what it may do.",
);

const limits = section(
  {
    max_runs_per_issue: integer({ min: 1 })
      .default(15)
      .register(words, about("Runs of one issue until a person releases it.", 15)),
    max_tokens_per_issue: integer({ min: 1 })
      .default(40_000_000)
      .register(words, about("Tokens of one issue until a person releases it.", 40_000_000)),
    max_tokens_per_day: integer({ min: 1 })
      .optional()
      .register(
        words,
        about(
          "Tokens of the whole daemon per day (UTC); then nothing new starts until midnight. None: no limit.",
        ),
      ),
    max_failures: integer({ min: 1 })
      .default(10)
      .register(words, about("Failed runs of an issue in a row until it is parked.", 10)),
    max_idle_runs: integer({ min: 1 })
      .default(3)
      .register(words, about("Runs of an issue in a row that changed nothing until it is parked.", 3)),
    max_run_ms: milliseconds()
      .default(6 * HOUR_MS)
      .register(words, about("Longest time one run may take.", 6 * HOUR_MS)),
  },
  "What an issue may use up before a person has to look.",
);

const approvals = section(
  {
    mode: choice(["auto", "deny", "operator"])
      .optional()
      .register(
        words,
        about(
          "What happens when Codex asks for approval: accept for the session, decline, or wait for a person. Default: `auto` when codex.approval_policy is `never`, else `operator`.",
        ),
      ),
    timeout_ms: milliseconds()
      .default(15 * MINUTE_MS)
      .register(words, about("How long a person has to answer.", 15 * MINUTE_MS)),
    on_timeout: choice(["deny", "park"])
      .default("deny")
      .register(words, about("What happens when nobody answered.", "deny")),
  },
  "Answers to Codex's approval requests.",
);

const questions = section(
  {
    mode: choice(["decline", "operator", "park"])
      .default("decline")
      .register(
        words,
        about(
          "When the agent asks a question: say nobody is there, wait for a person, or park the issue.",
          "decline",
        ),
      ),
  },
  "Answers to the agent's questions.",
);

const ledger = section(
  {
    path: someText()
      .optional()
      .register(
        words,
        about(
          "Database file; paths as in workspace.root. Default: .baton/ledger.db beside the first WORKFLOW.md.",
        ),
      ),
    retention_days: integer({ min: 1 })
      .default(30)
      .register(
        words,
        about("How long history is kept: what happened, step by step. Runs and all that counts stay.", 30),
      ),
  },
  "Where the account of everything is kept.",
);

const server = section(
  {
    port: integer({ min: 0, max: 65_535 })
      .optional()
      .register(words, about("Port of the HTTP server; 0 picks a free one. Without it: no server.")),
    host: someText()
      .default("127.0.0.1")
      .register(words, about("Address the server listens on.", "127.0.0.1")),
    auth: choice(["token", "none"])
      .default("token")
      .register(words, about("Whether requests need the token.", "token")),
  },
  "The HTTP server.",
);

const shutdown = section(
  {
    grace_ms: milliseconds()
      .default(30_000)
      .register(
        words,
        about("Time for turns to be interrupted and hooks to run when the daemon stops.", 30_000),
      ),
  },
  "How the daemon stops.",
);

/** Each section's keys, for the unknown-key check. */
export const sections = {
  tracker,
  polling,
  workspace,
  rescue,
  hooks,
  agent,
  codex,
  limits,
  approvals,
  questions,
  ledger,
  server,
  shutdown,
};

/** Longest `name`: it stands in every log line. */
const NAME_MAX = 80;
const nameError = `must be 1 to ${NAME_MAX} characters on one line`;

/** A section that is not there has its defaults. */
const omissible = <T extends z.ZodObject>(keys: T) =>
  keys.prefault({} as z.input<T>).meta({ ...keys.meta() });

/** The whole front matter. Null values are to be dropped first: an empty key means the default. */
export const frontMatter = z.looseObject({
  name: z
    .string({ error: nameError })
    .regex(/\S/, { error: nameError })
    .regex(/^[^\p{Cc}]*$/u, { error: nameError })
    .max(NAME_MAX, { error: nameError })
    .optional()
    .register(
      words,
      about("The workflow's name in logs, ledger and commands. Default: the file's name without its ending."),
    ),
  tracker: omissible(tracker),
  polling: omissible(polling),
  workspace: omissible(workspace),
  rescue: omissible(rescue),
  hooks: omissible(hooks),
  agent: omissible(agent),
  codex: omissible(codex),
  limits: omissible(limits),
  approvals: omissible(approvals),
  questions: omissible(questions),
  ledger: omissible(ledger),
  server: omissible(server),
  shutdown: omissible(shutdown),
});

export type FrontMatter = z.output<typeof frontMatter>;
