import { expect, test } from "vitest";
import { WorkspaceError } from "../../../src/workspace/port.ts";

test("an error without a hint or a hook's output has none: whoever shows it finds null, never undefined", () => {
  expect(new WorkspaceError("workspace_error", "no")).toMatchObject({ hint: null, output: null });
  const cause = new Error("why");
  const whole = new WorkspaceError("hook_failed", "no", { hint: "look", output: "oh", cause });
  expect(whole).toMatchObject({ kind: "hook_failed", message: "no", hint: "look", output: "oh", cause });
});

test("an empty output of a hook is an output", () => {
  expect(new WorkspaceError("hook_failed", "no", { output: "" }).output).toBe("");
});
