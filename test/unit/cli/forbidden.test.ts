import { expect, test } from "vitest";
import { forbiddenBy, forbiddenWords } from "../../../src/cli/forbidden.ts";

const names = new Map([
  [1000, "baton"],
  [65534, "nobody"],
]);
const name = (uid: number): string | null => names.get(uid) ?? null;
const path = "/srv/.baton/ledger.db";

test("what belongs to somebody else is said with its owner and how to run as that", () => {
  expect(forbiddenWords(path, 1000, 65534, name)).toBe(
    "/srv/.baton/ledger.db cannot be read or written by this user (nobody), it belongs to baton: run the same as that user, `sudo -u baton baton ...`.",
  );
});

test("an owner without a name is told by number, as sudo takes it", () => {
  expect(forbiddenWords(path, 4711, 65534, name)).toContain(
    "it belongs to user 4711: run the same as that user, `sudo -u '#4711' baton ...`",
  );
});

test("what is one's own and closed asks for its mode, not for another user", () => {
  expect(forbiddenWords(path, 1000, 1000, name)).toMatch(/\(baton\).*chmod u\+rwX/);
});

test("only a refusal of the system is one, and it has the code of a failure", () => {
  const refused = Object.assign(new Error("EACCES: permission denied, lstat"), { code: "EACCES", path: "/" });
  expect(forbiddenBy(refused)).toMatchObject({
    code: 1,
    message: expect.stringContaining("/ cannot be read") as string,
  });
  expect(forbiddenBy(Object.assign(refused, { code: "ENOENT" }))).toBeNull();
  expect(forbiddenBy(new Error("a fault"))).toBeNull();
});
