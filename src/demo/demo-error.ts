/** What keeps the demo from running, in words for the person who started it. */

export type DemoErrorKind =
  /** A program that the demo needs is not there. */
  | "prerequisite"
  /** Another demo runs in the same place. */
  | "busy"
  /** There is no place to write to. */
  | "place";

export class DemoError extends Error {
  readonly kind: DemoErrorKind;

  constructor(kind: DemoErrorKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "DemoError";
    this.kind = kind;
  }
}
