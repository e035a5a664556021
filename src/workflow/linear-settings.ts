/** What `kind: linear` needs: flat or nested keys, secrets and variables resolved. */
import { type Findings, type KeyPath, shown } from "./findings.ts";
import { referenceIn, secret, type Surroundings, variable } from "./surroundings.ts";
import type { Reach, TrackerSection } from "./tracker-kinds.ts";

export const LINEAR_ENDPOINT = "https://api.linear.app/graphql";

type LinearKey = "endpoint" | "api_key" | "project_slug" | "assignee";

/** A value that was written, and the key it was written under. */
interface Written {
  readonly value: string;
  readonly key: KeyPath;
}

export function linearSettings(section: TrackerSection, around: Surroundings, findings: Findings): Reach {
  return {
    endpoint: endpoint(written(section, "endpoint", findings), around, findings),
    apiKey: apiKey(written(section, "api_key", findings), around, findings),
    projectSlug: projectSlug(written(section, "project_slug", findings), around, findings),
    assignee: assignee(written(section, "assignee", findings), around, findings),
  };
}

/** A Linear key from its flat or its nested place; both are fine as long as they agree. */
function written(section: TrackerSection, name: LinearKey, findings: Findings): Written | null {
  const flat = section[name]?.trim();
  const nested = section.provider?.[name]?.trim();
  if (flat !== undefined && nested !== undefined && flat !== nested)
    findings.problem(
      ["tracker", "provider", name],
      `says something else than tracker.${name}. Keep one of the two.`,
    );
  if (flat !== undefined) return { value: flat, key: ["tracker", name] };
  return nested === undefined ? null : { value: nested, key: ["tracker", "provider", name] };
}

const blamed = (name: LinearKey, findings: Findings): boolean =>
  findings.blames(["tracker", name]) || findings.blames(["tracker", "provider", name]);

function endpoint(from: Written | null, around: Surroundings, findings: Findings): string {
  if (from === null) return LINEAR_ENDPOINT;
  const name = referenceIn(from.value);
  const address = name === null ? from.value : variable(name, around);
  const wrong =
    address === null
      ? `the environment variable ${name} is not set. Set it, or write the address.`
      : endpointProblem(address);
  if (wrong !== null) findings.problem(from.key, wrong);
  return address ?? LINEAR_ENDPOINT;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** The API key goes to this address, so it must not travel in the clear; and the address itself is shown to people. */
function endpointProblem(address: string): string | null {
  const url = URL.parse(address);
  if (url === null || !["https:", "http:"].includes(url.protocol))
    return `not a web address. Linear's is ${LINEAR_ENDPOINT}.`;
  if (url.username !== "" || url.password !== "")
    return "carries a user name or password. Credentials belong in tracker.api_key.";
  if (url.protocol === "http:" && !LOOPBACK.test(url.hostname))
    return "plain http would send the API key unencrypted. Use https; http works on this machine only.";
  return null;
}

const KEY_VARIABLE = "LINEAR_API_KEY";
const HOW_TO_KEY = "Make a key in Linear under Settings, Security & access, and put it into the environment";

function apiKey(from: Written | null, around: Surroundings, findings: Findings): string {
  const key = from?.key ?? ["tracker", "api_key"];
  const missing = (text: string) => {
    if (!blamed("api_key", findings)) findings.problem(key, text, "missing_tracker_secret");
    return "";
  };
  if (from?.value === "") return missing(`empty. ${HOW_TO_KEY} variable ${KEY_VARIABLE}.`);
  const name = from === null ? KEY_VARIABLE : referenceIn(from.value);
  if (name === null && from !== null) {
    findings.warn(
      key,
      `the key itself is written here, for everybody who can read the file. Write \`$${KEY_VARIABLE}\` instead.`,
    );
    return checkedKey(from.value, missing);
  }
  const found = secret(name ?? KEY_VARIABLE, around);
  if ("missing" in found) return missing(`no API key: ${found.missing}. ${HOW_TO_KEY}.`);
  return checkedKey(found.value, missing);
}

/** A key with a space or line break in it would fail much later, as a header that cannot be sent. */
function checkedKey(value: string, missing: (text: string) => string): string {
  if (/^[\x21-\x7e]+$/.test(value)) return value;
  return missing(
    `the API key has spaces, line breaks or other characters that no key has. ${HOW_TO_KEY} again.`,
  );
}

function projectSlug(from: Written | null, around: Surroundings, findings: Findings): string {
  const key = from?.key ?? ["tracker", "project_slug"];
  const name = from === null ? null : referenceIn(from.value);
  const slug = name === null ? (from?.value ?? "") : (variable(name, around) ?? "");
  if (slug === "") {
    const why = name === null ? "missing" : `the environment variable ${name} is not set`;
    if (!blamed("project_slug", findings))
      findings.problem(
        key,
        `${why}. Give the last part of the project's address in Linear: of linear.app/acme/project/web-0c79b11b75ea that is \`web-0c79b11b75ea\`.`,
        "invalid_tracker_config",
      );
  } else if (slug.includes("/"))
    findings.problem(key, `an address, not a slug. Give only ${slugOf(slug)}.`, "invalid_tracker_config");
  else if (!SLUG.test(slug))
    findings.problem(
      key,
      `${shown(from?.value)} is no slug: those have letters, digits, \`-\` and \`_\` only. Copy the last part of the project's address, such as \`web-0c79b11b75ea\`, or the id at its end.`,
      "invalid_tracker_config",
    );
  return slug;
}

/** As an address shows it, in the letters of any language. */
const SLUG = /^[\p{L}\p{M}\p{N}_.~%-]+$/u;

const slugOf = (address: string): string => {
  const slug = /\/project\/([^/?#]+)/.exec(address)?.[1];
  return slug === undefined ? "the project's slug, the part after `/project/`" : `\`${slug}\``;
};

const ASSIGNEE_VARIABLE = "LINEAR_ASSIGNEE";

/** An unset variable that was named on purpose is an error: it would quietly widen the scope to everybody's issues. */
function assignee(from: Written | null, around: Surroundings, findings: Findings): string | null {
  if (from === null) return variable(ASSIGNEE_VARIABLE, around);
  const name = referenceIn(from.value);
  if (name === null) return from.value === "" ? null : from.value;
  const value = variable(name, around);
  if (value === null && name !== ASSIGNEE_VARIABLE)
    findings.problem(
      from.key,
      `the environment variable ${name} is not set. Set it, or leave the key out to take anybody's issues.`,
    );
  return value;
}
