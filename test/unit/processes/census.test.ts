import { describe, expect, test } from "vitest";
import { Census, wholeEntry } from "../../../src/processes/census.ts";
import { machine } from "../../../src/processes/machine.ts";
import type { Listed, Processes } from "../../../src/processes/port.ts";
import { endsChildren, three } from "./trees.ts";

endsChildren();

interface Fake {
  readonly pid: number;
  readonly parent?: number;
  readonly start?: number;
  readonly program?: string;
  /** Null while it cannot be read yet. */
  readonly entries?: readonly string[] | null;
}

/** A system of these processes, which writes down what is read of it. */
class FakeSystem implements Processes {
  readonly source = "/proc";
  /** Pids, in order. */
  stats: number[] = [];
  environs: number[] = [];
  boots = 0;
  there: readonly Fake[] = [];

  list(known: ReadonlyMap<number, Listed>): ReadonlyMap<number, Listed> {
    return new Map(this.there.map((one) => [one.pid, known.get(one.pid) ?? this.#stat(one)]));
  }

  read(pids: readonly number[]): ReadonlyMap<number, Listed> {
    return new Map(this.there.flatMap((one) => (pids.includes(one.pid) ? [[one.pid, this.#stat(one)]] : [])));
  }

  environments(of: readonly Listed[], names: ReadonlySet<string>): ReadonlyMap<number, readonly string[]> {
    return new Map(
      of.flatMap(({ pid }) => {
        this.environs.push(pid);
        const { entries = [] } = this.there.find((one) => one.pid === pid) ?? { pid };
        return entries === null
          ? []
          : [[pid, entries.filter((entry) => names.has(entry.split("=")[0] ?? "")).map(wholeEntry)]];
      }),
    );
  }

  bootId(): null {
    this.boots++;
    return null;
  }

  oomKills(): number {
    return 7;
  }

  #stat({ pid, parent = 1, start = pid, program = "p" }: Fake): Listed {
    this.stats.push(pid);
    return { pid, parent, start, program, group: pid };
  }
}

function censusOf(...there: readonly Fake[]): {
  readonly system: FakeSystem;
  readonly census: Census;
  /** Time goes on. */
  readonly pass: (ms: number) => void;
  /** What was read since the last time somebody asked. */
  readonly reads: () => { readonly stats: readonly number[]; readonly environs: readonly number[] };
} {
  const system = new FakeSystem();
  system.there = there;
  let now = 0;
  return {
    system,
    census: new Census(system, () => now),
    pass: (ms) => {
      now += ms;
    },
    reads: () => {
      const { stats, environs } = system;
      [system.stats, system.environs] = [[], []];
      return { stats, environs };
    },
  };
}

const carriers = (census: Census, ...marks: readonly string[]): readonly number[] =>
  census.look().carriers(marks);

describe("a census", () => {
  test("reads who is there once a second, whoever looks, and who is new at once", () => {
    const { system, census, pass, reads } = censusOf({ pid: 10 }, { pid: 11 });
    for (let n = 0; n < 5; n++) census.look();
    expect(reads().stats).toEqual([10, 11]);
    system.there = [...system.there, { pid: 12 }];
    pass(999);
    expect(census.look().withDescendants([12])).toEqual([12]);
    expect(reads().stats).toEqual([12]);
    pass(1);
    census.look();
    expect(reads().stats).toEqual([10, 11, 12]);
  });

  test("reads an environment once in the life of a program, however often and for whatever values it is asked", () => {
    const { census, pass, reads } = censusOf(
      { pid: 10, entries: ["RUN=a.1"] },
      { pid: 11, entries: ["RUN=a.2"] },
    );
    expect(carriers(census, "RUN=a.1\0")).toEqual([10]);
    pass(5_000);
    expect(carriers(census, "RUN=a.2\0")).toEqual([11]);
    expect(carriers(census, "RUN=a.")).toEqual([10, 11]);
    expect(carriers(census, "RUN=a\0", "RUN=\0")).toEqual([]);
    expect(reads().environs).toEqual([10, 11]);
  });

  test("reads it again for a name that nobody has asked for before", () => {
    const { census, reads } = censusOf({ pid: 10, entries: ["RUN=1", "THREAD=t"] });
    expect(carriers(census, "RUN=1\0")).toEqual([10]);
    expect(carriers(census, "THREAD=t\0")).toEqual([10]);
    expect(carriers(census, "RUN=1\0", "THREAD=x\0")).toEqual([10]);
    expect(reads().environs).toEqual([10, 10]);
  });

  test("reads it again when the process has become another program, or the number another process", () => {
    const { system, census, pass, reads } = censusOf({ pid: 10, entries: ["RUN=1"] });
    expect(carriers(census, "RUN=")).toEqual([10]);
    system.there = [{ pid: 10, program: "another" }];
    pass(1_000);
    expect(carriers(census, "RUN=")).toEqual([]);
    system.there = [{ pid: 10, program: "another", start: 99, entries: ["RUN=2"] }];
    pass(1_000);
    expect(carriers(census, "RUN=")).toEqual([10]);
    expect(reads().environs).toEqual([10, 10, 10]);
  });

  test("knows whose it was while a process goes, when its environment is gone already", () => {
    const { system, census, pass } = censusOf({ pid: 10, entries: ["RUN=1"] });
    expect(carriers(census, "RUN=")).toEqual([10]);
    system.there = [{ pid: 10, program: "" }];
    pass(1_000);
    expect(carriers(census, "RUN=")).toEqual([10]);
    system.there = [];
    expect(carriers(census, "RUN=")).toEqual([]);
  });

  test("asks again at the next look for an environment that could not be read yet", () => {
    const { system, census, reads } = censusOf({ pid: 10, entries: null }, { pid: 11 });
    const first = census.look();
    expect([first.carriers(["RUN="]), first.sawAll]).toEqual([[], false]);
    system.there = [{ pid: 10, entries: ["RUN=1"] }, { pid: 11 }];
    const second = census.look();
    expect([second.carriers(["RUN="]), second.sawAll]).toEqual([[10], true]);
    expect(reads().environs).toEqual([10, 11, 10]);
  });

  test("reads again before somebody is believed to live, unless it was read for this look", () => {
    const { system, census, reads } = censusOf({ pid: 10 }, { pid: 11 });
    const first = census.look();
    const [ten, eleven] = [
      { pid: 10, start: 10 },
      { pid: 11, start: 11 },
    ];
    expect(census.living([ten, eleven, { pid: 12, start: 12 }], first)).toEqual([ten, eleven]);
    expect(reads().stats).toEqual([10, 11]);
    system.there = [{ pid: 10 }, { pid: 11, start: 99 }];
    expect(census.living([ten, eleven], census.look())).toEqual([ten]);
    expect(reads().stats).toEqual([10, 11]);
  });

  test("says when a process began as it is now", () => {
    const { system, census } = censusOf({ pid: 10, start: 3 });
    census.look();
    system.there = [{ pid: 10, start: 4 }];
    expect([census.startOf(10), census.startOf(11)]).toEqual([4, null]);
  });

  test("asks for the boot once, also where it has no name", () => {
    const { system, census } = censusOf();
    expect([census.bootId(), census.bootId()]).toEqual([null, null]);
    expect(system.boots).toBe(1);
  });
});

describe("a look", () => {
  test("all that hang on a process are its descendants, however deep; it comes first", async () => {
    const [first, second, third] = await three();
    expect(machine.look().withDescendants([first])).toEqual([first, second, third]);
    expect(machine.look().withDescendants([second])).toEqual([second, third]);
    expect(machine.look().withDescendants([])).toEqual([]);
  });

  test("this process and those that started it are its own ancestors, and their other children are not", async () => {
    const [first] = await three();
    const own = machine.look().ownAncestors();
    expect([own.has(process.pid), own.has(process.ppid), own.has(first)]).toEqual([true, true, false]);
  });

  test("a group has those that did not leave it", async () => {
    const [first, second, third] = await three();
    expect(machine.look().membersOf(first)).toEqual([first, second, third]);
    expect(machine.look().membersOf(second)).toEqual([]);
  });

  test("this process never carries a mark", () => {
    const { census } = censusOf({ pid: process.pid, entries: ["RUN=1"] }, { pid: 10, entries: ["RUN=1"] });
    expect(carriers(census, "RUN=1\0")).toEqual([10]);
  });
});
