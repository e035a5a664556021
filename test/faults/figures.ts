/** What a fault suite counted. Every suite returns figures; a test judges them, and `torture` prints them. */
export type Figures = Readonly<Record<string, number>>;

/** One line for a log: `F1 rounds=60 lost=0`. */
export const figuresLine = (name: string, figures: Figures): string =>
  `${name} ${Object.entries(figures)
    .map(([what, count]) => `${what}=${Number.isInteger(count) ? count : count.toFixed(1)}`)
    .join(" ")}`;

/** Printed as the suite ends, so that a log of the tests is a record of the figures. */
export const printFigures = (name: string, figures: Figures): void =>
  void process.stdout.write(`${figuresLine(name, figures)}\n`);
