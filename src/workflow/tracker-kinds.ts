/**
 * How the settings of each kind of tracker are read, by the name that `tracker.kind` gives it. Another one is a reader in a
 * file of its own, its keys in schema.ts, and a line here; tracker/kinds.ts opens what was read.
 */
import type { TrackerSettings } from "../domain/domain.ts";
import type { Findings } from "./findings.ts";
import { linearSettings } from "./linear-settings.ts";
import type { FrontMatter } from "./schema.ts";
import type { Surroundings } from "./surroundings.ts";

export type TrackerSection = FrontMatter["tracker"];

/**
 * What a kind reads by itself: where the tracker is, with which secret, and which part of it. A kind without a secret leaves
 * `apiKey` empty; what names its issues, a file or a board, is its `projectSlug`. What no other kind has would be a field
 * here and in `TrackerSettings`.
 */
export type Reach = Pick<TrackerSettings, "endpoint" | "apiKey" | "projectSlug" | "assignee">;

/** Notes what is missing or cannot work, under the kind's own keys. */
export type TrackerReader = (section: TrackerSection, around: Surroundings, findings: Findings) => Reach;

export type TrackerReaders = Readonly<Record<string, TrackerReader>>;

export const trackerReaders: TrackerReaders = { linear: linearSettings };
