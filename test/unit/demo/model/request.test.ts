import { expect, test } from "vitest";
import { parseRequest } from "../../../../src/demo/model/request.ts";

const user = (text: string): unknown => ({
  type: "message",
  role: "user",
  content: [{ type: "input_text", text }],
});
const parse = (input: readonly unknown[], tools: readonly unknown[] = []) =>
  parseRequest({ model: "m", input, tools }, 1, "t");

test("prompts are what a client asked, not what Codex says as the user", () => {
  const { prompts } = parse([
    user("<environment_context>\n<cwd>/w</cwd></environment_context>"),
    user("# AGENTS.md instructions for /w\nbe kind"),
    user("do it"),
    user("<turn_aborted>\nby the user"),
    user("go on"),
  ]);
  expect(prompts).toEqual(["do it", "go on"]);
});

test("an answer is found by its call, as a plain text or in parts", () => {
  const request = parse([
    { type: "function_call", call_id: "a", name: "t", arguments: "{}" },
    { type: "function_call_output", call_id: "a", output: "plain" },
    { type: "custom_tool_call", call_id: "b", name: "apply_patch", input: "*** Begin Patch" },
    {
      type: "custom_tool_call_output",
      call_id: "b",
      output: [{ type: "input_text", text: "in" }, { text: " parts" }],
    },
  ]);
  expect(request.output("a")).toBe("plain");
  expect(request.output("b")).toBe("in parts");
  expect(request.output("c")).toBeNull();
  expect(request.outputs).toEqual(["plain", "in parts"]);
});

test("tools are found wherever they are offered", () => {
  const { tools } = parse(
    [{ type: "additional_tools", tools: [{ name: "functions", tools: [{ name: "exec" }] }] }],
    [{ type: "function", name: "exec_command" }, { type: "web_search" }],
  );
  expect(tools).toEqual(["exec_command", "exec"]);
});

test("an item of an unknown kind is kept by its kind, a malformed one too", () => {
  const { items } = parse([{ type: "reasoning", summary: [] }, { type: "message" }, "text", null]);
  expect(items).toEqual(
    ["reasoning", "message", "unknown", "unknown"].map((kind) => ({ type: "other", kind })),
  );
});

test("what is no Responses request is refused", () => {
  expect(() => parseRequest({ messages: [] }, 1, "t")).toThrow();
});
