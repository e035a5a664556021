import { describe, expect, it } from "vitest";
import { unpainted } from "../../../../src/terminal/colour.ts";
import {
  type Check,
  type Examined,
  examine,
  fail,
  ok,
  skip,
  warn,
} from "../../../../src/cli/doctor/check.ts";
import { doctorView, findingText, verdict } from "../../../../src/cli/doctor/doctor-view.ts";

const named = (name: string, run: Check["run"]): Check => ({ name, run });
const all = (checks: readonly Check[], ms = 1_000) => Promise.all(examine(checks, ms));

describe("checks", () => {
  it("run at the same time", async () => {
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const found = await all([
      named("waits", async () => opened.then(() => ok("came"))),
      named("opens", async () => {
        open();
        return ok("went");
      }),
    ]);
    expect(found.map(({ text }) => text)).toEqual(["came", "went"]);
  });

  it("that hang are reported when their time is up, told to stop, and hold nobody up", async () => {
    let told = false;
    const hung = named("hung", async (signal) => {
      signal.addEventListener("abort", () => {
        told = true;
      });
      return new Promise(() => undefined);
    });
    const found = await all([hung, named("quick", async () => ok("done"))], 20);
    expect(found[0]).toMatchObject({ name: "hung", status: "fail", text: "gave no answer within 0.02 s" });
    expect(found[1]).toMatchObject({ status: "ok" });
    expect(told).toBe(true);
  });

  it("that throw have failed, with what they threw", async () => {
    const thrower = named("bad", async () => Promise.reject(new Error("it broke")));
    expect(await all([thrower])).toMatchObject([{ status: "fail", text: "it broke" }]);
  });
});

describe("what was found", () => {
  const finding = (name: string, what: ReturnType<typeof ok>): Examined => ({ name, tookMs: 3, ...what });
  const found = [
    finding("git", ok("2.39")),
    finding("login", fail("not logged in", "Run `codex login`.")),
    finding("workflow", warn("1 warning", null)),
    finding("tracker", skip("needs a workflow that loads")),
  ];

  it("is one line each, with what to do under what failed", () => {
    expect(found.map((one) => findingText(one, null, unpainted))).toEqual([
      "ok    git         2.39",
      "fail  login       not logged in\n                  → Run `codex login`.",
      "warn  workflow    1 warning",
      "skip  tracker     needs a workflow that loads",
    ]);
  });

  it("is summed up", () => {
    expect(verdict(found)).toBe("1 check failed, 1 warning, 1 skipped. What to do stands under each.");
    expect(verdict(found.slice(0, 1))).toBe("Nothing stands in the way: 1 check passed.");
  });

  it("is JSON for a script", () => {
    expect(doctorView(found).ok).toBe(false);
    expect(doctorView(found).checks[1]).toEqual({
      name: "login",
      status: "fail",
      text: "not logged in",
      todo: "Run `codex login`.",
      took_ms: 3,
    });
  });
});
