/** This checkout's program against another one's, in turn, so that a busy hour is the same for both. */
import { blocksOf } from "./blocks.ts";
import { oneStart, type Start } from "./cold-start.ts";
import { aside, median, multiple, type Figure } from "./figure.ts";
import { fullBoard } from "./full-board.ts";
import { here, programIn } from "./program.ts";
import { silence } from "./quiet.ts";
import { session, type Session } from "./session.ts";
import { usualBoard } from "./tickets.ts";
import { commit } from "../scripts/figures.ts";

const ROUNDS = 5;

/** Short ones need more rounds for the same certainty. */
const STARTS = 15;

const CPU_SHARE = 0.55;
const PEAK_SHARE = 1;
const FIRST_REQUEST_SHARE = 0.7;

/** No more: by so much the medians of one and the same program have differed (3.7 to 3.6 CPU ms, 1.11 times). */
const QUIET_CPU_SHARE = 1.2;
const QUIET_RSS_SHARE = 1.05;

/** No more, of single stretches. */
const BLOCKS_SHARE = 1.2;
const BLOCKS_ROUNDS = 3;

/** The two measured one after the other. */
interface Pair<T> {
  readonly theirs: T;
  readonly ours: T;
}

/** @throws Error when one of them is not built */
export async function against(directory: string): Promise<readonly Figure[]> {
  const programs: Pair<string> = { theirs: programIn(directory), ours: programIn(here) };
  const boards = await inTurn(ROUNDS, programs, (program) => fullBoard({ ...usualBoard, program }));
  const starts = await session(1, (all) => startsInTurn(all, programs));
  const quiets = await inTurn(ROUNDS, programs, silence);
  const blocks = (await inTurn(BLOCKS_ROUNDS, programs, blocksOf)).map(({ theirs, ours }) => ({
    theirs: theirs.cpu,
    ours: ours.cpu,
  }));
  const problem = boards
    .flatMap(({ theirs, ours }) => [theirs, ours])
    .find((result) => result.problem !== null)?.problem;
  return [
    {
      what: `${usualBoard.tickets} tickets, in turn, ${ROUNDS} times each`,
      measured: problem ?? "all done",
      target: "all done by both",
      met: problem === undefined,
      how: `against commit ${commit(directory)}`,
    },
    share("  CPU of the daemon", CPU_SHARE, "CPU s", 2, of(boards, "cpu")),
    share("  peak RSS", PEAK_SHARE, "MB", 0, of(boards, "peak")),
    share("start to first tracker request", FIRST_REQUEST_SHARE, "ms", 0, of(starts, "ms")),
    cpuOfStarts(starts),
    share("50 quiet agents, CPU", QUIET_CPU_SHARE, "CPU ms", 1, of(quiets, "cpuMs")),
    share("  RSS", QUIET_RSS_SHARE, "MB", 0, of(quiets, "rss")),
    share("the event loop's longest blocks, p99", BLOCKS_SHARE, "CPU ms", 1, of(blocks, "p99")),
    share("  the longest, the start included", BLOCKS_SHARE, "CPU ms", 0, of(blocks, "max")),
  ];
}

async function inTurn<T>(
  rounds: number,
  { theirs, ours }: Pair<string>,
  measure: (program: string) => Promise<T>,
): Promise<readonly Pair<T>[]> {
  const pairs: Pair<T>[] = [];
  for (let i = 0; i < rounds; i++) pairs.push({ theirs: await measure(theirs), ours: await measure(ours) });
  return pairs;
}

async function startsInTurn(all: Session, programs: Pair<string>): Promise<readonly Pair<Start>[]> {
  const start = (program: string): Promise<Start> => oneStart(all, { program });
  await inTurn(1, programs, start); // fills Node's compile cache
  return inTurn(STARTS, programs, start);
}

const of = <K extends string>(
  pairs: readonly Pair<Readonly<Record<K, number>>>[],
  key: K,
): readonly Pair<number>[] => pairs.map(({ theirs, ours }) => ({ theirs: theirs[key], ours: ours[key] }));

/** The median of the pairs' ratios, and the medians it stands for. */
function share(
  what: string,
  max: number,
  unit: string,
  digits: number,
  pairs: readonly Pair<number>[],
): Figure {
  const words = (values: readonly number[]): string => {
    const [least, most] = [Math.min(...values), Math.max(...values)];
    return `${median(values).toFixed(digits)} (${least.toFixed(digits)} to ${most.toFixed(digits)})`;
  };
  const ours = words(pairs.map((pair) => pair.ours));
  const theirs = words(pairs.map((pair) => pair.theirs));
  return multiple(what, median(pairs.map((pair) => pair.ours / pair.theirs)), {
    max,
    how: `median of ${pairs.length} ratios; ${unit} ${ours}, theirs ${theirs}`,
  });
}

// By means, because the kernel counts in steps of 10 ms.
function cpuOfStarts(pairs: readonly Pair<Start>[]): Figure {
  const mean = (pick: (pair: Pair<Start>) => Start): number =>
    pairs.reduce((sum, pair) => sum + pick(pair).cpu, 0) / pairs.length;
  const [ours, theirs] = [mean((pair) => pair.ours), mean((pair) => pair.theirs)];
  const how = `means of ${pairs.length}: ${(ours * 1000).toFixed(0)} to ${(theirs * 1000).toFixed(0)} CPU ms`;
  return aside("  CPU until then", `${(ours / theirs).toFixed(2)} x`, how);
}
