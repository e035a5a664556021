import { expect, it } from "vitest";
import { instant } from "../../../src/domain/time.ts";
import { trackerKinds, trackerOpener, type TrackerKind } from "../../../src/tracker/kinds.ts";
import { MemoryBoard } from "../../../src/tracker/memory-board.ts";
import { MemoryTracker } from "../../../src/tracker/memory.ts";
import type { TrackerError } from "../../../src/tracker/port.ts";
import { trackerReaders } from "../../../src/workflow/tracker-kinds.ts";
import { usualScope } from "../../contract/tracker-suite.ts";

const quiet = { rates: () => {}, rejected: () => {} };
const clock = () => instant(0);
const settings = { endpoint: "", apiKey: "", terminalStates: [], ...usualScope };

it("every kind whose settings can be read can be opened, and the other way round", () => {
  expect(Object.keys(trackerReaders).sort()).toEqual(Object.keys(trackerKinds).sort());
});

it("a kind is made once for all trackers that it opens, and only when one is asked for", () => {
  const made: string[] = [];
  const kind =
    (name: string): TrackerKind =>
    () => {
      made.push(name);
      return (given) => new MemoryTracker(new MemoryBoard(), given);
    };
  const open = trackerOpener(clock, { a: kind("a"), b: kind("b") });
  expect(made).toEqual([]);
  for (const name of ["a", "a"]) open({ ...settings, kind: name }, quiet);
  expect(made).toEqual(["a"]);
});

it.each(["jira", "constructor", ""])(
  "a kind that nobody has registered (%j) is an error that names those that are",
  (kind) => {
    expect(() => trackerOpener(clock)({ ...settings, kind }, quiet)).toThrow(
      expect.objectContaining({
        kind: "unsupported_tracker_kind",
        hint: "Supported: linear.",
      } satisfies Partial<TrackerError>),
    );
  },
);
