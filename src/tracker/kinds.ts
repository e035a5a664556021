/**
 * Every kind of tracker there is, by the name that `tracker.kind` gives it. Another one is a folder beside linear/, a line
 * here, and a line with how its settings are read in workflow/tracker-kinds.ts.
 */
import type { Instant, TrackerSettings } from "../domain/domain.ts";
import { linearKind } from "./linear/linear.ts";
import { type Tracker, TrackerError, type TrackerNews } from "./port.ts";

/**
 * Opens the tracker of one loaded workflow; nothing is sent before its first call.
 * @throws TrackerError when the settings are such that no request could ever work
 */
export type OpenTracker = (settings: TrackerSettings, news: TrackerNews) => Tracker;

/** Called once per daemon: what it returns shares limits and scans among all trackers that it opens. */
export type TrackerKind = (clock: () => Instant) => OpenTracker;

export type TrackerKinds = Readonly<Record<string, TrackerKind>>;

export const trackerKinds: TrackerKinds = { linear: linearKind };

/** Opens trackers by the kind that their settings name. @throws TrackerError `unsupported_tracker_kind` */
export function trackerOpener(clock: () => Instant, kinds: TrackerKinds = trackerKinds): OpenTracker {
  const opened = new Map<string, OpenTracker>();
  return (settings, news) => {
    const { kind } = settings;
    const open = opened.get(kind) ?? ofKind(kinds, kind)(clock);
    opened.set(kind, open);
    return open(settings, news);
  };
}

function ofKind(kinds: TrackerKinds, kind: string): TrackerKind {
  const found = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (found !== undefined) return found;
  const supported = Object.keys(kinds).join(", ");
  throw new TrackerError("unsupported_tracker_kind", `tracker.kind is ${JSON.stringify(kind)}.`, {
    hint: `Supported: ${supported}.`,
  });
}
