/** Whose workspaces are in tests that are about something else. */
import type { WorkspaceFor } from "../src/workspace/port.ts";

export const acme = {
  kind: "linear",
  endpoint: "https://api.linear.app/graphql",
  organisation: "acme",
} as const;

export const whose: Pick<WorkspaceFor, "tracker" | "workflow"> = { tracker: acme, workflow: "main" };

/** An id for each identifier; `MT-1` has `id-1`. */
export const idOf = (identifier: string): string => `id-${identifier.replace(/^MT-/, "")}`;
