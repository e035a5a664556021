/**
 * `npm run build`: dist/, what the package ships. One program in a few dozen files instead of a thousand, because most of
 * a start is finding and reading them. Each command has files of its own, so that it loads what it needs and no more.
 *
 * What package.json names in `dependencies` stays outside: what is native, or hardly ever needed. Everything else is in the
 * files, and so are its licences (THIRD_PARTY_LICENSES).
 */
import { chmodSync, copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { rolldown, type OutputChunk } from "rolldown";
import { packageRoot } from "../src/package-root.ts";

const { values } = parseArgs({ options: { into: { type: "string", default: "dist" } } });
await build(resolve(packageRoot, values.into));

async function build(directory: string): Promise<void> {
  rmSync(directory, { recursive: true, force: true });
  const bundle = await rolldown({
    cwd: packageRoot,
    input: "src/main.ts",
    platform: "node",
    external: Object.keys(manifestOf(packageRoot).dependencies ?? {}),
    // Many packages are written twice. Of the modules, what is not used can be left out.
    resolve: { mainFields: ["module", "main"], conditionNames: ["module", "import", "default"] },
    // A folder's face names all its rooms; who takes one thing from it must not load the others.
    treeshake: { moduleSideEffects: [{ test: /\/src\/(?!main\.ts$)/, external: false, sideEffects: false }] },
    transform: { target: "node22.14" },
    tsconfig: false,
    onLog: (level, { message }) => {
      // A package that is not found would be looked for at each user's.
      if (level === "warn") throw new Error(message);
    },
  });
  const { output } = await bundle.write({
    dir: directory,
    // Node starts these a third faster than modules: for those it makes a module of everything of its own that is imported.
    format: "cjs",
    // The text of the sources is in the repository; places in it are enough for a stack trace (src/cli/stack.ts).
    sourcemap: true,
    sourcemapExcludeSources: true,
    // As seen from dist/, wherever this one is built.
    sourcemapPathTransform: (source, map) => join("..", relative(packageRoot, resolve(dirname(map), source))),
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
  });
  await bundle.close();
  writeFileSync(join(directory, "package.json"), '{ "type": "commonjs" }\n');
  chmodSync(join(directory, "main.js"), 0o755);
  // Read beside the file that asks for it.
  copyFileSync(join(packageRoot, "src/demo/WORKFLOW.md"), join(directory, "WORKFLOW.md"));
  const chunks = output.filter((part): part is OutputChunk => part.type === "chunk");
  const inside = packagesIn(chunks.flatMap(({ moduleIds }) => moduleIds));
  writeFileSync(join(directory, "THIRD_PARTY_LICENSES"), inside.map(licenceOf).join(""));
}

/** The directories of the packages that these modules are from, in order. */
function packagesIn(modules: readonly string[]): readonly string[] {
  const found = modules.map((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0]);
  return [...new Set(found.filter((directory) => directory !== undefined))].toSorted();
}

/** @throws Error when the package does not say under which licence it may be passed on */
function licenceOf(directory: string): string {
  const { name, version, license } = manifestOf(directory);
  const files = readdirSync(directory).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  if (files.length === 0) throw new Error(`${directory} has no licence that could be shipped with it`);
  const texts = files.map((file) => readFileSync(join(directory, file), "utf8").trim());
  return `${"=".repeat(80)}\n${name} ${version} (${license})\n\n${texts.join("\n\n")}\n\n`;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function manifestOf(directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as Manifest;
}
