/**
 * Ids for what a mutation creates, chosen before it is sent: they are in the ledger first, so that after a crash anybody
 * can ask Linear whether it was done, and the same call sent twice creates one thing. Pure.
 */
import { createHash } from "node:crypto";
import {
  Kind,
  print,
  visit,
  type DocumentNode,
  type FieldNode,
  type ObjectValueNode,
  type OperationDefinitionNode,
} from "graphql";

/** Mutations whose `input` takes the id of what is created. The contract test holds them against Linear's schema. */
export const creatingFields: ReadonlySet<string> = new Set([
  "agentActivityCreate",
  "attachmentCreate",
  "commentCreate",
  "issueCreate",
  "issueLabelCreate",
  "issueRelationCreate",
  "projectCreate",
]);

/** Things created by one call; a mutation with more of them keeps the ids that Linear gives. */
const IDS_MAX = 20;

type Variables = Readonly<Record<string, unknown>>;

export interface Sendable {
  readonly query: string;
  readonly variables: Variables;
  /** The ids that were chosen, in the order of the document. */
  readonly newIds: readonly string[];
}

/**
 * The same call, with an id for everything that it creates without one. `name`: what tells this call from every other;
 * the same name and call have the same ids.
 */
export function withOwnIds(
  { query, variables }: { readonly query: string; readonly variables: Variables },
  parsed: {
    readonly document: DocumentNode;
    readonly operation: OperationDefinitionNode;
    readonly roots: readonly FieldNode[];
  },
  name: string,
): Sendable {
  const roots = new Set(
    parsed.roots.filter((field) => creatingFields.has(field.name.value)).slice(0, IDS_MAX),
  );
  const seed = JSON.stringify([name, query, variables]);
  const newIds: string[] = [];
  const nextId = (): string => {
    const id = uuid(`${seed} ${newIds.length}`);
    newIds.push(id);
    return id;
  };
  const filled: Record<string, unknown> = {};
  const inVariables = (variable: string): void => {
    const input = variables[variable];
    // Under a variable that two fields share, two things would get one id.
    if (!isWithoutId(input) || uses(parsed.roots, variable) > 1) return;
    filled[variable] = { ...input, id: nextId() };
  };
  const document = visit(parsed.document, {
    Field: (field) => {
      if (!roots.has(field)) return undefined;
      const input = inputOf(field);
      if (input?.kind === Kind.VARIABLE) inVariables(input.name.value);
      return input?.kind === Kind.OBJECT ? withInput(field, input, nextId) : undefined;
    },
  });
  const text = document === parsed.document ? query : print(document);
  return { query: text, variables: { ...variables, ...filled }, newIds };
}

const inputOf = (field: FieldNode) => field.arguments?.find(({ name }) => name.value === "input")?.value;

const uses = (fields: readonly FieldNode[], variable: string): number =>
  fields.filter((field) => {
    const input = inputOf(field);
    return input?.kind === Kind.VARIABLE && input.name.value === variable;
  }).length;

function withInput(field: FieldNode, input: ObjectValueNode, nextId: () => string): FieldNode | undefined {
  if (input.fields.some(({ name }) => name.value === "id")) return undefined;
  const id = {
    kind: Kind.OBJECT_FIELD,
    name: { kind: Kind.NAME, value: "id" },
    value: { kind: Kind.STRING, value: nextId() },
  } as const;
  const whole: ObjectValueNode = { ...input, fields: [id, ...input.fields] };
  const args = (field.arguments ?? []).map((one) => (one.value === input ? { ...one, value: whole } : one));
  return { ...field, arguments: args };
}

const isWithoutId = (input: unknown): input is Readonly<Record<string, unknown>> =>
  typeof input === "object" &&
  input !== null &&
  !Array.isArray(input) &&
  (!("id" in input) || (input.id ?? null) === null);

/** Linear takes version 4 only; the random bits of this one are those of a hash. */
function uuid(seed: string): string {
  const bytes = createHash("sha256").update(seed).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
