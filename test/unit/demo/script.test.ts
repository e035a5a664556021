import { expect, test } from "vitest";
import { parseRequest } from "../../../src/demo/model/request.ts";
import { demoScript } from "../../../src/demo/script.ts";
import { agentLabel, tickets } from "../../../src/demo/tickets.ts";

const asked = (prompt: string) =>
  parseRequest({ model: "m", input: [{ type: "message", role: "user", content: prompt }] }, 1, "t");

test("every ticket that is for the agent has work to do, the others are refused", () => {
  const { script } = demoScript();
  for (const { title, label } of tickets) {
    const [first] = script(asked(`The ticket: ${title}`));
    expect([title, first?.do === "refuse"]).toEqual([title, label !== agentLabel]);
  }
});
