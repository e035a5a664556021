import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { workIn } from "../../../../src/workspace/git/work.ts";
import { type GitRig, gitRig } from "../../../contract/workspace-git-rig.ts";

let rig: GitRig;
beforeEach(async () => {
  rig = await gitRig();
});
afterEach(() => rig.end());

const work = (path = rig.path) => workIn(path, join(rig.base, "scratch"));

test("work in a checkout is its branch, the commits on no remote and the changed files", async () => {
  expect(await work()).toMatchObject([
    { at: "", branch: "main", ahead: 0, commits: [], dirty: 0, files: [] },
  ]);
  await rig.git("checkout", "--quiet", "-b", "topic/one");
  await rig.commit("new.ts", "one\n");
  await rig.commit("new.ts", "two\n");
  await rig.write("loose.ts", "three\n");
  const [found] = (await work()) ?? [];
  expect(found).toMatchObject({ branch: "topic/one", ahead: 2, dirty: 1, files: ["loose.ts"] });
  expect(found?.commits).toEqual([
    expect.stringMatching(/^[0-9a-f]{7,} write new.ts$/),
    expect.stringMatching(/^[0-9a-f]{7,} write new.ts$/),
  ]);
});

test("a place without a repository has none, and one that is not there cannot be told", async () => {
  expect(await work(rig.base)).toEqual(expect.any(Array));
  expect(await work(join(rig.base, "nowhere"))).toBeNull();
});
