/** What a rescue consists of, and the file beside it that says so. */
import { join } from "node:path";
import * as z from "zod";
import { isRefName } from "../git/git.ts";
import { readRegular } from "../files/files.ts";

const id = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);
const ref = z.string().refine(isRefName);
const count = z.int().min(0);

/** Relative, and with no way out: it is joined to a directory of somebody's choice. */
const inside = z
  .string()
  .refine((path) => path.split("/").every((part) => !["", ".", ".."].includes(part)) && !path.includes("\0"));

const repository = z.object({
  /** Path of the checkout from the workspace; empty for the workspace itself. */
  at: z.union([z.literal(""), inside]),
  branch: ref.nullable(),
  head: id.nullable(),
  commits: count,
  /** File beside the manifest; null when every commit is on a remote. */
  bundle: z
    .string()
    .regex(/^[\w.-]+\.bundle$/)
    .nullable(),
  refs: z.array(ref),
  shallow: z.array(id),
  needs: z.array(id),
  /** Files of HEAD that were deleted. Paths from the workspace. */
  deleted: z.array(inside),
});

const manifest = z.object({
  version: z.literal(1),
  id: z.string(),
  identifier: z.string(),
  issue_id: z.string(),
  workspace: z.string(),
  rescued_at: z.string(),
  why: z.string(),
  fingerprint: z.string(),
  repositories: z.array(repository),
  /** Below `files/` beside the manifest, under the same paths as in the workspace. */
  files: z.array(z.object({ path: inside, bytes: count })),
  left_out: z.array(z.object({ path: z.string(), why: z.string() })),
  /** How many more were left out than are listed. */
  left_out_more: count,
  /** Of the bundles and the files. */
  bytes: count,
});

export type Manifest = z.output<typeof manifest>;
export type RescuedRepository = z.output<typeof repository>;

export const manifestName = "manifest.json";
export const filesName = "files";

/** 200,000 paths of 300 characters. */
const MANIFEST_BYTES_MAX = 64 * 2 ** 20;

/** The manifest of the rescue in `directory`; null when there is none that can be read. */
export async function readManifest(directory: string): Promise<Manifest | null> {
  try {
    const text = await readRegular(join(directory, manifestName), MANIFEST_BYTES_MAX);
    return text === null ? null : manifest.parse(JSON.parse(text.toString("utf8")));
  } catch {
    return null;
  }
}

export const manifestText = (content: Manifest): string => `${JSON.stringify(content, null, 2)}\n`;
