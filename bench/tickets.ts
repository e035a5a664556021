/** A full board: 200 tickets of 3 turns each, 20 at a time. */
import { accountOf, type Account } from "./account.ts";
import { aside, bounded, median, type Figure } from "./figure.ts";
import { session } from "./session.ts";

const TICKETS = 200;
const TURNS = 3;
const SLOTS = 20;
const REPEATS = 3;

/** A board that is not done by then has lost tickets. */
const WITHIN_MS = 120_000;

interface Result {
  readonly cpu: number;
  readonly peak: number;
  readonly seconds: number;
  readonly threads: number;
  readonly turns: number;
  readonly done: number;
  readonly account: Account;
}

export async function tickets(): Promise<readonly Figure[]> {
  const results: Result[] = [];
  for (let i = 0; i < REPEATS; i++) results.push(await wholeBoard());
  const of = (pick: "cpu" | "peak" | "seconds"): number => median(results.map((result) => result[pick]));
  const each = results.map((result) => result.cpu.toFixed(2)).join(" ");
  const wrong = results.map(problemOf).find((problem) => problem !== null);
  return [
    {
      what: `${TICKETS} tickets x ${TURNS} turns, ${SLOTS} slots`,
      measured: wrong ?? "all done",
      target: `${TICKETS} threads, ${TICKETS * TURNS} turns`,
      met: wrong === undefined,
      how: `told by the agents and by the ledger, ${REPEATS} times; ${of("seconds").toFixed(1)} s each`,
    },
    bounded("  CPU of the daemon", of("cpu"), { max: 4, unit: "CPU s", digits: 2, how: `median of ${each}` }),
    bounded("  peak RSS", of("peak"), { max: 200, unit: "MB", digits: 0, how: `median of ${REPEATS}` }),
    aside(
      "  CPU per turn",
      `${((of("cpu") / TICKETS / TURNS) * 1000).toFixed(1)} CPU ms`,
      "start of the process included",
    ),
  ];
}

const wholeBoard = (): Promise<Result> =>
  session(TURNS, async ({ board, daemon: start }) => {
    board.add(TICKETS);
    const { daemon, place } = start({ agent: "work", agentsMax: SLOTS, pollMs: 30_000 });
    const startedAt = performance.now();
    await daemon.until("run_ended", TICKETS, WITHIN_MS);
    await daemon.until("workspace_removed", TICKETS, WITHIN_MS);
    const { cpu, peak } = daemon.figures();
    const seconds = (performance.now() - startedAt) / 1000;
    await daemon.stop();
    return {
      cpu,
      peak,
      seconds,
      threads: new Set(board.all("thread").map(({ thread }) => thread)).size,
      turns: board.all("turn").length,
      done: board.all("done").length,
      account: accountOf(place.ledger),
    };
  });

/** What is not as it has to be; null when all is. */
function problemOf({ threads, turns, done, account }: Result): string | null {
  const all = TICKETS * TURNS;
  const right =
    done === TICKETS &&
    threads === TICKETS &&
    turns === all &&
    account.completedRuns === TICKETS &&
    account.otherRuns === 0 &&
    account.threads === TICKETS &&
    account.turns === all;
  if (right) return null;
  const { completedRuns, otherRuns } = account;
  return `${done} done, ${threads}/${account.threads} threads, ${turns}/${account.turns} turns, ${completedRuns}+${otherRuns} runs`;
}
