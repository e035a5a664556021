import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parseRequest } from "../../../src/demo/model/request.ts";
import type { ModelRequest } from "../../../src/demo/model/request.ts";
import { blockerIn, branchIn, commitIn, issueIdIn, stateIdIn } from "../../../src/demo/prompt.ts";
import { demoWorkflow, withoutSandbox } from "../../../src/demo/world.ts";
import { issueId } from "../../../src/domain/issue.ts";
import type { Issue } from "../../../src/domain/issue.ts";
import { WorkflowFile, renderPrompt } from "../../../src/workflow/workflow.ts";

const file = new WorkflowFile(
  fileURLToPath(demoWorkflow),
  { LINEAR_API_KEY: "demo-key", BATON_DEMO_BOARD: "http://127.0.0.1:4000/graphql" },
  homedir(),
);

const issue: Issue = {
  id: issueId("6dd1a20c-4e5b-4a06-9f7c-0a8e3a9d5d11"),
  identifier: "DEMO-4",
  title: "Greet in French",
  description: "It should print `Bonjour`.",
  state: "Todo",
  priority: 2,
  createdAt: null,
  updatedAt: null,
  dispatchable: true,
  labels: ["agent"],
  nativeRef: null,
  assigneeId: null,
  branchName: null,
  url: null,
  blockedBy: [{ id: "b", identifier: "DEMO-3", state: "Done" }],
};

const request = async (of: Issue, ...outputs: readonly string[]): Promise<ModelRequest> => {
  const prompt = await renderPrompt(file.current(), of, null);
  const answers = outputs.map((output, n) => ({ type: "function_call_output", call_id: `c${n}`, output }));
  const input = [{ type: "message", role: "user", content: prompt }, ...answers];
  return parseRequest({ model: "scripted", input }, 1, "thread");
};

test("the demo's WORKFLOW.md is valid with a key and a board, and has nothing to warn of", () => {
  expect(file.loaded()).toMatchObject({ ok: true, warnings: [] });
});

test("where there is no sandbox, the copy says so and changes nothing else", () => {
  const text = readFileSync(demoWorkflow, "utf8");
  const changed = withoutSandbox(text).split("\n");
  const before = text.split("\n");
  expect(changed.filter((line, n) => line !== before[n])).toEqual([
    expect.stringMatching(/^  thread_sandbox: danger-full-access #/),
  ]);
});

test("its prompt says everything that the scripted agent needs to know", async () => {
  const seen = await request(issue, "[agent/DEMO-4 3f2a1bc] Greet in French\n 2 files changed");
  expect(issueIdIn(seen)).toBe(issue.id);
  expect(branchIn(seen)).toBe("agent/DEMO-4");
  expect(blockerIn(seen)).toBe("DEMO-3");
  expect(commitIn(seen)).toBe("3f2a1bc");
});

test("an agent that was not told something says what, and invents nothing", async () => {
  const seen = await request({ ...issue, blockedBy: [] });
  expect(() => blockerIn(seen)).toThrow("no blocking ticket in the prompt");
  expect(() => commitIn(seen)).toThrow("no commit in what git said");
  expect(() => stateIdIn(seen, "Done")).toThrow('no answer so far names a state "Done"');
});

test("states are found in the answer that lists them", async () => {
  const team = {
    states: {
      nodes: [
        { id: "s1", name: "Todo" },
        { id: "s2", name: "Done" },
      ],
    },
  };
  const seen = await request(issue, "no JSON", JSON.stringify({ data: { issue: { id: "i", team } } }));
  expect(stateIdIn(seen, "Done")).toBe("s2");
});
