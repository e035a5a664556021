import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { errorOf, KEY, settingsOf, warningsOf, withLines, withTracker } from "./parsing.ts";

const tracker = (lines: string, env = {}) => settingsOf(withTracker(lines), { ...KEY, ...env }).tracker;

describe("flat and nested keys", () => {
  test("tracker.provider.* means the same as the flat keys", () => {
    const text = `---\ntracker:\n  kind: linear\n  provider:\n    project_slug: web-1\n    api_key: $K\n    endpoint: http://127.0.0.1:9/graphql\n    assignee: me\n---\n`;
    expect(settingsOf(text, { K: "key" }).tracker).toMatchObject({
      projectSlug: "web-1",
      apiKey: "key",
      endpoint: "http://127.0.0.1:9/graphql",
      assignee: "me",
    });
  });

  test("given in both places and different is an error that names both", () => {
    const { message } = errorOf(withTracker("provider:\n  project_slug: other"));
    expect(message).toContain("6:19: tracker.provider.project_slug: ");
    expect(message).toContain("tracker.project_slug");
  });

  test("given in both places and equal is fine", () => {
    expect(tracker("provider:\n  project_slug: ' web-1 '").projectSlug).toBe("web-1");
  });
});

describe("API key", () => {
  let directory = "";
  beforeAll(() => {
    directory = mkdtempSync(path.join(tmpdir(), "baton-key-"));
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  const fileWith = (content: string): string => {
    const file = path.join(directory, `key-${Math.abs(content.length)}`);
    writeFileSync(file, content);
    return file;
  };
  const keyIn = (env: Record<string, string>, lines = "") =>
    settingsOf(withTracker(lines), env).tracker.apiKey;

  test("LINEAR_API_KEY is used without being named, and $VAR names another", () => {
    expect(keyIn({ LINEAR_API_KEY: " a " })).toBe("a");
    expect(keyIn({ OTHER: "b", LINEAR_API_KEY: "a" }, "api_key: $OTHER")).toBe("b");
    expect(keyIn({ OTHER: "b" }, "api_key: ${OTHER}")).toBe("b");
  });

  test("LINEAR_API_KEY_FILE names a file with the key, and the variable itself comes first", () => {
    const file = fileWith("from-file\n");
    expect(keyIn({ LINEAR_API_KEY_FILE: file })).toBe("from-file");
    expect(keyIn({ LINEAR_API_KEY_FILE: file }, "api_key: $LINEAR_API_KEY")).toBe("from-file");
    expect(keyIn({ LINEAR_API_KEY_FILE: file, LINEAR_API_KEY: "a" })).toBe("a");
    expect(keyIn({ MINE_FILE: file }, "api_key: $MINE")).toBe("from-file");
  });

  test("an unset, empty or unreadable source is a missing key, and the message says what was looked for", () => {
    const cases: [Record<string, string>, string, string][] = [
      [{}, "", "LINEAR_API_KEY is not set"],
      [{ LINEAR_API_KEY: " " }, "", "LINEAR_API_KEY is not set"],
      [{ LINEAR_API_KEY: "a" }, "api_key: $OTHER", "OTHER is not set"],
      [{ LINEAR_API_KEY: "a", OTHER: "" }, "api_key: $OTHER", "OTHER is not set"],
      [{ LINEAR_API_KEY: "a" }, "api_key: ''", "empty"],
      [{ LINEAR_API_KEY_FILE: path.join(directory, "none") }, "", "ENOENT"],
      [{ LINEAR_API_KEY_FILE: directory }, "", "regular file"],
      [{ LINEAR_API_KEY_FILE: fileWith("") }, "", "which is empty"],
      [{ LINEAR_API_KEY_FILE: fileWith("x".repeat(20_000)) }, "", "regular file"],
    ];
    for (const [env, lines, why] of cases) {
      const error = errorOf(withTracker(lines), env);
      expect(error.kind).toBe("missing_tracker_secret");
      expect(error.message).toContain(why);
    }
  });

  test("a key that no header could carry is refused without being shown", () => {
    const error = errorOf(withLines(""), { LINEAR_API_KEY: "two\nlines" });
    expect(error.kind).toBe("missing_tracker_secret");
    expect(error.message).not.toContain("two");
  });

  test("a key written into the file works, with a warning that does not repeat it", () => {
    const text = withTracker("api_key: lin_api_plain");
    expect(settingsOf(text, {}).tracker.apiKey).toBe("lin_api_plain");
    expect(warningsOf(text, {}).join()).toContain("tracker.api_key");
    expect(warningsOf(text, {}).join()).not.toContain("lin_api_plain");
  });

  test("no message ever shows a key, whatever else is wrong with it", () => {
    const secret = "lin_api_do_not_show";
    const texts = [
      withTracker(`api_key: [${secret}]`),
      withTracker(`provider: ${secret}`),
      withTracker(`api_key: ${secret}\nprovider:\n  api_key: other_${secret}`),
      `---\ntracker: ${secret}\n---\n`,
      withTracker("endpoint: $LINEAR_API_KEY"),
    ];
    for (const text of texts) expect(errorOf(text, { LINEAR_API_KEY: secret }).message).not.toContain(secret);
  });
});

describe("project", () => {
  test("$VAR is looked up, and an unset one is a missing project", () => {
    const text = "---\ntracker: {kind: linear, project_slug: $P}\n---\n";
    expect(settingsOf(text, { ...KEY, P: "web-2" }).tracker.projectSlug).toBe("web-2");
    const error = errorOf(text);
    expect(error.kind).toBe("invalid_tracker_config");
    expect(error.message).toContain("2:39: tracker.project_slug: the environment variable P is not set");
  });

  test.each(["web 0c79b11b75ea", "web-0c79b11b75ea?tab=issues", '"web"', "web#1"])(
    "%s is no slug, and the message says what one looks like",
    (slug) => {
      const error = errorOf(`---\ntracker: {kind: linear, project_slug: ${JSON.stringify(slug)}}\n---\n`);
      expect(error.kind).toBe("invalid_tracker_config");
      expect(error.message).toContain("is no slug");
    },
  );

  test.each(["web-0c79b11b75ea", "0c79b11b75ea", "проект-0c79b11b75ea", "demo_1"])("%s is one", (slug) => {
    const text = `---\ntracker: {kind: linear, project_slug: ${slug}}\n---\n`;
    expect(settingsOf(text).tracker.projectSlug).toBe(slug);
  });

  test("none at all is a missing project, and says where to find one", () => {
    const error = errorOf("---\ntracker:\n  kind: linear\n---\n");
    expect(error.kind).toBe("invalid_tracker_config");
    expect(error.message).toContain("linear.app/");
  });

  test("an address instead of a slug is answered with the slug", () => {
    const error = errorOf(
      "---\ntracker:\n  kind: linear\n  project_slug: https://linear.app/acme/project/web-0c79/overview\n---\n",
    );
    expect(error.message).toContain("`web-0c79`");
  });
});

describe("endpoint", () => {
  test.each([
    "https://linear.example/graphql",
    "http://localhost:1/x",
    "http://127.0.0.1:80/",
    "http://[::1]:4000/graphql",
  ])("%s may be asked", (endpoint) => {
    expect(tracker(`endpoint: "${endpoint}"`).endpoint).toBe(endpoint);
  });

  test.each([
    ["http://linear.example/graphql", "unencrypted"],
    ["http://127.0.0.1.example.com/", "unencrypted"],
    ["http://localhost.example.com/", "unencrypted"],
    ["ftp://x", "not a web address"],
    ["linear", "not a web address"],
    ["https://me:pw@linear.example/", "password"],
    ["$NOT_SET", "NOT_SET is not set"],
  ])("%s is refused: the key goes there", (endpoint, why) => {
    expect(errorOf(withTracker(`endpoint: "${endpoint}"`)).message).toContain(why);
  });

  test("$VAR is looked up", () => {
    expect(tracker("endpoint: $BOARD", { BOARD: "http://127.0.0.1:7/g" }).endpoint).toBe(
      "http://127.0.0.1:7/g",
    );
  });
});

describe("assignee", () => {
  test("LINEAR_ASSIGNEE is the default, and nobody in particular without it", () => {
    expect(tracker("").assignee).toBeNull();
    expect(tracker("", { LINEAR_ASSIGNEE: "me" }).assignee).toBe("me");
    expect(tracker("assignee: $LINEAR_ASSIGNEE").assignee).toBeNull();
    expect(tracker("assignee: ann@example.com", { LINEAR_ASSIGNEE: "me" }).assignee).toBe("ann@example.com");
  });

  test("another variable that is unset is an error, as it would widen the scope to everybody", () => {
    expect(errorOf(withTracker("assignee: $WHO")).message).toContain(
      "tracker.assignee: the environment variable WHO",
    );
  });
});
