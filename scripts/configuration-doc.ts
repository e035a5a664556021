/**
 * Writes docs/CONFIGURATION.md from the schema that WORKFLOW.md files are checked with, so that the two cannot part.
 * `npm run configuration` writes it; a test fails when it is not current.
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { hookVariables, trackerPrefixes, usualVariables } from "../src/domain/domain.ts";
import { jsonSchema } from "../src/workflow/workflow.ts";

interface Node {
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Node>>;
}

export const configurationPath = fileURLToPath(new URL("../docs/CONFIGURATION.md", import.meta.url));

const INTRO = `# Configuration

Everything is in one file, \`WORKFLOW.md\`: YAML between two lines of \`---\`, then the prompt. Keys that Baton does not
know are ignored, with a warning. A change counts for what comes after it: runs under way keep what they started with. A
file that cannot be used keeps the last good one in force and stops new runs until it is mended.

Point your editor at the schema (\`baton schema > workflow.schema.json\`) to complete and check keys while you type, and
read the prompt that a workflow makes with \`baton validate\`.

\`$NAME\` stands for the environment variable NAME, or for the content of the file that NAME_FILE names. Paths may begin
with \`~\`, and are relative to the file. In a list (labels, states, names of variables) no variable stands for anything. Aliases and merge keys of YAML (\`<<: *base\`) count as if what they name stood there.

| key | default | meaning |
|---|---|---|
`;

const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");

const OUTRO = `
## Who sees which environment variable

Of the environment that Baton was started with, nobody gets what is not listed here. What holds a tracker's key is left
out whatever it is called.

| variable | the hooks | Codex itself | the commands it runs |
|---|---|---|---|
| ${code([...usualVariables, "LC_*"])} | yes | yes | yes |
| ${code([...hookVariables, "GIT_CONFIG_KEY_<n>", "GIT_CONFIG_VALUE_<n>"])} | yes | no | no |
| what \`codex.env_pass\` names | yes | yes | yes |
| what \`codex.env_provider\` names, and what \`env_key\` names in Codex's own config.toml | no | yes | no |
| what \`codex.command\` names (\`$NAME\`, \`\${NAME}\`) | no | yes | no |
| what a hook's script names in the same way | that hook | no | no |
| ${code(trackerPrefixes.map((prefix) => `${prefix}*`))} | no | no | no |
| \`RUST_LOG\` | when named | no | no |
| \`BATON_RUN\`, by which processes are found | yes | yes | yes |
| \`BATON_AGENT\`, by which an agent's processes are told from those of hooks | no | yes | yes |
| \`BATON_HOOK\`, \`BATON_ISSUE_ID\`, \`BATON_ISSUE_IDENTIFIER\`, \`BATON_RUN_ID\`, \`BATON_WORKSPACE\` | yes | no | no |

Where several rows speak of a variable, "yes" counts, with two exceptions: \`RUST_LOG\` never reaches Codex, and what is
Codex's alone as its provider's key no command gets. A variable that a script names and that is not set is a warning when the file is loaded; one that holds the
tracker's key is an error. \`config.toml\` is read in \`CODEX_HOME\`, or in \`~/.codex\`; where \`codex.command\` itself sets
another home, name the provider's key in \`codex.env_provider\`. What the login profile exports is added by the shells
that read it; of that, commands see no name with KEY, SECRET or TOKEN in it, unless their own shell reads the profile again
(\`allow_login_shell\`). Codex's own \`[shell_environment_policy]\` goes on to count for what \`codex.env_pass\` does not name.

## The prompt

The text after the front matter is a Liquid template. It is strict: an unknown variable or filter fails the run, and
\`baton validate\` shows it first. The template is tried when the file is loaded, as on a first run and as on a later one: one that
fails there makes the file one that cannot be used. What fails only for some tickets (\`{{ issue.labels.first }}\` for those without
labels), or in a branch that was not tried, is a warning; it fails the runs of those tickets alone. Where the template makes nothing but blanks,
which is a warning too, or there is none, Baton's own prompt is sent: the ticket's identifier, title, state, address and description, and to do
what it asks. Variables: \`issue\` (\`id\`, \`identifier\`, \`title\`, \`description\`, \`priority\`,
\`state\`, \`branch_name\`, \`url\`, \`assignee_id\`, \`labels\`, \`blocked_by\`, \`created_at\`, \`updated_at\`, \`dispatchable\`,
\`native_ref\`, which holds the ids that the tracker's own tools take) and
\`attempt\` (nothing on the first run, then a number). A turn on a thread that has this prompt already gets a short guidance to
go on instead. The prompt comes again, as it is now and with a word on why, when its text has changed since (an edited
ticket, a reloaded file, a state that somebody else has set; not the attempt, nor where the agent itself moved the ticket),
and at the start of a run that is no plain continuation: the ticket was given back, released, or the last run failed.
\`baton show r7 --told\` prints what each turn was given.

## Limits

An issue that has used up \`max_runs_per_issue\`, \`max_tokens_per_issue\`, \`max_failures\` or \`max_idle_runs\` is
parked: nothing but a person takes it up again, by moving it to another state, by taking a required label off and putting
it on again, or with \`baton release\`. At four fifths of its tokens the agent is asked to commit and come to an end; at
all of them its turn is interrupted. \`max_tokens_per_day\` counts for the whole daemon; when several workflows set it,
the smallest one does. A missing slot, a hold, a pause, a drain and our own restarts cost an issue no attempt.

\`server.*\` is read and checked for workflows that set it elsewhere; this version has no server.
`;

/** The whole page. */
export function configurationPage(): string {
  // The schema is our own and has this form; a wrong guess would show as an empty table, which the test refuses.
  return INTRO + rows("", jsonSchema()).join("\n") + "\n" + OUTRO;
}

const rows = (path: string, node: Node): readonly string[] =>
  Object.entries(node.properties ?? {}).flatMap(([name, child]) => {
    const key = path === "" ? name : `${path}.${name}`;
    // The nested form of the Linear keys says nothing new.
    if (key === "tracker.provider") return [row(key, child)];
    return child.properties === undefined ? [row(key, child)] : rows(key, child);
  });

const row = (key: string, { description = "", default: value }: Node): string =>
  `| \`${key}\` | ${shown(value)} | ${description.replaceAll("|", "\\|")} |`;

function shown(value: unknown): string {
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return "";
  if (typeof value === "object" && Object.keys(value).length === 0) return "";
  const text = Array.isArray(value)
    ? value.join(", ")
    : typeof value === "string"
      ? value
      : JSON.stringify(value);
  return `\`${text}\``;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(configurationPath, configurationPage());
