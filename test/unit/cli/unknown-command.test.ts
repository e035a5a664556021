import { expect, test } from "vitest";
import { unknownCommand } from "../../../src/cli/unknown-command.ts";

const commands = ["run", "runs", "status", "show", "validate"];

test.each([
  ["stauts", "Did you mean `baton status`?"],
  ["statu", "Did you mean `baton status`?"],
  ["Shwo", "Did you mean `baton show`?"],
])("a word that is no command, as %s, is answered with the one that was meant", (word, hint) => {
  const error = unknownCommand(word, commands);
  expect(error).toMatchObject({ code: 2 });
  expect(error.message).toContain(`no command \`${word}\``);
  expect(error.message).toContain(hint);
});

test("a command after the options of another is told its place", () => {
  expect(unknownCommand("show", commands).message).toBe(
    "the command comes before its options: baton show ...",
  );
});

test("nothing is invented for a word that is near to none", () => {
  expect(unknownCommand("frobnicate", commands).message).not.toContain("Did you mean");
});
