/**
 * Checks the board's part of Linear's schema, and every document that Baton sends or shows, against Linear's whole schema.
 *
 *   node scripts/check-linear-schema.ts [SCHEMA.graphql]
 *
 * Exit 0 when all agree, or when no path is given and no schema at hand; 1 with one line per difference.
 */
import { existsSync, readFileSync } from "node:fs";
import {
  buildSchema,
  GraphQLEnumType,
  GraphQLInputObjectType,
  GraphQLInterfaceType,
  GraphQLObjectType,
  GraphQLScalarType,
  isRequiredArgument,
  isRequiredInputField,
  parse,
  validate,
  type GraphQLNamedType,
  type GraphQLSchema,
} from "graphql";
import { boardSdl } from "../src/demo/board/sdl.ts";
import { documents } from "../src/tracker/linear/documents.ts";
import { linearGraphqlExamples } from "../src/tracker/linear/graphql-tool.ts";

/** Where the schema is looked for when no path is given; it is 1.2 MB and not ours, so it is not in the repository. */
const usualPath = new URL("../../shared/linear/schema.graphql", import.meta.url);

/** Linear's schema, or null when there is no such file. */
export function linearSchema(path: string | URL = usualPath): GraphQLSchema | null {
  // Its own rules are Linear's business, and checking them would take most of the time.
  return existsSync(path) ? buildSchema(readFileSync(path, "utf8"), { assumeValid: true }) : null;
}

/** Every document that leaves the program, by name. */
export const sentDocuments: Readonly<Record<string, string>> = { ...documents, ...linearGraphqlExamples };

/** One line per document and mistake. */
export const documentProblems = (
  schema: GraphQLSchema,
  sent: Readonly<Record<string, string>>,
): readonly string[] =>
  Object.entries(sent).flatMap(([name, text]) =>
    validate(schema, parse(text)).map((error) => `document ${name}: ${error.message}`),
  );

/** One line per name or type of `part` that `whole` does not have, or has otherwise. */
export const schemaProblems = (part: GraphQLSchema, whole: GraphQLSchema): readonly string[] =>
  Object.values(part.getTypeMap())
    .filter((type) => !type.name.startsWith("__"))
    .flatMap((type) => typeProblems(type, whole.getType(type.name)));

export const boardSchema = (): GraphQLSchema => buildSchema(boardSdl);

function typeProblems(ours: GraphQLNamedType, theirs: GraphQLNamedType | undefined): readonly string[] {
  if (theirs === undefined) return [`${ours.name}: Linear has no such type`];
  if (ours.constructor !== theirs.constructor) return [`${ours.name}: Linear has another kind of type`];
  if (ours instanceof GraphQLEnumType && theirs instanceof GraphQLEnumType) {
    const known = new Set(theirs.getValues().map((value) => value.name));
    return ours
      .getValues()
      .flatMap(({ name }) => (known.has(name) ? [] : [`${ours.name}.${name}: not in Linear's enum`]));
  }
  if (ours instanceof GraphQLInputObjectType && theirs instanceof GraphQLInputObjectType) {
    return partProblems(
      ours.name,
      Object.values(ours.getFields()),
      Object.values(theirs.getFields()),
      isRequiredInputField,
    );
  }
  if (hasFields(ours) && hasFields(theirs)) {
    const fields = theirs.getFields();
    return Object.values(ours.getFields()).flatMap((field) => {
      const at = `${ours.name}.${field.name}`;
      const known = fields[field.name];
      if (known === undefined) return [`${at}: Linear has no such field`];
      const own = sameType(at, field, known);
      return [...own, ...partProblems(at, field.args, known.args, isRequiredArgument)];
    });
  }
  return ours instanceof GraphQLScalarType
    ? []
    : [`${ours.name}: a kind of type that this check does not know`];
}

const hasFields = (type: GraphQLNamedType): type is GraphQLObjectType | GraphQLInterfaceType =>
  type instanceof GraphQLObjectType || type instanceof GraphQLInterfaceType;

interface Typed {
  readonly name: string;
  readonly type: { readonly toString: () => string };
}

/** Arguments or input fields: ours must be Linear's, and what Linear requires must be among ours. */
function partProblems<T extends Typed>(
  at: string,
  ours: readonly T[],
  theirs: readonly T[],
  isRequired: (part: T) => boolean,
): readonly string[] {
  const known = new Map(theirs.map((part) => [part.name, part]));
  const names = new Set(ours.map((part) => part.name));
  const wrong = ours.flatMap((part) => {
    const same = known.get(part.name);
    const where = `${at}(${part.name})`;
    return same === undefined ? [`${where}: Linear has no such input`] : sameType(where, part, same);
  });
  const missing = theirs
    .filter((part) => isRequired(part) && !names.has(part.name))
    .map((part) => `${at}(${part.name}): Linear requires it`);
  return [...wrong, ...missing];
}

const sameType = (at: string, ours: Typed, theirs: Typed): readonly string[] =>
  String(ours.type) === String(theirs.type)
    ? []
    : [`${at}: is ${String(ours.type)}, at Linear ${String(theirs.type)}`];

function main(path: string | undefined): number {
  const whole = linearSchema(path);
  if (whole === null) {
    if (path === undefined) console.log(`skipped: Linear's schema is not at ${usualPath.pathname}`);
    else console.error(`There is no file ${path}. Give the path of Linear's schema.graphql.`);
    return path === undefined ? 0 : 1;
  }
  const problems = [...schemaProblems(boardSchema(), whole), ...documentProblems(whole, sentDocuments)];
  for (const problem of problems) console.log(problem);
  const checked = `${Object.keys(boardSchema().getTypeMap()).length} types, ${Object.keys(sentDocuments).length} documents`;
  console.log(`${checked} checked against Linear's schema, ${problems.length} differences`);
  return problems.length === 0 ? 0 : 1;
}

if (import.meta.main) process.exitCode = main(process.argv[2]);
