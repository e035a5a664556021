/** Rescues as a table, as a page and as JSON. */
import { bytesText, instant, type Instant } from "../domain/domain.ts";
import { counted, plain } from "../facts/facts.ts";
import type { Manifest, Rescued, RescuedRepository, Restored } from "../workspace/workspace.ts";
import { type Column, fullStamp, type Paint, relative, tableLines } from "../terminal/terminal.ts";

interface Look {
  readonly now: Instant;
  readonly columns: number;
  readonly paint: Paint;
}

const at = ({ rescued_at }: Manifest): Instant => instant(Date.parse(rescued_at));
const commits = ({ repositories }: Manifest): number =>
  repositories.reduce((sum, one) => sum + one.commits, 0);
/** Changed, new and deleted. */
const files = ({ files: saved, repositories }: Manifest): number =>
  repositories.reduce((sum, one) => sum + one.deleted.length, saved.length);

/** Names come from repositories: one line of text, whatever they hold. */
const PATH_CHARS_MAX = 200;
const safe = (text: string): string => plain(text, PATH_CHARS_MAX);

/** The branch without `refs/heads/`. */
const branch = ({ branch: name }: RescuedRepository): string => safe(name?.replace("refs/heads/", "") ?? "-");

/** The lines of the list. */
export function rescuesTable(all: readonly Rescued[], { now, columns, paint }: Look): readonly string[] {
  const table: readonly Column<Rescued>[] = [
    { title: "RESCUE", text: ({ manifest }) => safe(manifest.id) },
    { title: "ISSUE", text: ({ manifest }) => plain(manifest.identifier, 24) },
    { title: "SAVED", text: ({ manifest }) => relative(at(manifest), now) },
    { title: "COMMITS", text: ({ manifest }) => String(commits(manifest)), align: "right" },
    { title: "FILES", text: ({ manifest }) => String(files(manifest)), align: "right" },
    { title: "SIZE", text: ({ manifest }) => bytesText(manifest.bytes), align: "right" },
    {
      title: "BRANCH",
      text: ({ manifest }) => manifest.repositories.map(branch).join(", "),
      restMin: 8,
    },
  ];
  return tableLines(table, all, columns, paint);
}

/** One of the list, for JSON: the manifest without its lists of files. */
export function rescueView({ manifest, to }: Rescued): unknown {
  const { id, identifier, issue_id, workspace, rescued_at, why, bytes } = manifest;
  return {
    id,
    issue_identifier: identifier,
    issue_id,
    workspace,
    rescued_at,
    why,
    path: to,
    commits: commits(manifest),
    files: files(manifest),
    left_out: manifest.left_out.length + manifest.left_out_more,
    bytes,
  };
}

/** More are in the JSON. */
const LISTED_MAX = 50;

/** The page of one. */
export function rescueText({ manifest, to }: Rescued): string {
  const { repositories, files: saved, left_out, left_out_more } = manifest;
  const more = left_out_more === 0 ? [] : [`  ... and ${left_out_more} more`];
  return [
    `${safe(manifest.id)}: saved ${fullStamp(at(manifest))}, ${safe(manifest.why)}`,
    `issue      ${safe(manifest.identifier)}`,
    `workspace  ${safe(manifest.workspace)}`,
    `in         ${to} (${bytesText(manifest.bytes)})`,
    ...repositories.flatMap(repositoryLines),
    ...listed(`${counted(saved.length, "file")} changed or new:`, saved, ({ path, bytes }) =>
      [safe(path), `(${bytesText(bytes)})`].join(" "),
    ),
    ...listed(`${counted(left_out.length + left_out_more, "file")} left out:`, left_out, ({ path, why }) =>
      [safe(path), `(${why})`].join(" "),
    ),
    ...more,
    "",
    `baton rescue restore ${safe(manifest.id)} makes a directory of it.`,
  ].join("\n");
}

function repositoryLines(one: RescuedRepository): readonly string[] {
  const where = one.at === "" ? "" : ` in ${safe(one.at)}`;
  const needs = one.needs.length === 0 ? "" : `, which need ${one.needs.join(", ")} of the remote`;
  return [
    "",
    `branch ${branch(one)} at ${one.head ?? "no commit"}${where}: ${counted(one.commits, "commit")} not pushed${needs}`,
    ...one.refs.filter((name) => name !== one.branch).map((name) => `  ${safe(name)}`),
    ...listed(`${counted(one.deleted.length, "file")} deleted:`, one.deleted, safe),
  ];
}

function listed<T>(title: string, items: readonly T[], line: (item: T) => string): readonly string[] {
  if (items.length === 0) return [];
  const more = items.length > LISTED_MAX ? [`  ... and ${items.length - LISTED_MAX} more, see --json`] : [];
  return ["", title, ...items.slice(0, LISTED_MAX).map((item) => `  ${line(item)}`), ...more];
}

/** What was made, and what is to be known about it. */
export const restoredText = (manifest: Manifest, { to, commits, files, notes }: Restored): string =>
  [
    `${to}: ${counted(commits, "commit")} and ${counted(files, "file")} of ${safe(manifest.identifier)}.`,
    ...notes.map((note) => plain(note, 2_000)),
  ].join("\n");
