import { expect, test } from "vitest";
import { greetingWords, namesFinding } from "../../../../src/cli/doctor/tracker-checks.ts";
import { settingsOf, withLines } from "../../workflow/parsing.ts";

const { tracker } = settingsOf(withLines(""));

test("a tracker that answers says whose the key is, one without a key whom it takes us for", () => {
  const keyed = { ...tracker, endpoint: "https://tracker.example", apiKey: "k" };
  expect(greetingWords(keyed, "Ada")).toBe("https://tracker.example answers; the key is Ada's");
  const keyless = { ...tracker, kind: "files", endpoint: "", apiKey: "" };
  expect(greetingWords(keyless, "ada")).toBe("files answers; we are ada there");
});

test("names that are not there are a warning, and a failure when nothing could ever be taken", () => {
  const text = 'no state is called "Todoo" in team ENG; it has: Todo';
  expect(namesFinding([], tracker)).toMatchObject({ status: "ok" });
  expect(namesFinding([{ of: "states", text, isFatal: false }], tracker)).toMatchObject({
    status: "warn",
    text,
  });
  expect(namesFinding([{ of: "states", text, isFatal: true }], tracker)).toMatchObject({
    status: "fail",
    blames: "configuration",
  });
});
