/**
 * Everything the demo puts around the daemon: the repository, the board with its tickets, the scripted model, a home for
 * Codex, and the copy of WORKFLOW.md that ties them together. All on this machine, all ended by `close`.
 */
import { readFile, rm, writeFile } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { type Board, type BoardIssue, startBoard } from "./board/board.ts";
import { type CodexBinary, findCodex, sandboxProblem } from "./codex-binary.ts";
import { DemoError } from "./demo-error.ts";
import { freshCodexHome, type Gate, startModel } from "./model/model.ts";
import type { Place } from "./place.ts";
import { gitVersion, makeOrigin } from "./repository.ts";
import { demoScript } from "./script.ts";
import { fill } from "./tickets.ts";

type Env = Readonly<Record<string, string | undefined>>;

export interface World {
  readonly board: Board;
  readonly issues: readonly BoardIssue[];
  readonly codex: CodexBinary;
  /** Why commands run without Codex's sandbox here; null when they run in it. */
  readonly unsandboxed: string | null;
  readonly published: Gate;
  /** For the daemon: this process's own, and what WORKFLOW.md names. */
  readonly env: Env;
  close(): Promise<void>;
}

/** @throws DemoError when a program is missing; what was started until then is ended. */
export async function makeWorld(place: Place, env: Env): Promise<World> {
  const undo: (() => unknown)[] = [];
  const close = async (): Promise<void> => {
    for (let end = undo.pop(); end !== undefined; end = undo.pop()) await end();
  };
  try {
    return { ...(await build(place, env, undo)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function build(place: Place, env: Env, undo: (() => unknown)[]): Promise<Omit<World, "close">> {
  const codex = await findCodex(env);
  await makeRepository(place);
  const { script, published } = demoScript();
  const model = await startModel(script);
  undo.push(() => model.close());
  // One request, one answer: the failure that is part of the demo must not be repaired by Codex itself.
  const home = freshCodexHome({ modelUrl: model.url });
  undo.push(() => home.remove());
  const board = await startBoard({ apiKey: `demo-${randomBytes(16).toString("hex")}` });
  undo.push(() => board.close());
  const unsandboxed = await sandboxProblem(codex, home.path, place.path);
  await writeWorkflow(place, unsandboxed === null);
  return {
    board,
    issues: fill(board.store),
    codex,
    unsandboxed,
    published,
    env: {
      ...env,
      // The demo's own daemon is not to see another one's account, or leave something in its home.
      CODEX_HOME: home.path,
      LINEAR_API_KEY: board.apiKey,
      LINEAR_ASSIGNEE: undefined,
      BATON_DEMO_BOARD: board.url,
      BATON_DEMO_CODEX: codex.path,
    },
  };
}

async function makeRepository(place: Place): Promise<void> {
  if ((await gitVersion()) === null) {
    throw new DemoError(
      "prerequisite",
      "There is no `git` on PATH. Install git; the demo makes a small repository.",
    );
  }
  const draft = join(place.path, "draft");
  await makeOrigin(place.origin, draft);
  await rm(draft, { recursive: true, force: true });
}

/** Beside this file, and beside the built program (scripts/build.ts): no file that people have reason to change. */
export const demoWorkflow = new URL("WORKFLOW.md", import.meta.url);

async function writeWorkflow(place: Place, sandboxed: boolean): Promise<void> {
  const text = await readFile(demoWorkflow, "utf8");
  await writeFile(place.workflow, sandboxed ? text : withoutSandbox(text));
}

/** The same workflow for a machine on which Codex's sandbox does not work. */
export const withoutSandbox = (text: string): string =>
  text.replace(
    /^( *thread_sandbox:).*$/m,
    "$1 danger-full-access # Codex's sandbox does not work on this machine",
  );
