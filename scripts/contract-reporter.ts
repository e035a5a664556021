/**
 * Writes what becomes of each test as soon as it is known, a line of JSON each, to the file that BATON_CONTRACT_REPORT
 * names: of a run that does not come to its end, what came before is known. Vitest's own report is written at the end.
 */
import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import type { Reporter, TestCase, TestModule, TestSuite } from "vitest/node";

export type Line = { readonly type: "passed" | "failed"; readonly name: string } | { readonly type: "end" };

export default class ContractReporter implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const { state } = test.result();
    if (state === "passed" || state === "failed") tell({ type: state, name: test.fullName });
  }

  onTestSuiteResult(suite: TestSuite): void {
    tellErrors(suite, suite.module);
  }

  onTestModuleEnd(module: TestModule): void {
    tellErrors(module, module);
  }

  onTestRunEnd(): void {
    tell({ type: "end" });
  }
}

/** What went wrong outside of a test: in a file's own text, before its tests, or after them. */
function tellErrors(of: TestModule | TestSuite, { moduleId }: TestModule): void {
  // What comes after it are paths and numbers of this run.
  for (const { message } of of.errors())
    tell({ type: "failed", name: `${relative("", moduleId)}: ${/^[^:\n]*/.exec(message)?.[0] ?? ""}` });
}

function tell(line: Line): void {
  const file = process.env["BATON_CONTRACT_REPORT"];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(line)}\n`);
}
