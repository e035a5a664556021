/**
 * What the adapter must make of replies, decided apart from it: written from the table of fields that its documents ask
 * for, without its schemas, patterns or paging. A list may leave out what cannot be read; a refresh must fail.
 */
import type { Blocker } from "../../../src/domain/issue.ts";
import { replyTo, type Json, type Replies, type Scenario } from "./replies.ts";

/** What of an issue is checked field by field. */
export interface Expected {
  readonly id: string;
  readonly identifier: string;
  readonly title: string;
  readonly state: string;
  readonly priority: number | null;
  readonly createdAt: number | null;
  readonly dispatchable: boolean;
  readonly labels?: readonly string[];
  readonly blockedBy?: readonly Blocker[];
}

/** The issues that must come out, or null: it must fail. */
export type Verdict = readonly Expected[] | null;

/** Something must not be believed. */
class Unbelievable extends Error {}

type Fields = { readonly [key: string]: Json };

export function verdictOn(scenario: Scenario, replies: Replies): Verdict {
  try {
    return judged(scenario, (operation, after) => dataOf(replies, operation, after));
  } catch (error) {
    if (error instanceof Unbelievable) return null;
    throw error;
  }
}

type Ask = (operation: string, after: string | null) => Fields;

function judged({ call, assignee, ids }: Scenario, ask: Ask): readonly Expected[] {
  switch (call) {
    case "candidates":
      return scanned(ask, "BatonCandidates", userOf(assignee, ask));
    case "inStates":
      return scanned(ask, "BatonInStates", userOf(assignee, ask));
    case "statuses":
      return refreshed(ask, "BatonStatuses", ids, userOf(assignee, ask));
    case "issues":
      return refreshed(ask, "BatonIssues", ids, userOf(assignee, ask));
    case "whoAmI":
      userOf("me", ask);
      return [];
    case "graphql":
      return [];
  }
}

/** The data of a reply that is a whole GraphQL answer without errors. */
function dataOf(replies: Replies, operation: string, after: string | null): Fields {
  const { status, body } = replyTo(replies, operation, after);
  if (status !== 200) throw new Unbelievable();
  const answer = fieldsOf(parsed(body));
  const errors = answer["errors"];
  if (errors !== undefined && !(Array.isArray(errors) && errors.length === 0)) throw new Unbelievable();
  return fieldsOf(answer["data"]);
}

/** More is not read, and nothing deeper is looked into. */
const BODY_BYTES_MAX = 16 * 1024 * 1024;
const LEVELS_MAX = 256;
/** Objects, lists, and what stands between the parts of either. */
const VALUES_MAX = 500_000;

function parsed(body: string): Json {
  if (Buffer.byteLength(body) > BODY_BYTES_MAX) throw new Unbelievable();
  const value = jsonIn(body);
  let level: readonly Json[] = [value];
  let values = 1;
  for (let depth = 0; level.length > 0; depth++) {
    const parts = level.filter((part) => typeof part === "object" && part !== null);
    if ((parts.length > 0 && depth >= LEVELS_MAX) || values > VALUES_MAX) throw new Unbelievable();
    level = parts.flatMap((part) => Object.values(part ?? {}));
    values += Math.max(parts.length, level.length);
  }
  return value;
}

function jsonIn(body: string): Json {
  try {
    // A byte order mark before a text is not a part of it.
    return JSON.parse(body.replace(/^\uFEFF/, "")) as Json;
  } catch {
    throw new Unbelievable();
  }
}

function userOf(assignee: string | null, ask: Ask): string | null {
  if (assignee === null) return null;
  if (assignee === "me") return idIn(fieldsOf(ask("BatonViewer", null)["viewer"])["id"]);
  const users = listOf(fieldsOf(ask("BatonUserByEmail", null)["users"])["nodes"], 1_000);
  const found = users.map((user) => idIn(fieldsOf(user)["id"]));
  return found[0] ?? unbelievable();
}

function scanned(ask: Ask, operation: string, user: string | null): readonly Expected[] {
  const found = new Map<string, Expected>();
  const nodes = paged((after) => {
    const issues = fieldsOf(ask(operation, after)["issues"]);
    // A scan has to say whether it is whole.
    fieldsOf(issues["pageInfo"]);
    return { list: issues, asked: Number.POSITIVE_INFINITY };
  }, 200);
  for (const node of nodes) {
    const issue = orNull(() => leanOf(node, user));
    if (issue !== null && !found.has(issue.id)) found.set(issue.id, issue);
  }
  return [...found.values()];
}

function refreshed(
  ask: Ask,
  operation: string,
  ids: readonly string[],
  user: string | null,
): readonly Expected[] {
  const isWhole = operation === "BatonIssues";
  const nodes = paged((after) => {
    const list = fieldsOf(ask(operation, after)["issues"]);
    const there = listOf(list["nodes"], 10_000).map((node) => orNull(() => fieldsOf(node)["id"]));
    return { list, asked: ids.every((id) => there.includes(id)) ? Number.POSITIVE_INFINITY : ids.length };
  }, 5);
  for (const node of nodes) {
    leanOf(node, user);
    projectOf(node);
    partsOf(fieldsOf(node)["labels"]).forEach(labelOf);
    if (isWhole) partsOf(fieldsOf(node)["inverseRelations"]).forEach(relationOf);
  }
  const records = new Map<string, { readonly node: Fields; readonly text: string }>();
  for (const node of nodes.map(fieldsOf)) {
    const id = idIn(node["id"]);
    if (!ids.includes(id)) continue;
    const text = JSON.stringify(projected(node, isWhole), exactly);
    if ((records.get(id)?.text ?? text) !== text) throw new Unbelievable();
    records.set(id, { node, text });
  }
  return [...records.values()].map(({ node }) => {
    const labels = paged((after) => partAt(ask, "BatonMoreLabels", node, "labels", after), 5).map(labelOf);
    const lean = leanOf(node, user);
    const issue = {
      ...lean,
      dispatchable: lean.dispatchable && projectOf(node) === "demo",
      labels: labels
        .map((label) => label.toWellFormed().trim().toLowerCase())
        .filter((name, n, all) => name !== "" && all.indexOf(name) === n),
    };
    if (!isWhole) return issue;
    const relations = paged(
      (after) => partAt(ask, "BatonMoreRelations", node, "inverseRelations", after),
      5,
    ).map(relationOf);
    return { ...issue, blockedBy: relations.flatMap((blocker) => (blocker === null ? [] : [blocker])) };
  });
}

function partAt(ask: Ask, operation: string, node: Fields, field: string, after: string | null) {
  if (after === null) return { list: fieldsOf(node[field]), asked: 20 };
  return { list: fieldsOf(fieldsOf(ask(operation, after)["issue"])[field]), asked: 100 };
}

/** No list that can be believed is as long. */
const NODES_MAX = 50_000;

/** All nodes of all pages, or nothing: a page that is no page, or that cannot be followed to the end. */
function paged(
  pageAt: (after: string | null) => { readonly list: Fields; readonly asked: number },
  pagesMax: number,
): readonly Json[] {
  const nodes: Json[] = [];
  const cursors: string[] = [];
  for (let page = 0; page < pagesMax; page++) {
    const { list, asked } = pageAt(cursors.at(-1) ?? null);
    const here = listOf(list["nodes"], asked === 20 || asked === 100 ? 1_000 : 10_000);
    for (const node of here) nodes.push(node);
    if (nodes.length > NODES_MAX) throw new Unbelievable();
    const next = nextOf(list["pageInfo"], here.length >= asked);
    if (next === null) return nodes;
    if (next === "" || cursors.includes(next)) throw new Unbelievable();
    cursors.push(next);
  }
  throw new Unbelievable();
}

/** The cursor of the next page; null = there is none. */
function nextOf(pageInfo: Json | undefined, isFull: boolean): string | null {
  if (pageInfo === undefined || pageInfo === null) return isFull ? unbelievable() : null;
  const { hasNextPage, endCursor = null } = fieldsOf(pageInfo);
  if (typeof hasNextPage !== "boolean") throw new Unbelievable();
  if (endCursor !== null && typeof endCursor !== "string") throw new Unbelievable();
  return hasNextPage ? (endCursor ?? "") : null;
}

function leanOf(node: Json, user: string | null): Expected {
  const record = fieldsOf(node);
  const { archivedAt = null, trashed = null, assignee = null } = record;
  if (archivedAt !== null && typeof archivedAt !== "string") throw new Unbelievable();
  if (trashed !== null && typeof trashed !== "boolean") throw new Unbelievable();
  const owner = assignee === null ? null : idIn(fieldsOf(assignee)["id"]);
  return {
    id: idIn(record["id"]),
    identifier: identifierIn(record["identifier"]).trim(),
    title: titleIn(record["title"]),
    state: nameIn(fieldsOf(record["state"])["name"]),
    priority: [1, 2, 3, 4].find((priority) => priority === record["priority"]) ?? null,
    createdAt: dateIn(record["createdAt"]),
    dispatchable: archivedAt === null && trashed !== true && (user === null || owner === user),
  };
}

/** The project it is in, null = in none; a record that does not say which is not believed. */
function projectOf(node: Json): string | null {
  const { project } = fieldsOf(node);
  return project === null ? null : nameIn(fieldsOf(project)["slugId"]).trim().toLowerCase();
}

/** The parts on an issue's first page, for looking at each. */
function partsOf(value: Json | undefined): readonly Json[] {
  const list = fieldsOf(value);
  nextOf(list["pageInfo"], false);
  return listOf(list["nodes"], 1_000);
}

const labelOf = (node: Json): string => textIn(fieldsOf(node)["name"], 1_000);

function relationOf(node: Json): Blocker | null {
  const { type, issue = null } = fieldsOf(node);
  const isBlocking = textIn(type, 1_000).trim().toLowerCase() === "blocks";
  const parts = issue === null ? {} : fieldsOf(issue);
  const { id = null, identifier = null, state = null } = parts;
  const blocker = {
    id: id === null ? null : idIn(id),
    identifier: identifier === null ? null : identifierIn(identifier),
    state: state === null ? null : nameIn(fieldsOf(state)["name"]),
  };
  return isBlocking ? blocker : null;
}

const idIn = (value: Json | undefined): string => {
  const text = textIn(value, 128);
  return text !== "" && every(text, (code) => code > 0x20 && code < 0x7f) ? text : unbelievable();
};

/** Controls, formatting, private use, unassigned, half of a pair: nothing of that is in a name people type. */
const identifierIn = (value: Json | undefined): string => {
  const text = visibleIn(value, 255);
  for (const character of text) if (/\p{C}/u.test(character)) throw new Unbelievable();
  return text;
};

const nameIn = (value: Json | undefined): string => {
  const text = visibleIn(value, 1_000);
  return text.isWellFormed() && every(text, (code) => !isControl(code)) ? text : unbelievable();
};

function titleIn(value: Json | undefined): string {
  const text = textIn(value, Number.POSITIVE_INFINITY);
  const spaced = Array.from(text.toWellFormed(), (one) => (isControl(one.charCodeAt(0)) ? "\u0000" : one))
    .join("")
    .split(/\0+/)
    .join(" ")
    .trim();
  return spaced === "" ? unbelievable() : spaced;
}

/** Milliseconds of a day and time that exists, in ISO 8601. */
function dateIn(value: Json | undefined): number | null {
  if (typeof value !== "string") return null;
  const parts = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/.exec(
    value,
  );
  if (parts === null || value.length > 40) return null;
  const [year = 0, month = 0, day = 0] = parts.slice(1, 4).map(Number);
  const days =
    month === 2
      ? year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
        ? 29
        : 28
      : month === 4 || month === 6 || month === 9 || month === 11
        ? 30
        : 31;
  if (month < 1 || month > 12 || day < 1 || day > days) return null;
  const ms = new Date(value).getTime();
  return Number.isNaN(ms) ? null : ms;
}

const visibleIn = (value: Json | undefined, max: number): string => {
  const text = textIn(value, max);
  return text.trim() === "" ? unbelievable() : text;
};

const textIn = (value: Json | undefined, max: number): string =>
  typeof value === "string" && value.length <= max ? value : unbelievable();

const isControl = (code: number): boolean => code < 0x20 || (code >= 0x7f && code <= 0x9f);

function every(text: string, test: (code: number) => boolean): boolean {
  for (let at = 0; at < text.length; at++) if (!test(text.charCodeAt(at))) return false;
  return true;
}

const fieldsOf = (value: Json | undefined): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : unbelievable();

const listOf = (value: Json | undefined, max: number): readonly Json[] =>
  Array.isArray(value) && value.length <= max ? (value as readonly Json[]) : unbelievable();

function unbelievable(): never {
  throw new Unbelievable();
}

function orNull<T>(look: () => T): T | null {
  try {
    return look();
  } catch (error) {
    if (error instanceof Unbelievable) return null;
    throw error;
  }
}

/** The fields that are asked for: two records of one issue must agree in these. */
function projected(node: Fields, isWhole: boolean): Json {
  const { id, identifier, title, state, priority, createdAt, updatedAt, archivedAt, trashed, assignee } =
    node;
  const own = { id, identifier, title, priority, createdAt, updatedAt, archivedAt, trashed };
  const of = (value: Json | undefined, field: string): Json | undefined =>
    value === null || value === undefined ? value : fieldsOf(value)[field];
  const list = (field: string, look: (part: Json) => Json): Json => {
    const { nodes, pageInfo } = fieldsOf(node[field]);
    const { hasNextPage, endCursor } = pageInfo === null || pageInfo === undefined ? {} : fieldsOf(pageInfo);
    const info = pageInfo === null || pageInfo === undefined ? pageInfo : { hasNextPage, endCursor };
    return { nodes: listOf(nodes, 1_000).map(look), pageInfo: info } as Json;
  };
  const { description, branchName, url, team, project } = node;
  // An id that is none is nothing; what is there has to be the same.
  const idOf = (value: Json | undefined): string | null =>
    orNull(() => idIn(value === null || value === undefined ? value : fieldsOf(value)["id"]));
  const refs = { team: idOf(team), project: idOf(project), state: idOf(state) };
  return {
    ...own,
    state: of(state, "name"),
    // An assignee that is nobody and one without a name are not the same.
    assignee: assignee === null || assignee === undefined ? assignee : { id: of(assignee, "id") },
    project: node["project"] === null ? null : { slugId: of(node["project"], "slugId") },
    labels: list("labels", (label) => labelOf(label)),
    ...(isWhole
      ? { refs, description, branchName, url, relations: list("inverseRelations", relationText) }
      : {}),
  } as Json;
}

function relationText(node: Json): Json {
  const { type, issue } = fieldsOf(node);
  if (issue === null || issue === undefined) return { type, issue } as Json;
  const { id, identifier, state } = fieldsOf(issue);
  const name = state === null || state === undefined ? state : { name: fieldsOf(state)["name"] };
  return { type, issue: { id, identifier, state: name } } as Json;
}

/** JSON has one word for all numbers that are none. */
const exactly = (_key: string, value: unknown): unknown =>
  typeof value === "number" ? `number ${Object.is(value, -0) ? "-0" : value}` : value;
