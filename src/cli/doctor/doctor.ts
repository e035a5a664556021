/** `baton doctor`: whether this machine and this workflow can work, and what to do where they cannot. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { type Loaded, loadWorkflow } from "../../workflow/workflow.ts";
import { type Output, paintFor } from "../../terminal/terminal.ts";
import { examine, type Examined } from "./check.ts";
import { checksOf } from "./checks.ts";
import { doctorView, findingText, verdict } from "./doctor-view.ts";
import { workflowCheck } from "./workflow-check.ts";
import { EXIT, type ExitCode } from "../exit.ts";

export interface DoctorOptions {
  readonly json?: boolean;
}

/** 0 when nothing failed, 5 when this machine lacks something, 3 when only the workflow file is to blame. */
export async function doctor(
  path: string | undefined,
  options: DoctorOptions,
  output: Output,
): Promise<ExitCode> {
  const { env } = process;
  const home = homedir();
  const loaded: Loaded | null =
    path === undefined && !existsSync("WORKFLOW.md") ? null : loadWorkflow(path ?? "WORKFLOW.md", env, home);
  const workflow = loaded?.ok === true ? loaded.workflow : null;
  const checks = [
    workflowCheck(loaded, path ?? "WORKFLOW.md"),
    ...checksOf({ env, home, now: () => Date.now(), workflow }),
  ];
  const running = examine(checks);
  if (options.json !== true) await tell(running, output);
  const found = await Promise.all(running);
  output.out(options.json === true ? JSON.stringify(doctorView(found), null, 2) : `\n${verdict(found)}`);
  return exitOf(found);
}

/** Line by line in the order of the list, each as soon as it and those before it are known. */
async function tell(running: readonly Promise<Examined>[], output: Output): Promise<void> {
  const paint = paintFor(output);
  const columns = output.isTerminal ? output.columns : null;
  for (const one of running) output.out(findingText(await one, columns, paint));
}

function exitOf(found: readonly Examined[]): ExitCode {
  const failed = found.filter(({ status }) => status === "fail");
  if (failed.some(({ blames }) => blames === "prerequisite")) return EXIT.prerequisite;
  return failed.length > 0 ? EXIT.configuration : EXIT.ok;
}
