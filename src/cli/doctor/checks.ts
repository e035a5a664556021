/** The list of checks, in the order they are shown. */
import type { Check } from "./check.ts";
import { codexCheck, codexHomeCheck, loginCheck, needsCheck, withCodex } from "./codex-checks.ts";
import { ledgerCheck, stateDirectoryCheck, workspaceRootCheck } from "./disk-checks.ts";
import { bashCheck, gitCheck, loginShellCheck, nodeCheck, processesCheck } from "./program-checks.ts";
import { sandboxCheck } from "./sandbox-check.ts";
import type { Subject } from "./subject.ts";
import { trackerChecks } from "./tracker-checks.ts";

/** Everything but the workflow file itself, which is loaded before there is a subject. */
export const checksOf = (subject: Subject): readonly Check[] => [
  nodeCheck,
  gitCheck(subject),
  bashCheck(subject),
  loginShellCheck(subject),
  processesCheck(),
  codexCheck(subject),
  withCodex(subject, needsCheck(subject)),
  codexHomeCheck(subject),
  withCodex(subject, loginCheck(subject)),
  withCodex(subject, sandboxCheck(subject)),
  ...trackerChecks(subject),
  ledgerCheck(subject),
  stateDirectoryCheck(subject),
  workspaceRootCheck(subject),
];
