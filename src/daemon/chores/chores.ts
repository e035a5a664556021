/** The face of this folder: one file per kind of work, each with the few things it needs. */
import type { CheckParts } from "./check.ts";
import type { ExamineParts } from "./examine.ts";
import type { PollParts } from "./poll.ts";
import type { RemovalsParts } from "./remove.ts";
import type { RevalidateParts } from "./revalidate.ts";
import type { AttemptsParts } from "./start.ts";
import type { SurveyParts } from "./survey.ts";
import type { SweepParts } from "./sweep.ts";

export { check } from "./check.ts";
export { Examinations, type FitOf } from "./examine.ts";
export { poll } from "./poll.ts";
export { Removals } from "./remove.ts";
export { revalidate } from "./revalidate.ts";
export { Attempts } from "./start.ts";
export { Surveys } from "./survey.ts";
export { Sweeps } from "./sweep.ts";

/** What all of them need together. */
export type ChoresParts = PollParts &
  ExamineParts &
  RevalidateParts &
  SurveyParts &
  SweepParts &
  CheckParts &
  RemovalsParts &
  AttemptsParts;
