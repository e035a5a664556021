/** The ways in which a file gets a new content, and in which it stops being one. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";

export type Save = (file: string, content: Buffer | string) => void;

/** Editors and tools: in place, by a new file that is renamed, deleted and made again, by a link that is turned. */
export const saves: readonly Save[] = [
  (file, content) => writeFileSync(file, content),
  (file, content) => {
    writeFileSync(`${file}~`, content);
    renameSync(`${file}~`, file);
  },
  (file, content) => {
    rmSync(file, { recursive: true, force: true });
    writeFileSync(file, content);
  },
  (file, content) => {
    const version = `${file}.${process.hrtime.bigint()}`;
    writeFileSync(version, content);
    symlinkSync(version, `${file}.link`);
    renameSync(`${file}.link`, file);
  },
];

/** Leaves something at the path that is no workflow file. */
export const losses: readonly { readonly name: string; readonly lose: (file: string) => void }[] = [
  { name: "deleted", lose: () => {} },
  { name: "a directory in its place", lose: (file) => mkdirSync(file) },
  { name: "a pipe in its place", lose: (file) => void execFileSync("mkfifo", [file]) },
  { name: "a device in its place", lose: (file) => symlinkSync("/dev/zero", file) },
  { name: "a dangling link in its place", lose: (file) => symlinkSync(`${file}.none`, file) },
  { name: "a loop of links in its place", lose: (file) => symlinkSync(file, file) },
  // Root reads it all the same: then there is nothing to lose.
  ...(process.getuid?.() === 0
    ? []
    : [
        {
          name: "not to be read",
          lose: (file: string) => {
            writeFileSync(file, "");
            chmodSync(file, 0);
          },
        },
      ]),
];

/** Takes away whatever is there, so that the next save finds nothing. */
export function clear(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    rmSync(file, { recursive: true, force: true });
  }
}
