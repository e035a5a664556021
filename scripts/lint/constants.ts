/**
 * The linter's house rule about constants: a number that a whole file uses is written `LIKE_THIS_MS`, so that where it is
 * used one sees that it is fixed, and that its bound has a name and a unit.
 */

/** What is used of ESLint's interface for rules. */
interface Context {
  report(problem: { readonly node: unknown; readonly message: string }): void;
}
interface Expression {
  readonly type: string;
  readonly value?: unknown;
  readonly name?: string;
  readonly operator?: string;
  readonly argument?: Expression;
  readonly left?: Expression;
  readonly right?: Expression;
}
interface Declarator {
  readonly id: { readonly type: string; readonly name?: string };
  readonly init: Expression | null;
}
interface Statement {
  readonly type: string;
  readonly kind?: string;
  readonly declarations?: readonly Declarator[];
  readonly declaration?: Statement | null;
}

const UPPER_SNAKE = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/;

/** Names that are numbers wherever they come from. */
const MEASURE = /_(?:MS|MAX|MIN|BYTES|CHARS)$/;

const ARITHMETIC: ReadonlySet<string> = new Set(["+", "-", "*", "/", "%", "**", "<<", ">>", "|", "&"]);

/** Whether the value is a number that is written down: a literal, or arithmetic of such. `known`: names of others. */
function isNumber(value: Expression | null | undefined, known: ReadonlySet<string>): boolean {
  if (value === null || value === undefined) return false;
  switch (value.type) {
    case "Literal":
      return typeof value.value === "number";
    case "Identifier":
      return value.name !== undefined && (known.has(value.name) || MEASURE.test(value.name));
    case "UnaryExpression":
      return isNumber(value.argument, known);
    case "BinaryExpression":
      return (
        ARITHMETIC.has(value.operator ?? "") && isNumber(value.left, known) && isNumber(value.right, known)
      );
    default:
      return false;
  }
}

/** The declarators at the top of a file whose number is not named as one. */
export function misnamed(body: readonly Statement[]): readonly Declarator[] {
  const known = new Set<string>();
  const found: Declarator[] = [];
  for (const statement of body) {
    const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (declared?.type !== "VariableDeclaration" || declared.kind !== "const") continue;
    for (const declarator of declared.declarations ?? []) {
      const { name } = declarator.id;
      if (name === undefined || !isNumber(declarator.init, known)) continue;
      known.add(name);
      if (!UPPER_SNAKE.test(name)) found.push(declarator);
    }
  }
  return found;
}

const upperSnake = {
  create(context: Context) {
    return {
      Program({ body }: { readonly body: readonly Statement[] }) {
        for (const node of misnamed(body))
          context.report({
            node,
            message: `A number for the whole file is named LIKE_THIS: ${node.id.name}.`,
          });
      },
    };
  },
};

// The form in which the linter loads a plugin.
// oxlint-disable-next-line import/no-default-export
export default { meta: { name: "constants" }, rules: { "upper-snake": upperSnake } };
