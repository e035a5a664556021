/** What a call of `linear_graphql` asks for: its arguments checked, its one operation found, ids for what it creates. Pure. */
import { z } from "zod";
import { inspect, type Operation } from "./operation.ts";
import { type Sendable, withOwnIds } from "./own-ids.ts";

export interface Call extends Sendable {
  readonly operation: Operation;
}

const input = z.union([
  z.string().transform((query) => ({ query, variables: {} })),
  z.object({
    query: z.string(),
    variables: z
      .record(z.string(), z.unknown())
      .nullish()
      .transform((variables) => variables ?? {}),
  }),
]);

/** The call as it may be sent, or why it may not, in words for the model. `name` tells it from every other call. */
export function callOf(args: unknown, name: string): Call | { readonly problem: string } {
  const parsed = input.safeParse(args);
  if (!parsed.success) {
    return {
      problem:
        'the arguments must be {"query": "one GraphQL operation", "variables": {…}}; variables is an object or absent',
    };
  }
  const { query } = parsed.data;
  if (query.trim() === "") return { problem: "the query is empty" };
  const operation = inspect(query, parsed.data.variables);
  if ("problem" in operation) return operation;
  const sendable = operation.isMutation
    ? withOwnIds(parsed.data, operation.parsed, name)
    : { ...parsed.data, newIds: [] };
  return { ...sendable, operation };
}
