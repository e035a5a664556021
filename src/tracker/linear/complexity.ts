/**
 * What a query costs of Linear's complexity budget: 0.1 per property, 1 per object, and a connection multiplies all that is
 * asked of it, `pageInfo` as well as `nodes`, by `first` or `last` (50 when absent); rounded up. Worked out from the
 * document alone, so `nodes` and `edges` are what makes a connection. A field behind @skip or @include counts: the figure
 * is an upper bound.
 */
import {
  Kind,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from "graphql";

const PROPERTY_COST = 0.1;
const OBJECT_COST = 1;
const PAGE_DEFAULT = 50;

type Variables = Readonly<Record<string, unknown>>;

/** Points of the document's first operation with these variables. */
export function complexityOf(document: DocumentNode, variables: Variables = {}): number {
  const operation = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (operation === undefined) return 0;
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  }
  const counter = new Counter(fragments, { ...defaultsOf(operation), ...variables });
  // Ten times a tenth is more than one in binary: without rounding first, every whole number would cost one more.
  return Math.ceil(Number(counter.selection(operation.selectionSet).toFixed(6)));
}

class Counter {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #variables: Variables;
  /** Each fragment is counted once, or a short document could take for ever to count. */
  readonly #known = new Map<string, number>();

  constructor(fragments: ReadonlyMap<string, FragmentDefinitionNode>, variables: Variables) {
    this.#fragments = fragments;
    this.#variables = variables;
  }

  selection(set: SelectionSetNode): number {
    let sum = 0;
    for (const node of set.selections) {
      if (node.kind === Kind.FIELD) sum += this.#field(node);
      else if (node.kind === Kind.INLINE_FRAGMENT) sum += this.selection(node.selectionSet);
      else sum += this.#spread(node.name.value);
    }
    return sum;
  }

  #field(field: FieldNode): number {
    if (field.selectionSet === undefined) return PROPERTY_COST;
    const asked = this.selection(field.selectionSet);
    return this.#isConnection(field.selectionSet, new Set())
      ? this.#pageSize(field) * asked
      : OBJECT_COST + asked;
  }

  #spread(name: string): number {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    this.#known.set(name, 0); // a fragment that contains itself is refused by every server; here it only must end
    const fragment = this.#fragments.get(name);
    const cost = fragment === undefined ? 0 : this.selection(fragment.selectionSet);
    this.#known.set(name, cost);
    return cost;
  }

  #isConnection(set: SelectionSetNode, seen: Set<string>): boolean {
    return set.selections.some((node) => {
      if (node.kind === Kind.FIELD) {
        return (
          node.selectionSet !== undefined && (node.name.value === "nodes" || node.name.value === "edges")
        );
      }
      if (node.kind === Kind.INLINE_FRAGMENT) return this.#isConnection(node.selectionSet, seen);
      const fragment = this.#fragments.get(node.name.value);
      if (fragment === undefined || seen.has(node.name.value)) return false;
      return this.#isConnection(fragment.selectionSet, seen.add(node.name.value));
    });
  }

  #pageSize(field: FieldNode): number {
    const argument = field.arguments?.find(({ name }) => name.value === "first" || name.value === "last");
    const size =
      argument?.value.kind === Kind.INT
        ? Number(argument.value.value)
        : argument?.value.kind === Kind.VARIABLE
          ? this.#variables[argument.value.name.value]
          : null;
    return typeof size === "number" && size >= 0 ? size : PAGE_DEFAULT;
  }
}

function defaultsOf(operation: OperationDefinitionNode): Variables {
  const numbers = (operation.variableDefinitions ?? []).flatMap(({ variable, defaultValue }) =>
    defaultValue?.kind === Kind.INT ? [[variable.name.value, Number(defaultValue.value)] as const] : [],
  );
  return Object.fromEntries(numbers);
}
