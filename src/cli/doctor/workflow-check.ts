/** The workflow file. Its other half is `baton validate`, which shows everything. */
import { type Loaded, promptTrial, triedTemplate } from "../../workflow/workflow.ts";
import { counted } from "../../facts/facts.ts";
import { type Check, fail, type Finding, ok, warn } from "./check.ts";

/** The first few say enough to begin with; `baton validate` shows the rest. */
const LINES_MAX = 5;

/** `loaded` is null when no file was named and there is no ./WORKFLOW.md. */
export const workflowCheck = (loaded: Loaded | null, named: string): Check => ({
  name: "workflow",
  run: async () => {
    if (loaded === null)
      return warn(
        "there is no ./WORKFLOW.md here, so only this machine was looked at",
        "Name one: baton doctor path/to/WORKFLOW.md",
      );
    const tried = loaded.ok ? triedTemplate(loaded, await promptTrial()) : loaded;
    if (tried.ok) return found(tried);
    const lines = tried.error.message.split("\n");
    const more = lines.length > LINES_MAX ? [`and ${lines.length - LINES_MAX} more lines`] : [];
    return fail(
      [...lines.slice(0, LINES_MAX), ...more].join("\n"),
      `\`baton validate ${named}\` shows all of it.`,
      // A key that is not there is this machine's lack, not the file's.
      tried.error.kind === "missing_tracker_secret" ? "prerequisite" : "configuration",
    );
  },
});

function found({ workflow, warnings }: Extract<Loaded, { ok: true }>): Finding {
  return warnings.length === 0
    ? ok(workflow.path)
    : warn(
        `${workflow.path}: ${counted(warnings.length, "warning")}`,
        `\`baton validate ${workflow.path}\` shows them.`,
      );
}
