import { expect, test } from "vitest";
import type { FactBody } from "../../../../src/domain/fact.ts";
import {
  type HookCall,
  type HookName,
  type HookOutcome,
  runHook,
  scriptOf,
} from "../../../../src/workspace/hooks/port.ts";
import { whose } from "../../../whose.ts";

const hooks = { afterCreate: "ac", beforeRun: "br", afterRun: "ar", beforeRemove: null, timeoutMs: 70 };
const call = (hook: HookName): Omit<HookCall, "script"> => ({
  hook,
  path: "/ws/MT-1",
  cwd: "/held",
  of: {
    identifier: "MT-1",
    issueId: "id-1",
    runId: null,
    mark: null,
    workspace: { root: "/ws", minFreeBytes: 0, maxBytes: null },
    hooks,
    ...whose,
    envPass: [],
  },
  signal: null,
});

/** What came of a hook that ends so, and all that was seen of it. */
async function ran(hook: HookName, outcome: HookOutcome) {
  const facts: FactBody[] = [];
  const calls: HookCall[] = [];
  const times = [10, 12.6];
  const run = async (one: HookCall): Promise<HookOutcome> => {
    calls.push(one);
    return outcome;
  };
  const error = await runHook({ run, now: () => times.shift() ?? 0 }, call(hook), (fact) => facts.push(fact));
  return { error, facts, calls };
}

test("each hook has its own script", () => {
  const names = ["after_create", "before_run", "after_run", "before_remove"] as const;
  expect(names.map((hook) => scriptOf(hooks, hook))).toEqual(["ac", "br", "ar", null]);
});

test("a hook that the workflow does not have is not run, not told, and no trouble", async () => {
  const { error, facts, calls } = await ran("before_remove", { ok: true, output: "" });
  expect([error, facts, calls]).toEqual([null, [], []]);
});

test("a hook that ends well is told with its time, and its script was run where it was to be", async () => {
  const { error, facts, calls } = await ran("before_run", { ok: true, output: "hi" });
  expect(error).toBeNull();
  expect(calls).toEqual([{ ...call("before_run"), script: "br" }]);
  expect(facts).toEqual([
    { type: "hook_started", hook: "before_run" },
    { type: "hook_ran", hook: "before_run", ok: true, tookMs: 3, output: "hi", error: null },
  ]);
});

test.each([
  ["hook_failed", "Run the script of hooks.after_run by hand"],
  ["hook_timeout", "raise hooks.timeout_ms (now 70)"],
] as const)("%s is told once, and answered as the error with what to do: %s", async (kind, hint) => {
  const { error, facts } = await ran("after_run", { ok: false, kind, error: "went wrong", output: "oh no" });
  const message = "hook after_run of MT-1 went wrong (in /ws/MT-1)";
  expect(error).toMatchObject({
    kind,
    message: `${message}: oh no`,
    output: "oh no",
    hint: expect.stringContaining(hint),
  });
  expect(facts).toEqual([
    { type: "hook_started", hook: "after_run" },
    { type: "hook_ran", hook: "after_run", ok: false, tookMs: 3, output: "oh no", error: message },
  ]);
});

test("a failure that ends or holds work has the hook's last words, and its fact tells them by itself", async () => {
  const output = "Cloning...\nfatal: unable to access git host\n\n";
  const outcome = { ok: false, kind: "hook_failed", error: "exited with code 128", output } as const;
  const { error, facts } = await ran("after_create", outcome);
  expect(error?.message).toBe(
    "hook after_create of MT-1 exited with code 128 (in /ws/MT-1): fatal: unable to access git host",
  );
  expect(facts.at(-1)).toMatchObject({
    error: "hook after_create of MT-1 exited with code 128 (in /ws/MT-1)",
  });
});
