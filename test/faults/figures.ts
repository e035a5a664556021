/** What a fault suite counted. Every suite returns figures; a test judges them, and `torture` prints them. */
export type Figures = Readonly<Record<string, number>>;

/** One line for a log: `F1 rounds=60 lost=0`. */
export const figuresLine = (name: string, figures: Figures): string =>
  `${name} ${Object.entries(figures)
    .map(([what, count]) => `${what}=${numberText(count)}`)
    .join(" ")}`;

/** For a table: what was counted, then the names of all that was 0. */
export function figuresCell(figures: Figures): string {
  const all = Object.entries(figures);
  const counted = all
    .filter(([, count]) => count !== 0)
    .map(([what, count]) => `${what} ${numberText(count)}`);
  const nothing = all.filter(([, count]) => count === 0).map(([what]) => what);
  return `${counted.join(", ")}; 0: ${nothing.join(", ")}`;
}

const numberText = (count: number): string => (Number.isInteger(count) ? String(count) : count.toFixed(1));

/** Printed as the suite ends, so that a log of the tests is a record of the figures. */
export const printFigures = (name: string, figures: Figures): void =>
  void process.stdout.write(`${figuresLine(name, figures)}\n`);
