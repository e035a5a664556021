/** The workflow files that openai/symphony published: same keys and values, same template constructs, our own words. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { renderPrompt, sampleIssue } from "../../../src/workflow/workflow.ts";
import { settingsOf, warningsOf, workflowOf } from "./parsing.ts";

const published = (name: string): string =>
  readFileSync(path.join(import.meta.dirname, "fixtures", `${name}.md`), "utf8");

describe("openai/symphony's own workflow files load and render", () => {
  test("the early one, warning only of the server that this version has not", async () => {
    const text = published("published-early");
    expect(warningsOf(text)).toEqual([
      "/repo/WORKFLOW.md:19:9: server.port: This version has no server: nothing listens.",
    ]);
    const settings = settingsOf(text);
    expect(settings.tracker.projectSlug).toBe("symphony-0c79b11b75ea");
    expect(settings.tracker.activeStates).toEqual(["Todo", "In Progress", "Merging", "Rework"]);
    expect(settings.workspace.root).toBe("/home/ann/code/symphony-workspaces");
    expect(settings.server.port).toBe(4114);
    expect(settings.codex.command).toContain("--model gpt-5.3-codex app-server");
    expect(settings.hooks.afterCreate).toContain("git clone --depth 1");
    expect(await renderPrompt(workflowOf(text), sampleIssue, null)).toContain("1\\. Step");
  });

  test("the late one, warning only of the key that is not ours", async () => {
    const text = published("published-late");
    expect(warningsOf(text)).toEqual([
      "/repo/WORKFLOW.md:50:3: codex.attach_worktree_owner: belongs to another program that reads WORKFLOW.md; ignored here.",
    ]);
    expect(settingsOf(text).codex).toMatchObject({
      model: "gpt-5.5",
      reasoningEffort: "xhigh",
      serviceTier: "fast",
      approvalPolicy: "never",
      threadSandbox: "danger-full-access",
      turnSandboxPolicy: { type: "dangerFullAccess" },
      readTimeoutMs: 60_000,
    });
    const prompt = await renderPrompt(workflowOf(text), sampleIssue, 2);
    expect(prompt).toContain("Attempt #2");
    expect(prompt).toContain("Labels: bug, export");
  });
});
