/**
 * The linter's house rules about rooms. A folder's face is the file with the folder's name; who is outside imports that
 * file and no other, so what a folder promises to the rest of the program can be read in one place.
 */
import { basename, dirname, join, relative, sep } from "node:path";

/** What is used of ESLint's interface for rules. */
interface Context {
  readonly filename: string;
  report(problem: { readonly node: unknown; readonly message: string }): void;
}
interface Import {
  readonly source: { readonly value: unknown } | null;
}

/**
 * The face by which `importer` must reach `imported`; null = it is in the same folder, in one around it, or it is asked
 * for by its face. Both are absolute paths.
 */
export function faceMissed(importer: string, imported: string): string | null {
  const [first, ...rest] = relative(dirname(importer), imported)
    .split(sep)
    .filter((part) => part !== "..");
  if (first === undefined || rest.length === 0) return null;
  const around = imported.slice(0, imported.length - join(first, ...rest).length);
  const face = join(around, first, `${first}.ts`);
  return imported === face ? null : face;
}

const throughFaces = {
  create(context: Context) {
    const look = (node: Import): void => {
      const path = node.source?.value;
      if (typeof path !== "string" || !path.startsWith(".")) return;
      const face = faceMissed(context.filename, join(dirname(context.filename), path));
      if (face === null) return;
      const folder = basename(dirname(face));
      const message = `${folder}/ is entered by its face ${folder}/${folder}.ts: export there what you need.`;
      context.report({ node, message });
    };
    return {
      ImportDeclaration: look,
      ImportExpression: look,
      ExportNamedDeclaration: look,
      ExportAllDeclaration: look,
    };
  },
};

// The form in which the linter loads a plugin.
// oxlint-disable-next-line import/no-default-export
export default { meta: { name: "rooms" }, rules: { "through-faces": throughFaces } };
