/** An issue from a file, to try a prompt on: the fields a template sees, each of them optional but the identifier. */
import { readFileSync } from "node:fs";
import { z } from "zod";
import { instant, type Issue, issueId } from "../domain/domain.ts";
import { CliError, EXIT } from "./exit.ts";

const textOrNull = z.string().nullable().default(null);
const time = z.iso.datetime({ offset: true }).nullable().default(null);

const shape = z.object({
  id: z.string().default("00000000-0000-4000-8000-000000000000"),
  identifier: z.string().min(1),
  title: z.string().default(""),
  description: textOrNull,
  priority: z.number().int().nullable().default(null),
  state: z.string().default("Todo"),
  branch_name: textOrNull,
  url: textOrNull,
  labels: z.array(z.string()).default([]),
  assignee_id: textOrNull,
  native_ref: z
    .record(z.string(), z.union([z.string(), z.number(), z.null()]))
    .nullable()
    .default(null),
  blocked_by: z.array(z.object({ id: textOrNull, identifier: textOrNull, state: textOrNull })).default([]),
  created_at: time,
  updated_at: time,
});

/** @throws CliError when the file cannot be read or is no such issue. */
export function issueFrom(file: string): Issue {
  const read = shape.safeParse(jsonIn(file));
  if (!read.success)
    throw new CliError(
      EXIT.usage,
      `${file} does not hold an issue:\n${z.prettifyError(read.error)}\n${WANTED}`,
    );
  const { branch_name: branchName, blocked_by: blockedBy, created_at, updated_at, ...others } = read.data;
  const { native_ref: nativeRef, assignee_id: assigneeId, ...rest } = others;
  return {
    ...rest,
    id: issueId(rest.id),
    nativeRef,
    assigneeId,
    branchName,
    blockedBy,
    createdAt: atOf(created_at),
    updatedAt: atOf(updated_at),
    dispatchable: true,
  };
}

const atOf = (text: string | null) => (text === null ? null : instant(Date.parse(text)));

function jsonIn(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CliError(EXIT.usage, `${file} cannot be read as JSON: ${why}\n${WANTED}`);
  }
}

const WANTED =
  'Write it as a template sees it, for example {"identifier": "MT-12", "title": "...", "labels": ["bug"]}.';
