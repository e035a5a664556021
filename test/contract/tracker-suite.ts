/** The cases that every tracker must pass: the fake in memory and Linear's client alike, so that the fake cannot drift. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FactBody } from "../../src/domain/fact.ts";
import { issueId, type IssueId } from "../../src/domain/issue.ts";
import type { TrackerSettings } from "../../src/domain/settings.ts";
import { TrackerError, type Tracker } from "../../src/tracker/port.ts";

export type Scope = Pick<TrackerSettings, "projectSlug" | "activeStates" | "requiredLabels" | "assignee">;

/** Ada owns the key. */
export const people = {
  ada: { name: "Ada Byron", email: "ada@example.com" },
  bob: { name: "Bob Boole", email: "bob@example.com" },
} as const;

interface Draft {
  readonly title?: string;
  readonly description?: string;
  readonly state?: string;
  readonly priority?: number;
  readonly labels?: readonly string[];
  /** `demo` or `other`. */
  readonly project?: string;
  readonly assignee?: keyof typeof people;
}

/** A board as people use it, behind the tracker. */
export interface World {
  tracker(scope?: Partial<Scope>): Tracker;
  add(draft: Draft): IssueId;
  move(id: IssueId, state: string): void;
  unlabel(id: IssueId, label: string): void;
  assign(id: IssueId, who: keyof typeof people | null): void;
  /** `demo`, `other`, or out of all of them. */
  moveTo(id: IssueId, project: string | null): void;
  block(id: IssueId, by: IssueId): void;
  archive(id: IssueId): void;
  trash(id: IssueId): void;
  remove(id: IssueId): void;
  userId(who: keyof typeof people): string;
  /** Requests that reached the tracker's other side. */
  requests(): number;
  /** The next call fails with a used-up rate limit that ends at this time. */
  limitRateUntil(at: number): void;
  close(): Promise<void>;
}

export const usualScope: Scope = {
  projectSlug: "demo",
  activeStates: ["Todo", "In Progress"],
  requiredLabels: [],
  assignee: null,
};

/** What a simple kind of tracker may not have; the cases that need it are not for that kind. */
export type Feature = "projects" | "people" | "archive" | "rate limit";

export function trackerSuite(
  name: string,
  open: () => Promise<World>,
  lacks: ReadonlySet<Feature> = new Set(),
): void {
  const needs = (...features: readonly Feature[]) =>
    it.skipIf(features.some((feature) => lacks.has(feature)));
  describe(name, () => {
    let world: World;
    const never = new AbortController().signal;
    beforeEach(async () => {
      world = await open();
    });
    afterEach(() => world.close());

    const titles = async (scope?: Partial<Scope>): Promise<readonly string[]> => {
      const found = await world.tracker(scope).candidates(never);
      return found.map((issue) => issue.title).sort();
    };

    describe("candidates", () => {
      needs("projects")("are the issues of the project in its active states", async () => {
        world.add({ title: "todo" });
        world.add({ title: "moving", state: "In Progress" });
        world.add({ title: "done", state: "Done" });
        world.add({ title: "elsewhere", project: "other" });
        expect(await titles()).toEqual(["moving", "todo"]);
      });

      it("are found whatever the case of states and labels", async () => {
        world.add({ title: "mine", state: "In Progress", labels: ["Baton"] });
        expect(await titles({ activeStates: ["in progress"], requiredLabels: ["baton"] })).toEqual(["mine"]);
      });

      it("carry every required label", async () => {
        world.add({ title: "both", labels: ["baton", "backend", "more"] });
        world.add({ title: "one", labels: ["baton"] });
        world.add({ title: "none" });
        expect(await titles({ requiredLabels: ["baton", "backend"] })).toEqual(["both"]);
      });

      it("are none when a blank label is required: no issue has it (SPEC 5.3.1)", async () => {
        world.add({ title: "labelled", labels: ["baton"] });
        world.add({ title: "plain" });
        expect(await titles({ requiredLabels: [""] })).toEqual([]);
        expect(await titles({ requiredLabels: ["baton", " "] })).toEqual([]);
      });

      needs("archive")("are nobody's whose issue is archived or in the trash", async () => {
        world.archive(world.add({ title: "archived" }));
        world.trash(world.add({ title: "trashed" }));
        world.add({ title: "here" });
        expect(await titles()).toEqual(["here"]);
      });

      needs("people").each([
        ["me", "ada's"],
        [people.bob.email, "bob's"],
      ])("belong to the assignee %s when one is set", async (assignee, title) => {
        world.add({ title: "ada's", assignee: "ada" });
        world.add({ title: "bob's", assignee: "bob" });
        world.add({ title: "nobody's" });
        expect(await titles({ assignee })).toEqual([title]);
      });

      needs("people")("belong to the assignee that is given by id", async () => {
        world.add({ title: "bob's", assignee: "bob" });
        world.add({ title: "nobody's" });
        expect(await titles({ assignee: world.userId("bob") })).toEqual(["bob's"]);
      });

      it("come complete and once each, also when they fill several pages", async () => {
        for (let n = 0; n < 120; n++) world.add({ title: `issue ${n}` });
        const found = await world.tracker().candidates(never);
        expect(found).toHaveLength(120);
        expect(new Set(found.map((issue) => issue.id)).size).toBe(120);
      });

      it("say what is needed to sort them, and only that", async () => {
        const id = world.add({ title: "Sort me", priority: 2, labels: ["baton"], description: "long" });
        const [found] = await world.tracker().candidates(never);
        expect(found).toEqual({
          id,
          identifier: expect.stringMatching(/^[A-Z]+-\d+$/) as string,
          title: "Sort me",
          state: "Todo",
          priority: 2,
          createdAt: expect.any(Number) as number,
          updatedAt: expect.any(Number) as number,
          dispatchable: true,
        });
      });

      it("are none, without a request, when no state is active", async () => {
        world.add({});
        expect(await titles({ activeStates: [] })).toEqual([]);
      });
    });

    describe("a refresh by id", () => {
      it("answers at once, without a request, when there is nothing to ask", async () => {
        const before = world.requests();
        const tracker = world.tracker({ assignee: "me" });
        expect(await tracker.statuses([], never)).toEqual([]);
        expect(await tracker.issues([], never)).toEqual([]);
        expect(await tracker.inStates([], never)).toEqual([]);
        expect(world.requests()).toBe(before);
      });

      it("shows the present state and labels, of finished issues too", async () => {
        const id = world.add({ labels: ["Baton", "API"] });
        world.move(id, "Done");
        world.unlabel(id, "api");
        const [status] = await world.tracker().statuses([id], never);
        expect(status).toMatchObject({ id, state: "Done", labels: ["baton"], dispatchable: true });
      });

      it("leaves out what is no longer visible, and nothing else", async () => {
        const here = world.add({});
        const gone = world.add({});
        world.remove(gone);
        const asked = [here, gone, issueId("00000000-0000-4000-8000-000000000000"), here];
        expect((await world.tracker().statuses(asked, never)).map((one) => one.id)).toEqual([here]);
        expect((await world.tracker().issues(asked, never)).map((one) => one.id)).toEqual([here]);
      });

      needs("people", "archive")(
        "calls archived, trashed and differently assigned issues not dispatchable",
        async () => {
          const archived = world.add({ assignee: "ada" });
          const trashed = world.add({ assignee: "ada" });
          const hers = world.add({ assignee: "ada" });
          const moved = world.add({ assignee: "ada" });
          const nobodys = world.add({ assignee: "ada" });
          world.archive(archived);
          world.trash(trashed);
          world.assign(moved, "bob");
          world.assign(nobodys, null);
          const ids = [archived, trashed, hers, moved, nobodys];
          const tracker = world.tracker({ assignee: "me" });
          for (const found of [await tracker.statuses(ids, never), await tracker.issues(ids, never)]) {
            expect(found).toHaveLength(5);
            expect(found.filter((issue) => issue.dispatchable).map((issue) => issue.id)).toEqual([hers]);
          }
        },
      );

      needs("projects")("calls issues of another project, and of none, not dispatchable", async () => {
        const here = world.add({});
        const away = world.add({});
        const nowhere = world.add({});
        world.moveTo(away, "other");
        world.moveTo(nowhere, null);
        const ids = [here, away, nowhere];
        const tracker = world.tracker();
        for (const found of [await tracker.statuses(ids, never), await tracker.issues(ids, never)]) {
          expect(found.filter((issue) => issue.dispatchable).map((issue) => issue.id)).toEqual([here]);
          expect(found.find(({ id }) => id === away)?.whyNot).toBe('it is in another project ("other")');
          expect(found.find(({ id }) => id === nowhere)?.whyNot).toBe("it is in no project");
        }
      });

      needs(
        "people",
        "archive",
        "projects",
      )("says in one sentence why one is not dispatchable", async () => {
        const words = async (change: (id: IssueId) => void): Promise<string | undefined> => {
          const id = world.add({ assignee: "ada" });
          change(id);
          const [issue] = await world.tracker({ assignee: "me" }).issues([id], never);
          return issue?.whyNot;
        };
        expect(await words((id) => world.archive(id))).toBe("it is archived");
        expect(await words((id) => world.trash(id))).toBe("it is in the trash");
        expect(await words((id) => world.assign(id, "bob"))).toBe("it is assigned to somebody else");
        expect(await words((id) => world.assign(id, null))).toBe("it is assigned to nobody");
        expect(await words(() => {})).toBeUndefined();
      });

      it("asks for many ids in batches and loses none", async () => {
        const ids = Array.from({ length: 130 }, () => world.add({}));
        const tracker = world.tracker();
        expect(new Set((await tracker.statuses(ids, never)).map((one) => one.id))).toEqual(new Set(ids));
        expect(new Set((await tracker.issues(ids, never)).map((one) => one.id))).toEqual(new Set(ids));
      });

      it("brings the whole issue with its blockers", async () => {
        const blocker = world.add({ state: "In Progress" });
        const id = world.add({ title: "Blocked", description: "Text", labels: ["B", "a"], priority: 1 });
        world.block(id, blocker);
        const [issue] = await world.tracker().issues([id], never);
        const [other] = await world.tracker().issues([blocker], never);
        expect(issue).toMatchObject({
          id,
          title: "Blocked",
          description: "Text",
          labels: ["b", "a"],
          priority: 1,
        });
        expect(issue?.blockedBy).toEqual([
          { id: blocker, identifier: other?.identifier, state: "In Progress" },
        ]);
        expect(other?.blockedBy).toEqual([]);
      });

      needs("people")("brings whose it is, and a reference for the tracker's own tools", async () => {
        const hers = world.add({ assignee: "ada" });
        const nobodys = world.add({});
        const found = await world.tracker().issues([hers, nobodys], never);
        const byId = (id: IssueId) => found.find((issue) => issue.id === id);
        expect(byId(hers)?.assigneeId).toBe(world.userId("ada"));
        expect(byId(nobodys)?.assigneeId).toBeNull();
        for (const { id, nativeRef } of found) expect(nativeRef).toMatchObject({ id });
        expect(JSON.parse(JSON.stringify(found))).toEqual(found);
      });

      it("brings each label once, however it is written", async () => {
        const id = world.add({ labels: ["Baton", "baton", " BATON "] });
        for (const found of [
          await world.tracker().statuses([id], never),
          await world.tracker().issues([id], never),
        ])
          expect(found).toMatchObject([{ labels: ["baton"] }]);
      });

      it("brings all labels and blockers of an issue with very many", async () => {
        const labels = Array.from({ length: 45 }, (_, n) => `label ${n}`);
        const id = world.add({ labels });
        const blockers = Array.from({ length: 130 }, () => world.add({}));
        for (const blocker of blockers) world.block(id, blocker);
        const [status] = await world.tracker().statuses([id], never);
        const [issue] = await world.tracker().issues([id], never);
        expect([...(status?.labels ?? [])].sort()).toEqual([...labels].sort());
        expect([...(issue?.labels ?? [])].sort()).toEqual([...labels].sort());
        expect(new Set(issue?.blockedBy.map((one) => one.id))).toEqual(new Set(blockers));
      });
    });

    needs("projects", "people")(
      "finds issues of the project by state, whatever their labels and assignee",
      async () => {
        const done = world.add({ state: "Done", labels: ["x"], assignee: "bob" });
        const canceled = world.add({ state: "Canceled" });
        world.add({ state: "Todo" });
        world.add({ state: "Done", project: "other" });
        const found = await world
          .tracker({ requiredLabels: ["baton"] })
          .inStates(["done", "Canceled", "No such state"], never);
        expect(new Set(found.map((issue) => issue.id))).toEqual(new Set([done, canceled]));
      },
    );

    needs("people")("knows whose key it uses", async () => {
      expect(await world.tracker().whoAmI(never)).toBe(people.ada.name);
    });

    it("says where its ids count, and is asked for that once at most", async () => {
      const tracker = world.tracker();
      const home = await tracker.home();
      expect(home.kind).not.toBe("");
      const before = world.requests();
      expect(await tracker.home()).toEqual(home);
      expect([await world.tracker().home(), world.requests() - before <= 1]).toEqual([home, true]);
    });

    needs("projects")("knows what its scope is called", async () => {
      expect(await world.tracker().scopeName(never)).toBe("Demo");
    });

    needs("projects")("says that a scope that is not there is a mistake in the settings", async () => {
      const failed = await errorOf(world.tracker({ projectSlug: "nowhere" }).scopeName(never));
      expect(failed).toMatchObject({ kind: "invalid_tracker_config", passing: false });
      expect(failed.message).toContain("nowhere");
    });

    it("offers tools that answer whatever an agent sends, and tell every call", async () => {
      const told: FactBody[] = [];
      const run = { mark: "run", publish: (fact: FactBody) => void told.push(fact), record: () => {} };
      const tools = world.tracker().tools(run);
      expect(tools.length).toBeGreaterThan(0);
      for (const tool of tools) {
        expect(tool.description).not.toBe("");
        expect(tool.inputSchema).toMatchObject({ type: "object" });
        const answer = await tool.call(["no", "sense"], "call-1", never);
        expect(answer).toMatchObject({ ok: false, text: expect.stringContaining("arguments") as string });
        expect(told.at(-1)).toMatchObject({
          type: "tool_called",
          tool: tool.name,
          callId: "call-1",
          ok: false,
        });
      }
    });

    it("finds an issue by its identifier in any case and by its id, done or not, and nothing for what is not there", async ({
      skip,
    }) => {
      const id = world.add({ title: "found", state: "Done" });
      const tracker = world.tracker();
      if (tracker.find === undefined) return skip();
      const [whole] = await tracker.issues([id], never);
      expect(await tracker.find(id, never)).toEqual(whole);
      expect(await tracker.find(whole?.identifier.toLowerCase() ?? "", never)).toEqual(whole);
      expect(await tracker.find("NONE-999", never)).toBeNull();
    });

    it("counts what is open whatever its labels", async ({ skip }) => {
      world.add({ labels: ["baton"] });
      world.add({ state: "In Progress" });
      world.add({ state: "Done" });
      const open = await world.tracker({ requiredLabels: ["baton"] }).countOpen?.(never);
      if (open === undefined) return skip();
      expect(open).toEqual({ count: 2, isAll: true });
    });

    it("knows the names of what is on the board", async ({ skip }) => {
      world.add({ labels: ["baton"] });
      const found = await world.tracker({ requiredLabels: ["baton"] }).vocabulary?.(never);
      if (found === undefined) return skip();
      expect(found.scope).not.toBeNull();
      expect(found.labels).toEqual(["baton"]);
      expect(found.states.flatMap(({ names }) => names)).toEqual(
        expect.arrayContaining(["Todo", "In Progress", "Done"]),
      );
    });

    needs("projects")("knows that a project is not there", async ({ skip }) => {
      const found = await world.tracker({ projectSlug: "no-such" }).vocabulary?.(never);
      if (found === undefined) return skip();
      expect(found.scope).toBeNull();
    });

    needs("rate limit")("says until when the rate limit is used up", async () => {
      const at = Date.now() + 60_000;
      world.limitRateUntil(at);
      const failed = await errorOf(world.tracker().candidates(never));
      expect(failed).toMatchObject({ kind: "tracker_rate_limited", retryAt: at, passing: true });
      expect(await titles()).toEqual([]);
    });

    it("gives up when its signal aborts", async () => {
      const failed = await errorOf(world.tracker().candidates(AbortSignal.abort()));
      expect(failed).toMatchObject({ kind: "tracker_request" });
    });
  });
}

/** The TrackerError that this ends with; fails when it ends otherwise. */
export async function errorOf(promise: Promise<unknown>): Promise<TrackerError> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof TrackerError)) throw new Error(`expected a TrackerError, got ${String(error)}`);
  return error;
}
