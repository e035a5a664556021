/**
 * The workflows that a ticket is asked about, by their files as they are now; of a file that cannot be used, by the text
 * that was last in force, as the daemon goes on with it.
 */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { instant, type Workflow } from "../domain/domain.ts";
import { lastHolder, type LedgerReader, type WorkflowText } from "../ledger/ledger.ts";
import { type Loaded, loadWorkflow, parseWorkflow } from "../workflow/workflow.ts";
import { askLedger, type LedgerChoice } from "./ledger-at.ts";

export interface Found {
  readonly workflow: Workflow;
  /** False: a key or another variable is not set here. */
  readonly canAsk: boolean;
  /** Why the file cannot be used as it is: the workflow is the one that was good last. Null = it can. */
  readonly broken: string | null;
}

/** What keeps any of them from being asked is added to `notAsked`. @throws CliError when the ledger cannot be read */
export async function filesOf(
  ledger: string,
  choice: LedgerChoice,
  notAsked: string[],
): Promise<readonly Found[]> {
  const paths = await pathsOf(ledger, choice);
  if (paths.length === 0)
    notAsked.push(
      "The tracker was not asked: no daemon has named its workflows here, and there is no WORKFLOW.md. Run this where the WORKFLOW.md is.",
    );
  const found = await Promise.all(paths.map((path) => fileAt(path, ledger, notAsked)));
  return found.filter((one) => one !== null);
}

/** The file that was named, else those of the daemon that has or had the ledger, else the usual one. */
async function pathsOf(ledger: string, { workflowFile }: LedgerChoice): Promise<readonly string[]> {
  if (workflowFile !== undefined) return [resolve(workflowFile)];
  const last = lastHolder(ledger)?.workflows ?? [];
  if (last.length > 0) return last;
  const usual = resolve("WORKFLOW.md");
  return existsSync(usual) || (await lastText(ledger, usual)) !== null ? [usual] : [];
}

async function fileAt(path: string, ledger: string, notAsked: string[]): Promise<Found | null> {
  const home = homedir();
  const now = loadWorkflow(path, process.env, home);
  if (now.ok) return { workflow: now.workflow, canAsk: true, broken: null };
  // Its policy needs no key: variables that are not set here are stood in for, and nothing is asked with them.
  const without = loadWorkflow(path, standIns, home);
  if (without.ok) {
    notAsked.push(`The tracker was not asked. ${now.error.message}`);
    return { workflow: without.workflow, canAsk: false, broken: null };
  }
  const broken = now.error.message;
  const kept = await lastText(ledger, path);
  const last = kept === null ? null : lastGood(kept, path, notAsked);
  if (last === null) notAsked.push(`The tracker was not asked. ${broken}`);
  return last === null ? null : { ...last, broken };
}

/** A value for each variable that is not set; a file that would hold one is not looked for. */
const standIns = new Proxy(process.env, {
  get: (env, name) => (String(name).endsWith("_FILE") ? undefined : env[String(name)] || "not-set"),
});

/** As it was in force; null when this version cannot read it. */
function lastGood(
  { text, hash }: WorkflowText,
  path: string,
  notAsked: string[],
): Omit<Found, "broken"> | null {
  const read = (env: typeof process.env): Loaded => parseWorkflow(text, path, env, homedir());
  const now = read(process.env);
  if (now.ok && now.workflow.hash === hash) return { workflow: now.workflow, canAsk: true };
  const without = now.ok ? now : read(standIns);
  if (!without.ok) return null;
  const why = now.ok
    ? `A secret stood in the last good version of ${path}, and is not kept with it.`
    : now.error.message;
  notAsked.push(`The tracker was not asked. ${why}`);
  return { workflow: without.workflow, canAsk: false };
}

/** Of what happened apart from runs, the latest that is looked through for what was loaded last. */
const ROWS_MAX = 2_000;

/** The text of this file that was in force last; null = none is kept. */
const lastText = (ledger: string, path: string): Promise<WorkflowText | null> =>
  askLedger(ledger, (reader) => reader.workflowText(path, lastLoaded(reader, path)));

function lastLoaded(reader: LedgerReader, path: string): string | null {
  const row = reader
    .lately(instant(0), ROWS_MAX)
    .findLast(({ fact }) => fact.type === "workflow_loaded" && fact.path === path);
  return row?.fact.type === "workflow_loaded" ? row.fact.hash : null;
}
