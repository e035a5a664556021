import { expect, test } from "vitest";
import { greetingWords } from "../../../../src/cli/doctor/tracker-checks.ts";
import { settingsOf, withLines } from "../../workflow/parsing.ts";

const { tracker } = settingsOf(withLines(""));

test("a tracker that answers says whose the key is, one without a key whom it takes us for", () => {
  const keyed = { ...tracker, endpoint: "https://tracker.example", apiKey: "k" };
  expect(greetingWords(keyed, "Ada")).toBe("https://tracker.example answers; the key is Ada's");
  const keyless = { ...tracker, kind: "files", endpoint: "", apiKey: "" };
  expect(greetingWords(keyless, "ada")).toBe("files answers; we are ada there");
});
