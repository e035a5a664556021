import { describe, expect, test } from "vitest";
import { errorOf, KEY, settingsOf, warningsOf, withLines, withTracker } from "./parsing.ts";

describe("codex.env_pass and codex.env_provider", () => {
  test("env_pass holds names, and the tracker's are never among them", () => {
    expect(errorOf(withLines("codex:\n  env_pass: [$GH_TOKEN]")).message).toContain("codex.env_pass");
    expect(errorOf(withLines("codex:\n  env_pass: [A=secret]")).message).not.toContain("secret");
    expect(warningsOf(withLines("codex:\n  env_pass: [LINEAR_API_KEY]")).join()).toContain("never handed");
  });

  test("env_provider is as strict", () => {
    expect(errorOf(withLines("codex:\n  env_provider: [A=secret]")).message).not.toContain("secret");
    expect(warningsOf(withLines("codex:\n  env_provider: [LINEAR_X]")).join()).toContain("never handed");
  });

  test("a name is in one of them", () => {
    const error = errorOf(withLines("codex:\n  env_pass: [A, B]\n  env_provider: [B]"));
    expect(error.message).toContain("WORKFLOW.md:7:17: codex.env_provider: B is in codex.env_pass as well");
  });

  test("a provider's key that every command would see is said", () => {
    const said = warningsOf(withLines("codex:\n  env_pass: [OPENAI_API_KEY]")).join();
    expect(said).toContain("OPENAI_API_KEY is shown to every command");
    expect(said).toContain("codex.env_provider");
  });
});

describe("a variable that codex.command or a hook names", () => {
  const clone = withLines('hooks:\n  after_create: |\n    set -e\n    git clone "$SOURCE_REPO_URL" .');

  test("and that is not set is a warning with its place", () => {
    const [said = "", ...more] = warningsOf(clone);
    expect(said).toMatch(
      /WORKFLOW\.md:6:17: hooks\.after_create: uses \$SOURCE_REPO_URL in its line 2, which is not set/,
    );
    expect(more).toEqual([]);
    expect(warningsOf(withLines("codex:\n  command: $CODEX_BIN app-server"))).toEqual([
      expect.stringMatching(/WORKFLOW\.md:6:12: codex\.command: uses \$CODEX_BIN, which is not set/),
    ]);
  });

  test("and that is set, or the script's own, is none", () => {
    expect(warningsOf(clone, { ...KEY, SOURCE_REPO_URL: "" })).toEqual([]);
    const own = withLines(
      'hooks:\n  before_run: |\n    dir=$(mktemp -d); cd "$dir" "$BATON_WORKSPACE" "$HOME"',
    );
    expect(warningsOf(own)).toEqual([]);
  });

  test.each([
    ["LINEAR_API_KEY", withLines("hooks:\n  before_run: curl -H $LINEAR_API_KEY x"), {}],
    ["LINEAR_API_KEY_FILE", withLines('codex:\n  command: cat "${LINEAR_API_KEY_FILE}"'), {}],
    ["OTHER", withLines("codex:\n  command: A=$OTHER codex app-server"), { OTHER: "x lin_test_key" }],
    [
      "MINE",
      withTracker("api_key: $MINE\nrequired_labels: [a]\nhooks: {}").replace(
        "  hooks: {}",
        "hooks:\n  after_run: echo ${MINE:-}",
      ),
      { MINE: "k" },
    ],
  ])("and that holds the tracker's secret is an error that names both: %s", (name, text, env) => {
    const { message } = errorOf(text, { ...KEY, ...env });
    expect(message).toMatch(/(hooks|codex)\.\w+: uses/);
    expect(message).toContain(`$${name}`);
    expect(message).toContain("tracker.api_key");
  });

  test("and that the script itself sets, or another program reads, is not the tracker's", () => {
    const text = withLines(
      "hooks:\n  before_run: |\n    LINEAR_API_KEY=none; echo $LINEAR_API_KEY; grep '$LINEAR_API_KEY' x",
    );
    expect(settingsOf(text).hooks.beforeRun).toContain("grep");
    expect(warningsOf(text)).toEqual([]);
  });

  test("and that is another one of the tracker's stays behind, which is said", () => {
    expect(
      warningsOf(withLines("hooks:\n  before_run: echo $LINEAR_TEAM"), { ...KEY, LINEAR_TEAM: "x" }),
    ).toEqual([expect.stringContaining("Variables of the tracker are never handed on")]);
  });
});
