/** One GraphQL request against the board, from text to response body; the HTTP around it is board.ts. */
import {
  buildSchema,
  execute,
  GraphQLError,
  parse,
  validate,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
} from "graphql";
import { complexityOf } from "../../tracker/tracker.ts";
import { boardSdl } from "./sdl.ts";
import { BoardError } from "./store.ts";

/** Linear refuses any query above this, whatever the budget. */
const COMPLEXITY_MAX = 10_000;

/** Checked documents that are kept: a daemon sends eight, an agent a few dozen. */
const CHECKED_MAX = 200;

export interface Executed {
  readonly status: number;
  readonly body: unknown;
  readonly complexity: number;
}

export interface BoardRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | null;
}

export class Executor {
  readonly #schema: GraphQLSchema = buildSchema(boardSdl);
  readonly #root: object;
  readonly #checked = new Map<string, DocumentNode | readonly GraphQLError[]>();

  constructor(root: object) {
    this.#root = root;
  }

  /** Never throws: what the client did wrong is in the body, with the status Linear gives. */
  async run({ query, variables, operationName }: BoardRequest): Promise<Executed> {
    const document = this.#check(query);
    if (!("kind" in document)) return refusal(document);
    const complexity = complexityOf(document, variables);
    if (complexity > COMPLEXITY_MAX) {
      return refusal([
        new GraphQLError(`Query too complex: ${complexity} points, at most ${COMPLEXITY_MAX}`),
      ]);
    }
    const result = await execute({
      schema: this.#schema,
      document,
      rootValue: this.#root,
      variableValues: variables,
      operationName,
    });
    // Without data the request itself was wrong, variables included; with it, only a part has failed.
    return { status: result.data === undefined ? 400 : 200, body: shown(result), complexity };
  }

  #check(query: string): DocumentNode | readonly GraphQLError[] {
    const known = this.#checked.get(query);
    if (known !== undefined) return known;
    const checked = checkedDocument(this.#schema, query);
    if (this.#checked.size >= CHECKED_MAX) this.#checked.clear();
    this.#checked.set(query, checked);
    return checked;
  }
}

function checkedDocument(schema: GraphQLSchema, query: string): DocumentNode | readonly GraphQLError[] {
  try {
    const document = parse(query, { maxTokens: 10_000 });
    const errors = validate(schema, document);
    return errors.length > 0 ? errors : document;
  } catch (error) {
    if (error instanceof GraphQLError) return [error];
    throw error;
  }
}

const refusal = (errors: readonly GraphQLError[]): Executed => ({
  status: 400,
  body: {
    errors: errors.map((error) => ({
      ...error.toJSON(),
      extensions: { type: "graphql error", code: "GRAPHQL_VALIDATION_FAILED", userError: true },
    })),
  },
  complexity: 0,
});

const shown = ({ data, errors }: ExecutionResult): unknown => ({
  ...(data === undefined ? {} : { data }),
  ...(errors === undefined ? {} : { errors: errors.map(shownError) }),
});

const shownError = (error: GraphQLError): unknown =>
  error.originalError instanceof BoardError
    ? {
        ...error.toJSON(),
        extensions: {
          type: "invalid input",
          code: "INPUT_ERROR",
          userError: true,
          userPresentableMessage: error.message,
        },
      }
    : error.toJSON();
