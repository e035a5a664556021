/** A second kind of tracker, registered here and nowhere else: it passes the suite, and the daemon works with it. */
import { expect, it } from "vitest";
import type { TrackerSettings } from "../../src/domain/settings.ts";
import { trackerKinds, trackerOpener, type TrackerKinds } from "../../src/tracker/kinds.ts";
import { MemoryBoard } from "../../src/tracker/memory-board.ts";
import { MemoryTracker } from "../../src/tracker/memory.ts";
import { type TrackerReaders, trackerReaders } from "../../src/workflow/tracker-kinds.ts";
import { Tracked } from "../unit/daemon/tracked.ts";
import { memoryWorld } from "./memory-world.ts";
import { trackerSuite, usualScope } from "./tracker-suite.ts";

const quiet = { rates: () => {}, rejected: () => {} };

/** All that has to be said of another kind: how its settings are read, and how it is opened. */
const registered = (open: (settings: TrackerSettings) => MemoryTracker) => ({
  kinds: { ...trackerKinds, memory: () => open } satisfies TrackerKinds,
  readers: {
    ...trackerReaders,
    memory: ({ provider }) => ({
      endpoint: "",
      apiKey: "",
      projectSlug: typeof provider?.["board"] === "string" ? provider["board"] : "",
      assignee: null,
    }),
  } satisfies TrackerReaders,
});

const settings: TrackerSettings = {
  kind: "memory",
  endpoint: "",
  apiKey: "",
  terminalStates: ["Done"],
  ...usualScope,
};

trackerSuite("a second kind of tracker, opened by its name", async () =>
  memoryWorld((board, scope) => {
    const opened: MemoryTracker[] = [];
    const { kinds } = registered((given) => {
      const tracker = new MemoryTracker(board, given);
      opened.push(tracker);
      return tracker;
    });
    trackerOpener(() => 0 as never, kinds)({ ...settings, ...scope }, quiet);
    return opened[0] as MemoryTracker;
  }),
);

const absent = (): never => {
  throw new Error("a simple kind has no such thing");
};

trackerSuite(
  "a kind that has one board, and neither people nor an archive nor a rate limit",
  async () => {
    const world = memoryWorld((board, scope) => new MemoryTracker(board, { ...settings, ...scope }));
    return {
      ...world,
      add: (draft) =>
        draft.project === undefined && draft.assignee === undefined ? world.add(draft) : absent(),
      assign: absent,
      userId: absent,
      archive: absent,
      trash: absent,
      limitRateUntil: absent,
    };
  },
  new Set(["projects", "people", "archive", "rate limit"]),
);

it("the daemon runs the tickets of a second kind of tracker to their end, with its tools", async () => {
  const board = new MemoryBoard();
  const ids = [1, 2, 3].map(() => board.add({ state: "Todo" }).id);
  const { kinds, readers } = registered((given) => new MemoryTracker(board, given));
  const text = `---\ntracker: {kind: memory, provider: {board: demo}, active_states: [Todo], terminal_states: [Done]}\n---\nWork.\n`;
  const rig = new Tracked({
    workflows: [text],
    readers,
    makeTracker: (clock) => {
      const open = trackerOpener(() => clock.now(), kinds);
      return ({ settings: { tracker } }, news) => open(tracker, news);
    },
  });
  try {
    await rig.start();
    for (const session of await rig.busy(3)) {
      const [tool] = session.spec.tools;
      const answer = await tool?.call(
        { id: session.spec.identifier, state: "Done" },
        "call-1",
        new AbortController().signal,
      );
      expect(answer).toMatchObject({ ok: true });
      session.finish({ status: "completed" });
    }
    await rig.said("run_ended", 3);
    expect(ids.map((id) => board.get(id).state)).toEqual(["Done", "Done", "Done"]);
    expect(rig.ledger.runs({ limit: 9 }).map(({ ending }) => ending?.outcome)).toEqual(
      Array.from({ length: 3 }, () => "completed"),
    );
    expect(rig.count("tool_started")).toBe(3);
  } finally {
    await rig.stop();
  }
});
