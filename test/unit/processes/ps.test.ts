import { describe, expect, test } from "vitest";
import { ps } from "../../../src/processes/ps.ts";
import { processesSuite } from "./port-suite.ts";
import { endsChildren, shell } from "./trees.ts";
import { eventually } from "../../eventually.ts";

const here = ps(process.platform === "linux" ? "procps" : "bsd");

processesSuite(here);

describe("ps", () => {
  endsChildren();

  test("tells a start in seconds since 1970, whatever the time zone", () => {
    const start = here.read([process.pid]).get(process.pid)?.start ?? 0;
    expect(Math.abs(start - (Date.now() / 1000 - process.uptime()))).toBeLessThan(5);
  });

  test("names the boot so that nobody takes its starts for those of another source", () => {
    expect(here.bootId()).toMatch(/^ps:./);
  });

  test("tells of a process whose arguments hold an end of line", async () => {
    const { pid } = shell("exec -a $'one\\ntwo 3' sleep 600", { MINE: "1" });
    await eventually(() => {
      const one = here.read([pid]).get(pid);
      expect(one?.program).toContain("one");
      expect(one && here.environments([one], new Set(["MINE"])).get(pid)).toEqual(["MINE=1\0"]);
    });
  });

  test("where there is no such program nobody is there", () => {
    const path = process.env["PATH"];
    process.env["PATH"] = "/nonexistent";
    try {
      expect(here.list(new Map()).size).toBe(0);
      expect(here.read([process.pid]).size).toBe(0);
    } finally {
      process.env["PATH"] = path;
    }
  });
});
