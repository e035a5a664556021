import { describe, expect, test } from "vitest";
import { errorOf, settingsOf, warningsOf, withLines } from "./parsing.ts";

test("a file with only the required keys has SPEC's defaults and ours", () => {
  expect(settingsOf(withLines(""))).toEqual({
    name: "WORKFLOW",
    tracker: {
      kind: "linear",
      endpoint: "https://api.linear.app/graphql",
      apiKey: "lin_test_key",
      projectSlug: "web-1",
      assignee: null,
      requiredLabels: [],
      activeStates: ["Todo", "In Progress"],
      terminalStates: ["Closed", "Cancelled", "Canceled", "Duplicate", "Done"],
    },
    pollIntervalMs: 30_000,
    workspace: { root: "/var/tmp/symphony_workspaces", minFreeBytes: 2 * 1024 ** 3, maxBytes: null },
    rescue: { retentionDays: 14 },
    hooks: { afterCreate: null, beforeRun: null, afterRun: null, beforeRemove: null, timeoutMs: 60_000 },
    agent: {
      maxConcurrentAgents: 10,
      maxConcurrentAgentsByState: new Map(),
      maxTurns: 20,
      maxRetryBackoffMs: 300_000,
    },
    codex: {
      command: "codex app-server",
      model: null,
      reasoningEffort: null,
      serviceTier: null,
      approvalPolicy: "never",
      threadSandbox: "workspace-write",
      turnSandboxPolicy: null,
      writableGit: true,
      envPass: [],
      envProvider: [],
      turnTimeoutMs: 3_600_000,
      readTimeoutMs: 5_000,
      stallTimeoutMs: 300_000,
      toolTimeoutMs: 600_000,
    },
    limits: {
      maxRunsPerIssue: 15,
      maxTokensPerIssue: 40_000_000,
      maxTokensPerDay: null,
      maxFailures: 10,
      maxIdleRuns: 3,
      maxRunMs: 21_600_000,
    },
    policy: {
      approvals: { mode: "auto", timeoutMs: 900_000, onTimeout: "deny" },
      questions: { mode: "decline" },
    },
    ledger: { path: null, retentionDays: 30 },
    server: { port: null, host: "127.0.0.1", auth: "token" },
    shutdownGraceMs: 30_000,
  });
});

describe("sizes", () => {
  const sizes = (min: string, max: string) =>
    settingsOf(withLines(`workspace:\n  min_free_bytes: ${min}\n  max_bytes: ${max}`)).workspace;

  test("are whole numbers of bytes, or have a unit", () => {
    expect(sizes("0", "500MB")).toMatchObject({ minFreeBytes: 0, maxBytes: 500_000_000 });
    expect(sizes("1.5 GiB", "40_000_000")).toMatchObject({
      minFreeBytes: 1_610_612_736,
      maxBytes: 40_000_000,
    });
  });

  test.each(["-1", "1.5", "some", "2 GiBs", "[1]", "true", "99999999TiB"])("%s is refused", (value) => {
    expect(errorOf(withLines(`workspace:\n  min_free_bytes: ${value}`)).message).toContain(
      "6:19: workspace.min_free_bytes: must be a size of at least 0 bytes: a whole number of bytes, or text like `500MB` or `2GiB`, got",
    );
  });

  test("no room at all for workspaces is refused", () => {
    expect(errorOf(withLines("workspace:\n  max_bytes: 0")).message).toContain("at least 1 byte:");
  });
});

describe("numbers", () => {
  test("a string that spells a whole number is one (SPEC 5.3)", () => {
    const settings = settingsOf(
      withLines(
        'polling:\n  interval_ms: "5000"\nagent:\n  max_turns: " 7 "\nlimits:\n  max_tokens_per_issue: 40_000_000',
      ),
    );
    expect([settings.pollIntervalMs, settings.agent.maxTurns]).toEqual([5000, 7]);
    expect(settings.limits.maxTokensPerIssue).toBe(40_000_000);
  });

  test.each(["abc", "0", "-3", "1.5", '"2x"', "[1]", "true", ".inf", "99999999999999999999"])(
    "agent.max_turns: %s is refused, with place, key and value",
    (value) => {
      const error = errorOf(withLines(`agent:\n  max_turns: ${value}`));
      expect(error.kind).toBe("workflow_invalid");
      expect(error.message).toMatch(
        /^\/repo\/WORKFLOW\.md:6:14: agent\.max_turns: must be a whole number of at least 1, got /,
      );
    },
  );

  test("a time that a timer cannot wait for is refused, as it would fire at once", () => {
    expect(errorOf(withLines("polling:\n  interval_ms: 3000000000")).message).toContain("at most 2147483647");
  });

  test("stall_timeout_ms of zero or less switches stall detection off (SPEC 5.3.6)", () => {
    for (const value of ["0", "-1", '"-5"'])
      expect(settingsOf(withLines(`codex:\n  stall_timeout_ms: ${value}`)).codex.stallTimeoutMs).toBe(0);
  });

  test("a hook timeout that is not positive is refused, with its place (SPEC 5.3.4)", () => {
    for (const value of ["0", "-10", '"-10"']) {
      const { message } = errorOf(withLines(`hooks:\n  timeout_ms: ${value}`));
      expect(message).toContain("6:15: hooks.timeout_ms");
    }
  });

  test("caps per state: names are normalised, invalid entries are ignored and named (SPEC 5.3.5)", () => {
    const text = withLines(
      'agent:\n  max_concurrent_agents_by_state:\n    " In Progress ": 2\n    Todo: "3"\n    Rework: 0\n    Merging: many\n    Review: 1.5',
    );
    expect(settingsOf(text).agent.maxConcurrentAgentsByState).toEqual(
      new Map([
        ["in progress", 2],
        ["todo", 3],
      ]),
    );
    expect(warningsOf(text).map((warning) => warning.split(": ")[1])).toEqual(
      ["Rework", "Merging", "Review"].map((state) => `agent.max_concurrent_agents_by_state.${state}`),
    );
  });
});

test("caps of one state under two spellings: the last one counts, and that is said", () => {
  const text = withLines("agent:\n  max_concurrent_agents_by_state:\n    Todo: 1\n    ' todo': 2");
  expect(settingsOf(text).agent.maxConcurrentAgentsByState).toEqual(new Map([["todo", 2]]));
  expect(warningsOf(text)).toEqual([expect.stringContaining('is the same state as "Todo" above')]);
});

test("a number that may be anything is asked for without a gap in the sentence", () => {
  const { message } = errorOf(withLines("codex:\n  stall_timeout_ms: none"));
  expect(message).toMatch(/must be a whole number(?: at most \d+)?, got/);
});

describe("everything else", () => {
  test("all keys of the documentation are read", () => {
    const settings = settingsOf(
      withLines(`name: nightly
codex:
  command: my-codex
  model: m
  reasoning_effort: high
  service_tier: fast
  writable_git: false
  env_pass: GH_TOKEN, NPM_TOKEN
  env_provider: [GATEWAY_LOGIN]
limits:
  max_runs_per_issue: 1
  max_tokens_per_issue: 2
  max_tokens_per_day: 3
  max_failures: 4
  max_idle_runs: 5
  max_run_ms: 6
approvals: {mode: deny, timeout_ms: 7, on_timeout: park}
questions: {mode: operator}
ledger: {path: /l.db, retention_days: 8}
rescue: {retention_days: 10}
server: {port: 0, host: "::1", auth: none}
shutdown: {grace_ms: 9}`),
    );
    expect(settings.name).toBe("nightly");
    expect(settings.codex).toMatchObject({
      command: "my-codex",
      model: "m",
      reasoningEffort: "high",
      serviceTier: "fast",
    });
    expect(settings.codex).toMatchObject({ writableGit: false, envPass: ["GH_TOKEN", "NPM_TOKEN"] });
    expect(settings.codex.envProvider).toEqual(["GATEWAY_LOGIN"]);
    expect(Object.values(settings.limits)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(settings.policy.approvals).toEqual({ mode: "deny", timeoutMs: 7, onTimeout: "park" });
    expect(settings.policy.questions).toEqual({ mode: "operator" });
    expect(settings.ledger).toEqual({ path: "/l.db", retentionDays: 8 });
    expect(settings.rescue).toEqual({ retentionDays: 10 });
    expect(settings.server).toEqual({ port: 0, host: "::1", auth: "none" });
    expect(settings.shutdownGraceMs).toBe(9);
  });

  test("approvals wait for a person unless Codex is told never to ask", () => {
    const mode = (policy: string) =>
      settingsOf(withLines(`codex:\n  approval_policy: ${policy}`)).policy.approvals.mode;
    expect(mode("never")).toBe("auto");
    expect(mode("on-request")).toBe("operator");
    expect(mode("untrusted")).toBe("operator");
  });

  test("an empty command, a wrong choice and a name over two lines are refused", () => {
    const error = errorOf(
      withLines('name: "a\\nb"\ncodex:\n  command: " "\nquestions:\n  mode: ask\nserver:\n  port: 70000'),
    );
    expect(error.problems.map((problem) => problem.key)).toEqual([
      "name",
      "codex.command",
      "questions.mode",
      "server.port",
    ]);
    expect(error.message).toContain('must be one of `decline`, `operator`, `park`, got "ask"');
  });

  test("one error lists every problem, in the order of the file", () => {
    const error = errorOf(
      "---\ntracker:\n  kind: jira\nagent:\n  max_turns: x\ncodex: nonsense\nserver:\n  port: -1\n---\n",
      {},
    );
    expect(error.kind).toBe("unsupported_tracker_kind");
    expect(error.problems.map((problem) => problem.key)).toEqual([
      "tracker.api_key",
      "tracker.project_slug",
      "tracker.kind",
      "agent.max_turns",
      "codex",
      "server.port",
    ]);
    expect(error.message.split("\n")).toHaveLength(6);
  });
});

test("a credential that stands in the wrong place is not repeated by the error about it", () => {
  for (const key of ["sk-0123456789abcdefSECRET", "lin_api_0123456789abcdef", "ghp_0123456789abcdefSECRET"]) {
    const message = errorOf(
      withLines(`server:\n  port: ${key}\ncodex:\n  approval_policy: "x ${key}"`),
    ).message;
    expect(message).not.toContain(key.slice(4));
    expect(message).toContain(key.slice(0, 4));
  }
  expect(errorOf(withLines("server:\n  auth: somethingquitelong")).message).toContain("somethingquitelong");
});
