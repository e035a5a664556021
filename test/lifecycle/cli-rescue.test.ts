/** The commands for saved work, as processes, on a rescue of a real repository. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { instant } from "../../src/domain/time.ts";
import { rescue } from "../../src/workspace/rescue/rescuer.ts";
import { rescueDirectory } from "../../src/workspace/rescue/rescues.ts";
import { type GitRig, gitRig } from "../contract/workspace-git-rig.ts";
import { baton } from "./cli-child.ts";

let rig: GitRig;
let head: string;
const id = "MT-1-20310509T080000Z";
const call = (...args: string[]) =>
  baton(["rescue", ...args, "--ledger", join(rig.base, ".baton", "ledger.db")], { cwd: rig.base });

beforeEach(async () => {
  rig = await gitRig();
  await rig.git("checkout", "--quiet", "-b", "topic");
  head = await rig.commit("a", "a");
  await rig.write("evil\u001b[31m", "x");
  await rescue(
    { of: { identifier: "MT-1", issueId: "id-1" }, path: rig.path, why: "its issue is finished" },
    { directory: rescueDirectory(join(rig.base, ".baton")), now: () => instant(Date.UTC(2031, 4, 9, 8)) },
  );
});
afterEach(() => rig.end());

describe("baton rescue", () => {
  it("lists what was saved, as a table and as JSON", async () => {
    const { code, out, err } = await call("list");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/^RESCUE +ISSUE +SAVED +COMMITS +FILES +SIZE +BRANCH\n/);
    expect(out).toContain("topic");
    expect(JSON.parse((await call("list", "--json")).out)).toMatchObject([
      { id, issue_identifier: "MT-1", commits: 1, files: 1, left_out: 0, path: expect.stringContaining(id) },
    ]);
  });

  it("shows one by its id or its issue, without escape codes of file names", async () => {
    const { code, out } = await call("show", "MT-1");
    expect(code).toBe(0);
    expect(out).toContain(`branch topic at ${head}: 1 commit not pushed`);
    expect(out).toContain("1 file changed or new:");
    expect(out).not.toContain("\u001b");
    expect(JSON.parse((await call("show", id, "--json")).out)).toMatchObject({ version: 1, id });
  });

  it("restores one into a new directory, and never over another", async () => {
    const { code, out } = await call("restore", "MT-1");
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringContaining("1 commit and 1 file of MT-1"),
    });
    expect(await rig.in(join(rig.base, id), "rev-parse", "HEAD")).toBe(head);
    expect(await readFile(join(rig.base, id, "a"), "utf8")).toBe("a");
    const again = await call("restore", "MT-1");
    expect(again).toMatchObject({ code: 1, out: "", err: expect.stringContaining("is there already") });
    const elsewhere = await call("restore", id, "--to", "new/place", "--json");
    expect(JSON.parse(elsewhere.out)).toMatchObject({ id, to: join(rig.base, "new", "place"), commits: 1 });
  });

  it("says what to do where there is nothing of that name, and where there is nothing at all", async () => {
    expect(await call("show", "MT-11")).toMatchObject({
      code: 1,
      err: expect.stringContaining("Did you mean MT-1"),
    });
    const none = await baton(["rescue", "list", "--ledger", "/none/ledger.db"], { cwd: rig.base });
    expect(none).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining("no ledger at /none/ledger.db"),
    });
  });
});
