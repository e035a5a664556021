/** Whose the key is, and who `tracker.assignee` is: the user id that issues must carry. */
import { TrackerError } from "../port.ts";
import type { LinearClient } from "./client.ts";
import { documents } from "./documents.ts";
import { read } from "./read.ts";
import { shapes } from "./shapes.ts";

/**
 * The user id for an id, an e-mail address or `me`; null for null.
 * @throws TrackerError when Linear knows no such user, or cannot be asked
 */
export async function resolveAssignee(
  assignee: string | null,
  client: LinearClient,
  signal: AbortSignal,
): Promise<string | null> {
  const wanted = assignee?.trim() ?? "";
  if (wanted === "") return null;
  if (wanted.toLowerCase() === "me") return (await viewer(client, signal)).id;
  return wanted.includes("@") ? byEmail(wanted, client, signal) : wanted;
}

/** The key's own user. @throws TrackerError */
export async function viewer(
  client: LinearClient,
  signal: AbortSignal,
): Promise<{ readonly id: string; readonly name: string }> {
  const what = "the key's user";
  const data = await client.data({ what, document: documents.viewer, variables: {} }, signal);
  const { id, name, email } = read(what, shapes().viewer, data).viewer;
  return { id, name: name ?? email ?? id };
}

/** The id of the organisation that the key belongs to; it survives new keys and new names. @throws TrackerError */
export async function organisationOf(client: LinearClient, signal: AbortSignal): Promise<string> {
  const what = "the key's organisation";
  const data = await client.data({ what, document: documents.organisation, variables: {} }, signal);
  return read(what, shapes().organisation, data).organization.id;
}

async function byEmail(email: string, client: LinearClient, signal: AbortSignal): Promise<string> {
  const what = "the user with the e-mail address in tracker.assignee";
  const data = await client.data({ what, document: documents.userByEmail, variables: { email } }, signal);
  const [user] = read(what, shapes().users, data).users.nodes;
  if (user !== undefined) return user.id;
  throw new TrackerError(
    "invalid_tracker_config",
    "Linear knows no user with the e-mail address in tracker.assignee.",
    { hint: "Correct it, or use a user id or `me`." },
  );
}
