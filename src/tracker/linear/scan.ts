/** A list of the project read to its end, each issue once; records that cannot be read are named and left out (SPEC 11.1). */
import type { z } from "zod";
import type { LinearClient } from "./client.ts";
import { allPages, scanLimits } from "./pages.ts";
import { read } from "./read.ts";
import { type LeanShape, nameOf, problemOf, shapes } from "./shapes.ts";

/** Unreadable records named one by one per scan: a server that has changed its form would otherwise fill the log. */
const REJECTED_TOLD = 10;

interface ScanSource<T extends LeanShape> {
  readonly what: string;
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly shape: () => T;
  /** Issues in one page. */
  readonly first: number;
  /** How many lists this one stands for: each may have as many pages as one alone. */
  readonly lists?: number;
}

export interface Scanned<T> {
  readonly issues: readonly T[];
  /** In words, what was left out. */
  readonly rejected: readonly string[];
}

/** `keep`: what is needed of a record until the last page is there. @throws TrackerError */
export async function scan<T extends LeanShape, K extends { readonly id: string }>(
  client: LinearClient,
  { what, document, variables, shape, first, lists = 1 }: ScanSource<T>,
  keep: (record: z.output<T>) => K,
  signal: AbortSignal,
): Promise<Scanned<K>> {
  const rejected = new Rejected();
  const limits = { pagesMax: scanLimits.pagesMax * lists, nodesMax: scanLimits.nodesMax * lists };
  const issues = await allPages(what, limits, async (after) => {
    const asked = { ...variables, first, ...(after === null ? {} : { after }) };
    const data = await client.data({ what, document, variables: asked }, signal);
    const { nodes, pageInfo } = read(what, shapes().scanPage, data).issues;
    const readable = nodes.flatMap((node) => {
      const record = shape().safeParse(node);
      if (record.success) return [keep(record.data)];
      rejected.add(() => `${nameOf(node)}: ${problemOf(record.error)}`);
      return [];
    });
    return { nodes: readable, pageInfo, asked: first };
  });
  const found = new Map<string, K>();
  for (const issue of issues) if (!found.has(issue.id)) found.set(issue.id, issue);
  return { issues: [...found.values()], rejected: rejected.words(what) };
}

/** What was left out of a list. */
class Rejected {
  readonly #first: string[] = [];
  #more = 0;

  add(words: () => string): void {
    if (this.#first.length < REJECTED_TOLD) this.#first.push(words());
    else this.#more++;
  }

  words(what: string): readonly string[] {
    const each = this.#first.map((words) => `Left out of ${what}, because it cannot be read: ${words}.`);
    if (this.#more === 0) return each;
    return [...each, `Left out of ${what}, because they cannot be read: ${this.#more} more issues.`];
  }
}
