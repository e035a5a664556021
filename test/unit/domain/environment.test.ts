import { describe, expect, test } from "vitest";
import { scrubbed } from "../../../src/domain/environment.ts";

describe("a child's environment", () => {
  test("holds what programs need and nothing that was not allowed", () => {
    const kept = scrubbed(
      {
        PATH: "/bin",
        HOME: "/h",
        LC_ALL: "C",
        OPENAI_API_KEY: "k",
        AWS_SECRET_ACCESS_KEY: "s",
        X: undefined,
      },
      [],
    );
    expect(kept).toEqual({ PATH: "/bin", HOME: "/h", LC_ALL: "C" });
  });

  test("holds the names the workflow passes on", () => {
    expect(scrubbed({ GITHUB_TOKEN: "g", OTHER: "o" }, ["GITHUB_TOKEN", "MISSING"])).toEqual({
      GITHUB_TOKEN: "g",
    });
  });

  test("never holds the tracker's variables, even when they are listed", () => {
    const tracker = { LINEAR_API_KEY: "k", linear_token: "t" };
    expect(scrubbed(tracker, ["LINEAR_API_KEY", "linear_token"])).toEqual({});
  });

  test("never holds a secret under another name", () => {
    const environment = { MY_KEY: "lin_api_1", HTTPS_PROXY: "http://u:lin_api_1@proxy", PATH: "/bin" };
    expect(scrubbed(environment, ["MY_KEY"], ["lin_api_1", ""])).toEqual({ PATH: "/bin" });
  });
});
