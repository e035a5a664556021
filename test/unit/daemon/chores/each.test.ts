import { describe, expect, test } from "vitest";
import { readEach } from "../../../../src/daemon/chores/each.ts";
import { issueId, type IssueId } from "../../../../src/domain/issue.ts";
import { TrackerError } from "../../../../src/tracker/port.ts";

const [A, B, C, D] = ["a", "b", "c", "d"].map(issueId) as [IssueId, IssueId, IssueId, IssueId];
const record = new TrackerError("tracker_response", "no title.", { record: true });
const down = new TrackerError("tracker_status", "down.", { status: 503 });
const limited = new TrackerError("tracker_rate_limited", "used up.");

/** A tracker that fails with this for whoever asks for one of these. */
function trackerThat(error: Error, bad: readonly IssueId[]) {
  const asked: (readonly IssueId[])[] = [];
  return {
    asked,
    ask: async (ids: readonly IssueId[]) => {
      asked.push(ids);
      if (ids.some((id) => bad.includes(id))) throw error;
      return ids;
    },
  };
}

describe("issues that are read by id", () => {
  test("are read together, but those that are known to spoil an answer", async () => {
    const { ask, asked } = trackerThat(record, [C]);
    const read = await readEach([A, B, C], [C], ask);
    expect(read).toEqual({ found: [A, B], unreadable: [{ id: C, error: record.message }] });
    expect(asked).toEqual([[A, B], [C]]);
  });

  test("are read one by one when they cannot be read together, and who is to blame is named", async () => {
    for (const error of [record, down]) {
      const { ask, asked } = trackerThat(error, [B]);
      const read = await readEach([A, B, C], [], ask);
      expect(read).toEqual({ found: [A, C], unreadable: [{ id: B, error: error.message }] });
      expect(asked.slice(0, 4)).toEqual([[A, B, C], [A], [B], [C]]);
    }
  });

  test("are not to blame for what passes: who could not be read for it is asked for once more", async () => {
    let failures = 2;
    const asked: (readonly IssueId[])[] = [];
    const read = await readEach([A, B, C], [], async (ids) => {
      asked.push(ids);
      if (failures-- > 0) throw down;
      return ids;
    });
    expect(read).toEqual({ found: [B, C, A], unreadable: [] });
    expect(asked).toEqual([[A, B, C], [A], [B], [C], [A]]);
  });

  test("of which none can be read, for nothing that is about any of them, are not to blame: the tracker is", async () => {
    const refused = new TrackerError("tracker_response", "no.", { passing: false });
    const { ask, asked } = trackerThat(refused, [A, B, C]);
    await expect(readEach([A, B, C], [], ask)).rejects.toBe(refused);
    expect(asked).toHaveLength(4);
    const one = trackerThat(refused, [B]);
    expect((await readEach([A, B, C], [], one.ask)).unreadable.map(({ id }) => id)).toEqual([B]);
  });

  test("of which each spoils its own answer are all named", async () => {
    const { ask } = trackerThat(record, [A, B]);
    expect((await readEach([A, B], [], ask)).unreadable.map(({ id }) => id)).toEqual([A, B]);
    expect((await readEach([A], [], ask)).unreadable.map(({ id }) => id)).toEqual([A]);
  });

  test("are not asked for on and on when the tracker answers nobody", async () => {
    const { ask, asked } = trackerThat(down, [A, B, C, D]);
    await expect(readEach([A, B, C, D], [], ask)).rejects.toBe(down);
    expect(asked).toHaveLength(3);
  });

  test("wait for the end of a limit together", async () => {
    const { ask, asked } = trackerThat(limited, [A, B]);
    await expect(readEach([A, B], [], ask)).rejects.toBe(limited);
    await expect(readEach([A, B], [B], ask)).rejects.toBe(limited);
    expect(asked).toHaveLength(2);
  });

  test("by the hundred are not asked for one by one", async () => {
    const many = Array.from({ length: 51 }, (_, n) => issueId(`id-${n}`));
    const { ask, asked } = trackerThat(record, [many[3] ?? A]);
    await expect(readEach(many, [], ask)).rejects.toBe(record);
    expect(asked).toHaveLength(1);
  });
});
