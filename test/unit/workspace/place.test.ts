import { describe, expect, test } from "vitest";
import { keyBeside, olderWorkspaceKey } from "../../../src/workspace/key.ts";
import { isSameIssue, type Owner } from "../../../src/workspace/owner.ts";
import { placeOf, placesOf, type Registry } from "../../../src/workspace/place.ts";
import { acme } from "../../whose.ts";

const owner: Owner = { tracker: acme, issueId: "id-7", identifier: "ENG-7", workflow: "main" };
const other: Owner = { ...owner, tracker: { ...acme, organisation: "globex" }, issueId: "id-9" };

/** Directories by name, each with its record or none. */
const root = (directories: Readonly<Record<string, Owner | null>>): Registry => ({
  of: async (key) => directories[key] ?? null,
  keysOf: async (one) =>
    Object.keys(directories).filter((key) => {
      const found = directories[key] ?? null;
      return found !== null && isSameIssue(found, one);
    }),
  isThere: async (key) => key in directories,
});

describe("an issue works", () => {
  test("in the directory of its name, when it has none", async () => {
    expect(await placeOf(owner, root({}))).toEqual({ key: "ENG-7", taken: null });
  });

  test("in the directory of its name that nobody has claimed", async () => {
    expect(await placeOf(owner, root({ "ENG-7": null }))).toEqual({ key: "ENG-7", taken: null });
  });

  test("in the directory it has, whatever it is called now", async () => {
    const renamed = { ...owner, identifier: "OPS-1" };
    expect((await placeOf(renamed, root({ "ENG-7": owner, "OPS-1": null }))).key).toBe("ENG-7");
    expect((await placeOf(renamed, root({ "ENG-7": owner, "OPS-1": owner }))).key).toBe("OPS-1");
  });

  test("beside the directory of its name, when that is another issue's", async () => {
    const beside = keyBeside("ENG-7", "linear", "id-7");
    expect(await placeOf(owner, root({ "ENG-7": other }))).toEqual({ key: beside, taken: other });
    expect(beside).toMatch(/^ENG-7-[0-9a-f]{16}$/);
  });

  test("in the directory that an earlier release made for it, when nobody has claimed that", async () => {
    for (const identifier of ["a/b", "MT-12345678"]) {
      const older = olderWorkspaceKey(identifier) ?? "";
      const issue = { ...owner, identifier };
      expect((await placeOf(issue, root({ [older]: null }))).key).toBe(older);
      expect((await placeOf(issue, root({ [older]: other }))).key).not.toBe(older);
    }
  });
});

describe("with an issue go", () => {
  test("the directories recorded as its own, and one of its name without a record", async () => {
    const directories = root({ old: owner, "ENG-7": null, another: other });
    expect(await placesOf(owner, directories, false)).toEqual(["old", "ENG-7"]);
    expect(await placesOf(owner, directories, true)).toEqual(["old"]);
  });

  test("no other issue's, whatever it is called", async () => {
    expect(await placesOf(owner, root({ "ENG-7": other }), false)).toEqual([]);
  });
});
