/** Every gate between a ticket and a start, line by line, and as JSON. Pure. */
import { plain } from "../facts/facts.ts";
import type { Gate } from "../scheduler/scheduler.ts";
import { fullStamp, isoTime, relative, type Style, wrapTo } from "../terminal/terminal.ts";
import type { Look } from "./runs-view.ts";
import { snakeCase } from "./snake-case.ts";
import type { Reason, Why } from "./why.ts";

const WORDS_MAX = 600;
const NAME_COLUMNS = 16;
/** `yes  ` */
const ANSWER_COLUMNS = 5;

/** The verdict, the gates of the workflow that is nearest to taking it, and a sentence for each other one. */
export function whyLines({ reasons, notAsked }: Why, look: Look): readonly string[] {
  const [first, ...others] = reasons;
  return [
    ...(first === undefined ? [] : firstLines(first, others.length > 0, look)),
    ...others.flatMap(({ workflow, explanation }) =>
      wrapTo(look.columns, `For workflow ${workflow}: ${plain(explanation.verdict, WORDS_MAX)}`),
    ),
    ...notAsked.flatMap((why) =>
      wrapTo(look.columns, plain(why, WORDS_MAX)).map((line) => look.paint("yellow", line)),
    ),
  ];
}

function firstLines(
  { workflow, explanation: { verdict, gates } }: Reason,
  isOneOfSeveral: boolean,
  look: Look,
): readonly string[] {
  const of = isOneOfSeveral ? `For workflow ${workflow}: ` : "";
  const head = wrapTo(look.columns, `${of}${plain(verdict, WORDS_MAX)}`).map((line) =>
    look.paint("bold", line),
  );
  return [...head, ...gates.flatMap((gate) => gateLines(gate, look))];
}

function gateLines({ name, open, value, opensAt }: Gate, { now, columns, paint }: Look): readonly string[] {
  const [answer, style] = answers(open);
  const until =
    opensAt === null || opensAt <= now ? "" : `, until ${fullStamp(opensAt)} (${relative(opensAt, now)})`;
  const width = Math.max(40, columns - 2 - ANSWER_COLUMNS - NAME_COLUMNS);
  const [first = "", ...more] = wrapTo(width, plain(value, WORDS_MAX) + until);
  const head = `  ${paint(style, answer.padEnd(ANSWER_COLUMNS))}${name.padEnd(NAME_COLUMNS)}${first}`;
  return [head, ...more.map((line) => " ".repeat(2 + ANSWER_COLUMNS + NAME_COLUMNS) + line)];
}

const answers = (open: boolean | null): readonly [string, Style] =>
  open === null ? ["?", "yellow"] : open ? ["yes", "green"] : ["no", "red"];

/** The same as JSON. */
export const whyView = ({ reasons, notAsked }: Why) => ({
  not_asked: notAsked,
  workflows: reasons.map(({ workflow, path, explanation: { verdict, gates } }) => ({
    workflow,
    path,
    verdict,
    gates: gates.map(({ opensAt, ...gate }) => snakeCase({ ...gate, opensAt: isoTime(opensAt) })),
  })),
});
