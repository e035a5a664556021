/** The built program of a checkout: this one, or another that is compared with it. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** This checkout. */
export const here = fileURLToPath(new URL("..", import.meta.url));

/** What `baton` is in this directory, as its package.json says. @throws Error when it is no checkout, or not built */
export function programIn(directory: string): string {
  const manifest = join(resolve(directory), "package.json");
  if (!existsSync(manifest)) throw new Error(`${directory} is no checkout: it has no package.json`);
  const { bin } = JSON.parse(readFileSync(manifest, "utf8")) as {
    readonly bin?: { readonly baton?: string };
  };
  if (bin?.baton === undefined) throw new Error(`${manifest} names no program "baton"`);
  const program = join(resolve(directory), bin.baton);
  if (!existsSync(program)) throw new Error(`${program} is not there: run \`npm run build\` in ${directory}`);
  return program;
}
