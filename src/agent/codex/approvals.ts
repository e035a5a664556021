/**
 * What Codex is told when it asks for something. Pure. Nobody sits at the other end in this version, so every question
 * gets its answer at once: by policy, and where the policy would ask a person, by what it says for a person who does
 * not answer.
 */
import { failure, type Failure, type PolicySettings } from "../../domain/domain.ts";
import { cut } from "./failures.ts";
import { type Fields, fieldsOf, isFields, textOf } from "./message.ts";
import { strings } from "./sandbox.ts";

export interface Reply {
  /** What is sent back; null = refused with an error, which every version of Codex takes as a no. */
  readonly result: Fields | null;
  /** The answer in a word, for the account of the run. */
  readonly answer: string;
  /** What was asked, in a line. */
  readonly about: string;
  /** Set when the run has to end over this. */
  readonly park: Failure | null;
}

/** How much of a question goes into the account. */
const ABOUT_CHARS_MAX = 300;

const NOBODY = "Nobody is there to answer. Decide by yourself, say what you assumed, and go on.";

/** The reply to any request but `item/tool/call`, which a tool answers. */
export function replyTo(method: string, params: Fields, policy: PolicySettings, nowMs: number): Reply {
  switch (method) {
    case "item/commandExecution/requestApproval":
    case "item/fileChange/requestApproval":
      return approval(policy, aboutApproval(params), { yes: "acceptForSession", no: "decline" });
    // The first protocol's requests, whose decisions have other names.
    case "execCommandApproval":
    case "applyPatchApproval":
      return approval(policy, aboutApproval(params), { yes: "approved_for_session", no: "denied" });
    case "item/permissions/requestApproval":
      return permissions(policy, params);
    case "mcpServer/elicitation/request":
      return elicitation(policy, params);
    case "item/tool/requestUserInput":
      return userInput(policy, params);
    case "currentTime/read":
      return plain({ currentTimeAt: Math.floor(nowMs / 1000) }, "the time", "");
    case "account/chatgptAuthTokens/refresh":
      return refused("Baton holds no tokens of ChatGPT; Codex has its own login");
    case "attestation/generate":
      return refused("Baton attests nothing");
    default:
      return refused("not known to this version of Baton");
  }
}

/** The JSON-RPC error that goes with a reply without a result. */
export const REFUSED_CODE = -32601;

const plain = (result: Fields, answer: string, about: string): Reply => ({
  result,
  answer,
  about: cut(about, ABOUT_CHARS_MAX),
  park: null,
});

const refused = (why: string): Reply => ({ result: null, answer: "refused", about: why, park: null });

interface Words {
  readonly yes: string;
  readonly no: string;
}

function approval(policy: PolicySettings, about: string, { yes, no }: Words): Reply {
  const decision = policy.approvals.mode === "auto" ? yes : no;
  return { ...plain({ decision }, decision, about), park: parkForApproval(policy, about) };
}

function permissions(policy: PolicySettings, params: Fields): Reply {
  const about = textOf(params["reason"]) ?? JSON.stringify(params["permissions"] ?? null);
  if (policy.approvals.mode !== "auto") {
    // An empty grant is how this request is declined.
    return { ...plain({ permissions: {} }, "decline", about), park: parkForApproval(policy, about) };
  }
  const { network, fileSystem } = fieldsOf(params["permissions"]);
  const granted = { ...(isFields(network) && { network }), ...(isFields(fileSystem) && { fileSystem }) };
  return plain({ permissions: granted, scope: "session" }, "grant", about);
}

/** An MCP server wants something: permission for a tool call can be given, a form cannot be filled in. */
function elicitation(policy: PolicySettings, params: Fields): Reply {
  const about = `${textOf(params["serverName"]) ?? "MCP"}: ${textOf(params["message"]) ?? ""}`;
  const isToolCall = fieldsOf(params["_meta"])["codex_approval_kind"] === "mcp_tool_call";
  const accepted = isToolCall && policy.approvals.mode === "auto";
  const action = accepted ? "accept" : "decline";
  const reply = plain({ action, content: null, _meta: null }, action, about);
  if (isToolCall) return { ...reply, park: parkForApproval(policy, about) };
  return { ...reply, park: parkForQuestion(policy, about) };
}

function userInput(policy: PolicySettings, params: Fields): Reply {
  const questions = Array.isArray(params["questions"]) ? params["questions"].map(fieldsOf) : [];
  const ids = questions.map(({ id }) => textOf(id)).filter((id) => id !== null);
  const about = questions.map(({ question }) => textOf(question) ?? "").join(" / ");
  const answers = Object.fromEntries(ids.map((id) => [id, { answers: [NOBODY] }]));
  return { ...plain({ answers }, "nobody is there", about), park: parkForQuestion(policy, about) };
}

function parkForApproval({ approvals }: PolicySettings, about: string): Failure | null {
  if (approvals.mode !== "operator" || approvals.onTimeout !== "park") return null;
  return failure("approval_required", `The agent asked for an approval: ${cut(about, ABOUT_CHARS_MAX)}`, {
    hint: "Set approvals.mode to auto or deny, or allow it in Codex's own rules.",
  });
}

function parkForQuestion({ approvals, questions }: PolicySettings, about: string): Failure | null {
  const parks =
    questions.mode === "park" || (questions.mode === "operator" && approvals.onTimeout === "park");
  if (!parks) return null;
  return failure("turn_input_required", `The agent asked a question: ${cut(about, ABOUT_CHARS_MAX)}`, {
    hint: "Answer it in the issue's description, then release the issue.",
  });
}

/** A command, a reason, or the files: whatever the request has. */
function aboutApproval(params: Fields): string {
  const { command, reason, grantRoot, fileChanges } = params;
  if (Array.isArray(command)) return strings(command).join(" ");
  const files = isFields(fileChanges) ? Object.keys(fileChanges).join(", ") : null;
  return textOf(command) ?? textOf(reason) ?? textOf(grantRoot) ?? files ?? "";
}
