/** The cases every implementation of the workspace port must pass: the real one and the fake. */
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { FactBody } from "../../src/domain/fact.ts";
import type { HookSettings } from "../../src/domain/settings.ts";
import { keyBeside, workspaceKey } from "../../src/workspace/key.ts";
import type { Planted } from "../../src/workspace/memory.ts";
import type { Tenancy, Tenant } from "../../src/workspace/owner.ts";
import { WorkspaceError, type WorkspaceFor, type Workspaces } from "../../src/workspace/port.ts";
import { acme, idOf, whose } from "../whose.ts";

export interface WorkspaceWorld {
  readonly workspaces: Workspaces;
  readonly root: string;
  /** Scripts this world's hooks understand: one that says `hello`, one that says `oh no` and fails, one that hangs. */
  readonly scripts: { readonly says: string; readonly fails: string; readonly hangs: string };
  /** The daemon of an installation, on the same root. */
  daemonOf(tenancy: Tenancy): Workspaces;
  /** Replaces whatever is at `<root>/<key>`. */
  plant(key: string, what: Planted | null): Promise<void>;
  end(): Promise<void>;
}

const noHooks: HookSettings = {
  afterCreate: null,
  beforeRun: null,
  afterRun: null,
  beforeRemove: null,
  timeoutMs: 20_000,
};

export function workspaceSuite(name: string, begin: () => Promise<WorkspaceWorld>): void {
  describe(`workspaces, ${name}`, () => {
    let world: WorkspaceWorld;
    let facts: FactBody[];
    const live = new AbortController().signal;
    const report = (fact: FactBody): void => void facts.push(fact);

    beforeEach(async () => {
      world = await begin();
      facts = [];
    });
    afterEach(() => world.end());

    const issue = (hooks: Partial<HookSettings> = {}, identifier = "MT-1"): WorkspaceFor => ({
      identifier,
      issueId: idOf(identifier),
      runId: "run-1",
      mark: "mark-1",
      workspace: { root: world.root, minFreeBytes: 0, maxBytes: null },
      hooks: { ...noHooks, ...hooks },
      ...whose,
      envPass: [],
    });
    const prepare = (of: WorkspaceFor) => world.workspaces.prepare(of, report, live);
    const keys = () => world.workspaces.existing(issue().workspace);
    const hooksRun = () => facts.flatMap((fact) => (fact.type === "hook_ran" ? [[fact.hook, fact.ok]] : []));
    const errorOf = async (work: Promise<unknown>): Promise<WorkspaceError> => {
      const error: unknown = await work.then(
        () => null,
        (cause: unknown) => cause,
      );
      if (error instanceof WorkspaceError) return error;
      throw new Error("no WorkspaceError came", { cause: error });
    };

    test("a root that does not exist has no workspaces and nothing to remove", async () => {
      const root = join(world.root, "not", "there");
      const of = { ...issue(), workspace: { ...issue().workspace, root } };
      expect(await world.workspaces.existing(of.workspace)).toEqual([]);
      expect(await world.workspaces.remove(of, report)).toBe(false);
      expect(facts).toEqual([]);
    });

    test("a workspace is made once and then reused; after_create runs only when it is made", async () => {
      const of = issue({ afterCreate: world.scripts.says });
      const made = await prepare(of);
      expect(made).toEqual({ path: join(world.root, "MT-1"), key: "MT-1", createdNow: true });
      expect(await prepare(of)).toEqual({ ...made, createdNow: false });
      expect(hooksRun()).toEqual([["after_create", true]]);
      expect(facts.filter((fact) => fact.type === "workspace_ready")).toEqual([
        { type: "workspace_ready", path: made.path, created: true },
        { type: "workspace_ready", path: made.path, created: false },
      ]);
      expect(await keys()).toEqual(["MT-1"]);
    });

    test("two issues of one name in two organisations work apart, and the end of one leaves the other alone", async () => {
      const acmes = issue({}, "ENG-7");
      const globexs = { ...acmes, issueId: "another", tracker: { ...acme, organisation: "globex" } };
      const first = await prepare(acmes);
      facts = [];
      const second = await prepare(globexs);
      expect([first.key, second.key]).toEqual(["ENG-7", keyBeside("ENG-7", "linear", "another")]);
      expect(second.createdNow).toBe(true);
      expect(facts[0]).toMatchObject({ type: "warning", message: expect.stringContaining("ENG-7") });
      expect((await prepare(globexs)).createdNow).toBe(false);
      expect(await world.workspaces.remove(acmes, report)).toBe(true);
      expect(await keys()).toEqual([second.key]);
      expect(await world.workspaces.remove(acmes, report)).toBe(false);
      expect((await prepare(globexs)).path).toBe(second.path);
    });

    test("an issue that is called otherwise now keeps its directory, and takes it along when it is done", async () => {
      const before = await prepare(issue({}, "ENG-7"));
      const moved = { ...issue({}, "OPS-1"), issueId: idOf("ENG-7") };
      expect(await prepare(moved)).toEqual({ ...before, createdNow: false });
      expect([...(await world.workspaces.owners(moved.workspace))]).toMatchObject([
        ["ENG-7", { issueId: moved.issueId, identifier: "OPS-1" }],
      ]);
      expect(await world.workspaces.remove(moved, report)).toBe(true);
      expect([await keys(), [...(await world.workspaces.owners(moved.workspace))]]).toEqual([[], []]);
    });

    describe("two daemons on one root", () => {
      const [one, other]: readonly Tenant[] = [
        { installation: "one", ledger: "/srv/one/ledger.db" },
        { installation: "other", ledger: "/srv/other/ledger.db" },
      ];
      const served = new Set<string>();
      const daemon = (self: Tenant | undefined): Workspaces => {
        if (self === undefined) throw new Error("no installation");
        served.add(self.ledger);
        const isServed = (tenant: Tenant): boolean => served.has(tenant.ledger);
        return world.daemonOf({ self, isServed });
      };
      const end = (self: Tenant | undefined): void => void served.delete(self?.ledger ?? "");
      const said = async (work: Promise<unknown>): Promise<string> => {
        const { kind, message } = await errorOf(work);
        expect(kind).toBe("workspace_in_use");
        return message;
      };

      test("the workspace that a daemon works in is refused to the other one, and stays, as long as the first lives", async () => {
        const of = issue();
        const [first, second] = [daemon(one), daemon(other)];
        const made = await first.prepare(of, report, live);
        expect(await said(second.prepare(of, report, live))).toContain("/srv/one/ledger.db");
        expect(await said(second.remove(of, report))).toContain("another daemon works in");
        expect(await first.prepare(of, report, live)).toEqual({ ...made, createdNow: false });
        const owners = await second.owners(of.workspace);
        expect(
          [...owners.values()].map((owner) => [first, second].map((it) => it.isElsewhere(owner))),
        ).toEqual([[false, true]]);
        expect(await first.remove(of, report)).toBe(true);
        expect((await second.prepare(of, report, live)).createdNow).toBe(true);
      });

      test("the record of a daemon that has ended is no obstacle: it is taken over, and then holds against that one", async () => {
        const of = issue();
        const [first, second] = [daemon(one), daemon(other)];
        await first.prepare(of, report, live);
        end(one);
        expect((await second.prepare(of, report, live)).createdNow).toBe(false);
        expect(await said(daemon(one).prepare(of, report, live))).toContain("/srv/other/ledger.db");
        end(other);
        expect(await daemon(one).remove(of, report)).toBe(true);
      });

      test("a record that names no installation is anybody's", async () => {
        const of = issue();
        await world.workspaces.prepare(of, report, live);
        expect((await daemon(one).prepare(of, report, live)).createdNow).toBe(false);
        expect(await said(daemon(other).remove(of, report))).toContain("/srv/one/ledger.db");
      });

      test("other tickets of the other daemon are nobody's concern", async () => {
        await daemon(one).prepare(issue({}, "MT-1"), report, live);
        expect((await daemon(other).prepare(issue({}, "MT-2"), report, live)).key).toBe("MT-2");
        expect(await daemon(other).remove(issue({}, "MT-2"), report)).toBe(true);
      });
    });

    test("a directory without a record is taken over by the issue of its name; what was adopted is found by id", async () => {
      await world.plant("MT-1", "directory");
      expect(await prepare(issue())).toMatchObject({ key: "MT-1", createdNow: false });
      await world.plant("MT-2", "directory");
      const owner = { ...issue({}, "OPS-2"), workflow: "main" };
      await world.workspaces.adopt(owner.workspace, "MT-2", owner);
      await world.workspaces.adopt(owner.workspace, "MT-1", owner);
      await world.workspaces.adopt(owner.workspace, "MT-3", owner);
      const owners = await world.workspaces.owners(owner.workspace);
      expect(new Map([...owners].map(([key, { identifier }]) => [key, identifier]))).toEqual(
        new Map([
          ["MT-1", "MT-1"],
          ["MT-2", "OPS-2"],
        ]),
      );
      expect((await prepare(owner)).key).toBe("MT-2");
    });

    test("what has no record is not removed where only what is recorded is asked for", async () => {
      await world.plant("MT-1", "directory");
      expect(await world.workspaces.remove(issue(), report, live, "recorded")).toBe(false);
      expect(await keys()).toEqual(["MT-1"]);
      expect(await world.workspaces.remove(issue(), report, live)).toBe(true);
    });

    test("an identifier that is no plain name stays under the root", async () => {
      const { path } = await prepare(issue({}, "../../x"));
      expect(path).toBe(join(world.root, workspaceKey("../../x")));
      expect(await keys()).toEqual([workspaceKey("../../x")]);
    });

    test("a hook's output and time are told", async () => {
      await prepare(issue({ afterCreate: world.scripts.says }));
      expect(facts[0]).toEqual({ type: "hook_started", hook: "after_create" });
      expect(facts[1]).toMatchObject({ type: "hook_ran", hook: "after_create", ok: true, error: null });
      expect(facts[1]).toHaveProperty("output", expect.stringContaining("hello"));
    });

    test("a workspace whose after_create fails is removed again, and made anew next time", async () => {
      const error = await errorOf(prepare(issue({ afterCreate: world.scripts.fails })));
      expect(error.kind).toBe("hook_failed");
      expect(error.message).toContain("after_create of MT-1");
      expect(error.hint).not.toBeNull();
      expect(error.output).toContain("oh no");
      expect(hooksRun()).toEqual([["after_create", false]]);
      expect(await keys()).toEqual([]);
      expect((await prepare(issue({ afterCreate: world.scripts.says }))).createdNow).toBe(true);
    });

    test("a workspace whose after_create does not end in time is removed again", async () => {
      const error = await errorOf(prepare(issue({ afterCreate: world.scripts.hangs, timeoutMs: 50 })));
      expect(error.kind).toBe("hook_timeout");
      expect(error.message).toContain("50 ms");
      expect(await keys()).toEqual([]);
    });

    test("a workspace whose making is stopped is removed again", async () => {
      const stop = new AbortController();
      const making = world.workspaces.prepare(
        issue({ afterCreate: world.scripts.hangs }),
        report,
        stop.signal,
      );
      stop.abort();
      expect((await errorOf(making)).kind).toBe("hook_failed");
      expect(await keys()).toEqual([]);
    });

    test("a directory that a crash left half made is made anew", async () => {
      await world.plant("MT-1", "unfinished");
      expect((await prepare(issue({ afterCreate: world.scripts.says }))).createdNow).toBe(true);
      expect(hooksRun()).toEqual([["after_create", true]]);
      expect(facts[0]).toMatchObject({ type: "warning" });
      expect((await prepare(issue())).createdNow).toBe(false);
    });

    test.each(["file", "link"] as const)(
      "a %s at the path is refused, never followed, used or removed",
      async (what) => {
        await world.plant("MT-1", what);
        const error = await errorOf(prepare(issue({ afterCreate: world.scripts.says })));
        expect(error.kind).toBe("workspace_error");
        expect(error.message).toContain(join(world.root, "MT-1"));
        expect((await errorOf(world.workspaces.remove(issue(), report))).kind).toBe("workspace_error");
        expect(await keys()).toEqual([]);
        expect(facts).toEqual([]);
      },
    );

    test("before_run runs before every run, and its failure stops the run but keeps the workspace", async () => {
      const good = issue({ beforeRun: world.scripts.says });
      const workspace = await prepare(good);
      await world.workspaces.beforeRun(good, workspace, report, live);
      await world.workspaces.beforeRun(good, workspace, report, live);
      const bad = issue({ beforeRun: world.scripts.fails });
      const failed = await errorOf(world.workspaces.beforeRun(bad, workspace, report, live));
      expect(failed.kind).toBe("hook_failed");
      const late = issue({ beforeRun: world.scripts.hangs, timeoutMs: 50 });
      expect((await errorOf(world.workspaces.beforeRun(late, workspace, report, live))).kind).toBe(
        "hook_timeout",
      );
      expect(hooksRun().map(([, ok]) => ok)).toEqual([true, true, false, false]);
      expect(await keys()).toEqual(["MT-1"]);
    });

    test("a workspace that was swapped or taken away since it was prepared gets no run", async () => {
      const of = issue({ beforeRun: world.scripts.says });
      const workspace = await prepare(of);
      for (const what of ["directory", "link", "file", null] as const) {
        await world.plant("MT-1", what);
        const error = await errorOf(world.workspaces.beforeRun(of, workspace, report, live));
        expect([what, error.kind]).toEqual([what, "invalid_workspace_cwd"]);
      }
      expect(hooksRun()).toEqual([]);
    });

    test("without a hook before the run nothing is asked: it comes right after the preparation", async () => {
      const of = issue();
      const workspace = await prepare(of);
      await world.plant("MT-1", "link");
      await world.workspaces.beforeRun(of, workspace, report, live);
      expect(hooksRun()).toEqual([]);
    });

    test("a path that is not the one of its key under the root gets no run", async () => {
      const of = issue({ beforeRun: world.scripts.says });
      const workspace = await prepare(of);
      await prepare(issue({}, "MT-2"));
      for (const path of [join(world.root, "..", "MT-1"), join(world.root, "MT-2"), world.root]) {
        const error = await errorOf(world.workspaces.beforeRun(of, { ...workspace, path }, report, live));
        expect(error.kind).toBe("invalid_workspace_cwd");
      }
      expect(hooksRun()).toEqual([]);
    });

    test("trouble in after_run is told and ignored", async () => {
      const workspace = await prepare(issue());
      await world.workspaces.afterRun(issue({ afterRun: world.scripts.says }), workspace, report);
      await world.workspaces.afterRun(issue({ afterRun: world.scripts.fails }), workspace, report);
      const late = issue({ afterRun: world.scripts.hangs, timeoutMs: 50 });
      await world.workspaces.afterRun(late, workspace, report);
      await world.plant("MT-1", "link");
      await world.workspaces.afterRun(issue({ afterRun: world.scripts.says }), workspace, report);
      expect(hooksRun().map(([, ok]) => ok)).toEqual([true, false, false, false]);
      expect(facts.at(-1)).toHaveProperty("error", expect.stringContaining("was not run"));
    });

    test("a workspace is removed after before_remove, whatever comes of that; a second time there is nothing", async () => {
      for (const [script, ok] of [
        [world.scripts.says, true],
        [world.scripts.fails, false],
      ] as const) {
        facts = [];
        const of = issue({ beforeRemove: script });
        const { path } = await prepare(of);
        expect(await world.workspaces.remove(of, report)).toBe(true);
        expect(hooksRun()).toEqual([["before_remove", ok]]);
        expect(facts.at(-1)).toEqual({ type: "workspace_removed", path });
        expect(await keys()).toEqual([]);
        expect(await world.workspaces.remove(of, report)).toBe(false);
      }
    });

    test("a directory that took the place of the one prepared is not removed", async () => {
      await prepare(issue());
      await world.plant("MT-1", "directory");
      const error = await errorOf(
        world.workspaces.remove(issue({ beforeRemove: world.scripts.says }), report),
      );
      expect(error.kind).toBe("invalid_workspace_cwd");
      expect(hooksRun()).toEqual([]);
      expect(await keys()).toEqual(["MT-1"]);
    });

    test("making and removing one workspace never overlap", async () => {
      const of = issue({ afterCreate: world.scripts.says, beforeRemove: world.scripts.says });
      const made = prepare(of);
      const removed = world.workspaces.remove(of, report);
      const again = prepare(of);
      expect([(await made).createdNow, await removed, (await again).createdNow]).toEqual([true, true, true]);
      const told = facts.filter(({ type }) => type !== "hook_started");
      expect(told.map((fact) => (fact.type === "hook_ran" ? fact.hook : fact.type))).toEqual([
        "after_create",
        "workspace_ready",
        "before_remove",
        "workspace_removed",
        "after_create",
        "workspace_ready",
      ]);
    });

    test("workspaces of different issues do not hold each other up", async () => {
      const stop = new AbortController();
      const slow = world.workspaces.prepare(issue({ afterCreate: world.scripts.hangs }), report, stop.signal);
      expect((await prepare(issue({}, "MT-2"))).createdNow).toBe(true);
      stop.abort();
      await errorOf(slow);
      expect(await keys()).toEqual(["MT-2"]);
    });
  });
}
