/** Judgements of figures, to be put together: each says what is wrong. */
import type { Figures } from "./figures.ts";

type Judge = (figures: Figures) => readonly string[];

export const all =
  (...judges: readonly Judge[]): Judge =>
  (figures) =>
    judges.flatMap((judge) => judge(figures));

/** These must be 0. */
export const none = (...names: readonly string[]): Judge =>
  atMost(Object.fromEntries(names.map((name) => [name, 0])));

export const atMost =
  (limits: Figures): Judge =>
  (figures) =>
    Object.entries(limits).flatMap(([name, most]) => {
      const seen = figures[name];
      return seen !== undefined && seen <= most ? [] : [`${name} is ${seen ?? "missing"}, at most ${most}`];
    });

export const atLeast =
  (limits: Figures): Judge =>
  (figures) =>
    Object.entries(limits).flatMap(([name, least]) => {
      const seen = figures[name];
      return seen !== undefined && seen >= least
        ? []
        : [`${name} is ${seen ?? "missing"}, at least ${least}`];
    });
