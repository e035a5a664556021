/** Looking into a GraphQL document before it is sent: exactly one operation, and what it is about. Pure. */
import {
  GraphQLError,
  Kind,
  OperationTypeNode,
  parse,
  visit,
  type DocumentNode,
  type FieldNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from "graphql";
import { complexityOf } from "./complexity.ts";

type Variables = Readonly<Record<string, unknown>>;

/** A document beyond this is no question about a ticket; graphql-js would take seconds for the worst of them. */
const TOKENS_MAX = 10_000;
const CHARACTERS_MAX = 200_000;

/** Kept per call in the account of the run. */
const FIELDS_MAX = 20;
const IDS_MAX = 20;

/** Values looked at for ids, and how deep: variables come from the model and may have any size. */
const VALUES_MAX = 2_000;
const DEPTH_MAX = 16;

export interface Operation {
  /** Its name, or `query`/`mutation` when it has none. */
  readonly name: string;
  readonly rootFields: readonly string[];
  readonly ids: readonly string[];
  readonly complexity: number;
  readonly isMutation: boolean;
  readonly parsed: Parsed;
}

/** The document with its one operation, and the fields at the operation's root, those of fragments included. */
interface Parsed {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly roots: readonly FieldNode[];
}

/** The one operation of this document, or why there is not exactly one, in words for the model. */
export function inspect(text: string, variables: Variables): Operation | { readonly problem: string } {
  if (text.length > CHARACTERS_MAX)
    return { problem: `the query is longer than ${CHARACTERS_MAX} characters` };
  const document = parsed(text);
  if (typeof document === "string") return { problem: `the query cannot be parsed: ${document}` };
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const [operation] = operations;
  if (operation === undefined)
    return { problem: "the query holds no operation, only fragments or definitions" };
  if (operations.length > 1) {
    const names = operations.map((one) => one.name?.value ?? "unnamed").slice(0, FIELDS_MAX);
    return {
      problem: `the query holds ${operations.length} operations (${names.join(", ")}). Send one per call, without the others`,
    };
  }
  if (operation.operation === OperationTypeNode.SUBSCRIPTION)
    return { problem: "subscriptions cannot be sent over HTTP" };
  const roots = rootFields(document, operation);
  return {
    name: operation.name?.value ?? operation.operation,
    rootFields: [...new Set(roots.map((field) => field.name.value))].slice(0, FIELDS_MAX),
    ids: idsIn(document, variables),
    complexity: complexityOf(document, variables),
    isMutation: operation.operation === OperationTypeNode.MUTATION,
    parsed: { document, operation, roots },
  };
}

function parsed(text: string): DocumentNode | string {
  try {
    return parse(text, { maxTokens: TOKENS_MAX, noLocation: true });
  } catch (error) {
    if (error instanceof RangeError) return "it is nested too deeply";
    if (!(error instanceof GraphQLError)) throw error;
    const [at] = error.locations ?? [];
    return at === undefined ? error.message : `${error.message} (line ${at.line}, column ${at.column})`;
  }
}

function rootFields(document: DocumentNode, operation: OperationDefinitionNode): readonly FieldNode[] {
  const fields: FieldNode[] = [];
  const entered = new Set<string>();
  const collect = (set: SelectionSetNode): void => {
    for (const node of set.selections) {
      if (node.kind === Kind.FIELD) fields.push(node);
      else if (node.kind === Kind.INLINE_FRAGMENT) collect(node.selectionSet);
      else if (!entered.has(node.name.value)) {
        entered.add(node.name.value);
        const fragment = fragmentOf(document, node.name.value);
        if (fragment !== null) collect(fragment);
      }
    }
  };
  collect(operation.selectionSet);
  return fields;
}

function fragmentOf(document: DocumentNode, name: string): SelectionSetNode | null {
  for (const node of document.definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION && node.name.value === name) return node.selectionSet;
  }
  return null;
}

const idLike = /^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[A-Z][A-Z0-9]{0,9}-\d{1,9})$/i;

/** What is shaped like an id or an identifier, in the variables and in the document's own strings. */
function idsIn(document: DocumentNode, variables: Variables): readonly string[] {
  const ids = new Set<string>();
  let looked = 0;
  const look = (value: unknown, depth: number): void => {
    if (ids.size >= IDS_MAX || depth > DEPTH_MAX || ++looked > VALUES_MAX) return;
    if (typeof value === "string" && idLike.test(value)) ids.add(value);
    else if (typeof value === "object" && value !== null) {
      for (const part of Object.values(value)) look(part, depth + 1);
    }
  };
  look(variables, 0);
  visit(document, { StringValue: (node) => look(node.value, 0) });
  return [...ids];
}
