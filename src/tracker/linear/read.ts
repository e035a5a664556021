/** Parsing at the edge: a value of a known shape, or the boundary's error with the place where it differs. */
import type { z } from "zod";
import { TrackerError } from "../port.ts";
import { problemOf } from "./shapes.ts";

/** `record`: what is read is one issue's. @throws TrackerError `tracker_response` */
export function read<T extends z.ZodType>(
  what: string,
  shape: T,
  value: unknown,
  more: { readonly record?: boolean } = {},
): z.output<T> {
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new TrackerError(
    "tracker_response",
    `Linear's answer to ${what} cannot be read: ${problemOf(parsed.error)}.`,
    more,
  );
}
