/**
 * The demo: a board, a scripted model and a repository on this machine, and between them the real daemon and the real
 * codex. Starts them in order, watches until the tickets are done, stops them in reverse and says what came of it.
 */
import type { Daemon, Stopped } from "../daemon/daemon.ts";
import { openLedgerReadOnly } from "../ledger/ledger.ts";
import { buildDaemon } from "./demo-daemon.ts";
import { outcomesOf } from "./gather.ts";
import { problems, type TicketOutcome } from "./outcome.ts";
import type { Place } from "./place.ts";
import { isDone, type Progress } from "./progress.ts";
import type { Screen } from "./screen.ts";
import { watch } from "./watch.ts";
import { makeWorld, type World } from "./world.ts";

export { DemoError, type DemoErrorKind } from "./demo-error.ts";
export { outcomeLines } from "./outcome.ts";
export { type Place, takePlace } from "./place.ts";
export { lineScreen, LiveScreen, type Screen } from "./screen.ts";
export type { World } from "./world.ts";

export interface DemoParts {
  readonly place: Place;
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called when everything is made and before the daemon starts. */
  readonly open: (world: Pick<World, "codex" | "unsandboxed">) => Screen;
  /** Takes what stops the demo (the second stop does not wait); returns what forgets it. */
  readonly onStop: (stop: (why: string) => void) => () => void;
}

export interface DemoResult {
  readonly outcomes: readonly TicketOutcome[];
  /** What is not as it should be; empty when the demo did what it promises. */
  readonly problems: readonly string[];
  readonly tookMs: number;
}

/** Runs the demo to its end, and ends everything it has started. @throws DemoError when it cannot begin. */
export async function runDemo(parts: DemoParts): Promise<DemoResult> {
  const startedAt = performance.now();
  const world = await makeWorld(parts.place, parts.env);
  try {
    const wrong = await work(world, parts);
    const outcomes = await account(world, parts.place);
    // Who stops it knows that it is not done.
    const found = wrong.includes(stoppedEarly) ? wrong : [...wrong, ...problems(outcomes)];
    return { outcomes, problems: found, tookMs: performance.now() - startedAt };
  } finally {
    await world.close();
  }
}

/** The daemon from its start to its end. Answers what went wrong with it. */
async function work(world: World, parts: DemoParts): Promise<readonly string[]> {
  const { place, version, open, onStop } = parts;
  const built = buildDaemon(place, version, world.env);
  const { daemon, facts } = built;
  const screen = open(world);
  const { promise: over, resolve } = Promise.withResolvers<string | null>();
  const moved = (progress: Progress): void => {
    const why = ending(progress, daemon);
    if (why !== undefined) resolve(why);
  };
  const watching = watch({ world, facts, screen, state: () => daemon.state, moved });
  const forget = onStop((signal) => {
    screen.note(`stopping (${signal}); once more does not wait`);
    daemon.requestStop(signal);
    resolve(stoppedEarly);
  });
  const tooLate = setTimeout(
    () => resolve(`It was not over after ${DEMO_MAX_MS / 1000} seconds.`),
    DEMO_MAX_MS,
  );
  try {
    await daemon.start();
    const why = await Promise.race([over, daemon.stopped.then(() => null)]);
    // A second request would not wait for what the first has begun.
    if (why !== stoppedEarly) daemon.requestStop("the demo is over");
    return [why, brokenBy(await daemon.stopped)].filter((text) => text !== null);
  } finally {
    clearTimeout(tooLate);
    forget();
    watching.stop();
    screen.end();
    built.close();
  }
}

const stoppedEarly = "It was stopped before it was over.";

function brokenBy(stopped: Stopped): string | null {
  switch (stopped.how) {
    case "clean":
      return null;
    case "forced":
      return "The daemon was stopped without waiting for its runs.";
    case "fatal":
      return `The daemon broke down: ${String(stopped.error)}`;
  }
}

/** It takes about 25 seconds; on a machine that needs seven times as long, something else is wrong. */
const DEMO_MAX_MS = 180_000;

/** Why there is nothing more to wait for: null when all is done, undefined while there is. */
function ending(progress: Progress, { state }: Daemon): string | null | undefined {
  const claims = [...state.claims.values()];
  const parked = claims.find((claim) => claim.phase === "parked");
  if (parked !== undefined) return `${parked.issue.identifier} was parked: ${parked.why}`;
  const held = [...state.workflows.values()].find((board) => board.hold !== null);
  if (held !== undefined) return `Nothing new starts: ${held.hold?.why ?? ""}`;
  const wanted = [...progress.values()].filter((ticket) => ticket.wanted);
  return claims.length === 0 && wanted.every(isDone) ? null : undefined;
}

/** From the ledger on disk: what the read commands will say. */
async function account({ issues, board }: World, place: Place): Promise<readonly TicketOutcome[]> {
  const ledger = openLedgerReadOnly(place.ledger);
  try {
    return await outcomesOf(issues, board.store, ledger, place.origin);
  } finally {
    ledger.close();
  }
}
