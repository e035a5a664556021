import { expect, test } from "vitest";
import { BoardStore } from "../../../src/demo/board/store.ts";
import { agentLabel, fill, type Ticket, tickets } from "../../../src/demo/tickets.ts";

test("the board has the tickets in their order, and knows who waits for whom", () => {
  const store = new BoardStore({}, () => new Date(0));
  const issues = fill(store);
  expect(issues.map(({ title }) => title)).toEqual(tickets.map(({ title }) => title));
  const waits = [...store.relations.values()].map(({ type, issueId, relatedIssueId }) => [
    store.issue(issueId).title,
    type,
    store.issue(relatedIssueId).title,
  ]);
  const wanted = (tickets as readonly Ticket[]).flatMap(({ title, after }) =>
    after === undefined ? [] : [[after, "blocks", title]],
  );
  expect(wanted).toHaveLength(1);
  expect(waits).toEqual(wanted);
});

test("four are for the agent, and two carry other labels", () => {
  expect(tickets.filter(({ label }) => label === agentLabel)).toHaveLength(4);
  expect(tickets.filter(({ label }) => label !== agentLabel)).toHaveLength(2);
});
