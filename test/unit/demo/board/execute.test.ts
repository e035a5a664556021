import { expect, test } from "vitest";
import { Executor } from "../../../../src/demo/board/execute.ts";
import { BoardError } from "../../../../src/demo/board/store.ts";

const executor = new Executor({
  viewer: () => ({ id: "u1", name: "Ada" }),
  issue: () => {
    throw new BoardError("Entity not found: Issue");
  },
});
const run = (query: string) => executor.run({ query, variables: {}, operationName: null });

test("what is asked for is answered, with what it cost", async () => {
  const { status, body, complexity } = await run("{ viewer { name } }");
  expect(status).toBe(200);
  expect(body).toEqual({ data: { viewer: { name: "Ada" } } });
  expect(complexity).toBeGreaterThan(0);
});

test("what is no query, or of no such schema, is refused with Linear's code and costs nothing", async () => {
  for (const query of ["{ viewer {", "{ nobody }"]) {
    const { status, body, complexity } = await run(query);
    expect(status).toBe(400);
    expect(body).toMatchObject({ errors: [{ extensions: { code: "GRAPHQL_VALIDATION_FAILED" } }] });
    expect(complexity).toBe(0);
  }
});

test("a query above the most that Linear takes is refused before it is run", async () => {
  const { status, body } = await run(
    "{ issues(first: 250) { nodes { id labels(first: 250) { nodes { id } } } } }",
  );
  expect(status).toBe(400);
  expect(JSON.stringify(body)).toContain("Query too complex");
});

test("an error of the board is the client's, with words for a person", async () => {
  const { body } = await run('{ issue(id: "DEMO-9") { id } }');
  expect(body).toMatchObject({
    errors: [{ extensions: { code: "INPUT_ERROR", userPresentableMessage: "Entity not found: Issue" } }],
  });
});
