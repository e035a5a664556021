/**
 * Which ledger a read command means, and how it is opened: read-only, also while a daemon writes. Needs no key and no
 * valid workflow: history must be readable when the configuration is not.
 */
import { fieldsOf } from "../domain/domain.ts";
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import {
  ledgerFile,
  LedgerError,
  type LedgerReader,
  lockState,
  openLedgerReadOnly,
} from "../ledger/ledger.ts";
import { cut, expandPath } from "../workflow/workflow.ts";
import { CliError, EXIT } from "./exit.ts";
import { refuseForbidden } from "./forbidden.ts";

export interface LedgerChoice {
  /** `--ledger` */
  readonly ledger?: string;
  /** `--workflow-file` */
  readonly workflowFile?: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * `--ledger`, else the ledger of `--workflow-file`, else `BATON_LEDGER`, else the ledger of ./WORKFLOW.md. Absolute,
 * and the file itself where that is a link.
 * @throws CliError when the named file is not there, its `ledger.path` needs a variable that is not set, or one of them is
 * not for this user.
 */
export async function ledgerAt(choice: LedgerChoice, env: Env = process.env): Promise<string> {
  const named = await namedBy(choice, env);
  refuseForbidden(named);
  return ledgerFile(named);
}

async function namedBy(choice: LedgerChoice, env: Env): Promise<string> {
  if (choice.ledger !== undefined) return resolve(choice.ledger);
  if (choice.workflowFile !== undefined) return ledgerOf(resolve(choice.workflowFile), true, env);
  const named = env["BATON_LEDGER"] ?? "";
  return named === "" ? ledgerOf(resolve("WORKFLOW.md"), false, env) : resolve(named);
}

async function ledgerOf(file: string, mustExist: boolean, env: Env): Promise<string> {
  if (mustExist && !existsSync(file))
    throw new CliError(EXIT.usage, `There is no ${file}. Name the WORKFLOW.md of the daemon you mean.`);
  const written = await writtenPath(file);
  if (written === null) return join(dirname(file), ".baton", "ledger.db");
  const expanded = expandPath(written, { env, home: homedir(), file });
  if ("path" in expanded) return expanded.path;
  throw new CliError(
    EXIT.configuration,
    `${file}: ledger.path: "${written}" needs $${expanded.unset}, which is not set. Set it, or name the ledger with --ledger.`,
  );
}

/** `ledger.path` as it stands in the file; null when there is none, or the file cannot be understood. */
async function writtenPath(file: string): Promise<string | null> {
  const path = fieldsOf(await ledgerSection(file))["path"];
  return typeof path === "string" && path.trim() !== "" ? path : null;
}

/** The schema's default for `ledger.retention_days`. */
const RETENTION_DAYS_DEFAULT = 30;

/** `ledger.retention_days` of the WORKFLOW.md that this choice means, else its default. */
export async function retentionDaysOf({ ledger, workflowFile }: LedgerChoice): Promise<number> {
  if (ledger !== undefined) return RETENTION_DAYS_DEFAULT;
  const days = fieldsOf(await ledgerSection(resolve(workflowFile ?? "WORKFLOW.md")))["retention_days"];
  return typeof days === "number" && Number.isInteger(days) && days > 0 ? days : RETENTION_DAYS_DEFAULT;
}

async function ledgerSection(file: string): Promise<unknown> {
  const front = frontMatterOf(file);
  // Most files leave it alone, and parsing YAML takes longer than everything else here.
  if (front === null || !front.includes("ledger")) return null;
  const { parse } = await import("yaml");
  try {
    const config: unknown = parse(front);
    return fieldsOf(config)["ledger"];
  } catch {
    return null;
  }
}

function frontMatterOf(file: string): string | null {
  refuseForbidden(file);
  try {
    return cut(readFileSync(file, "utf8"))?.yaml ?? null;
  } catch {
    return null;
  }
}

/** Does `work`, with the ledger's errors as a person's. @throws CliError */
export async function aboutLedger<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LedgerError) throw new CliError(EXIT.failure, `${error.message}\n${error.hint}`);
    throw error;
  }
}

/** Asks the ledger and closes it. @throws CliError with what to do when it cannot be read. */
export async function askLedger<T>(path: string, ask: (ledger: LedgerReader) => T): Promise<T> {
  return aboutLedger(() => {
    const ledger = openLedgerReadOnly(path);
    try {
      return ask(ledger);
    } finally {
      ledger.close();
    }
  });
}

/** Whether a daemon has the ledger at this path: without one, nothing that it says is running runs. @throws CliError */
export const isLedgerServed = async (path: string): Promise<boolean> =>
  (await aboutLedger(() => lockState(path))).held;
