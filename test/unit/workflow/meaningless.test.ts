import { describe, expect, test } from "vitest";
import { errorOf, settingsOf, warningsOf, withLines } from "./parsing.ts";

describe("a text made to take long", () => {
  test("of as many keys as there is room for is read in a time that grows with it, not with its square", () => {
    const read = (keys: number): number => {
      const lines = Array.from({ length: keys }, (_, n) => `k${n}:`).join("\n");
      const before = process.cpuUsage();
      expect(warningsOf(withLines(lines))).toHaveLength(51);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    read(500);
    const few = Math.min(read(1_000), read(1_000));
    expect(Math.min(read(8_000), read(8_000))).toBeLessThan(few * 8 * 4);
  });

  test("with a key twice says which and where, however it is spelled", () => {
    expect(errorOf(withLines("agent:\n  1: a\n  '1': b")).message).toContain(
      'WORKFLOW.md:7:3: the key "1" is there twice',
    );
    expect(errorOf(withLines("agent: {a: 1, b: [{c: 1, c: 2}]}")).message).toContain(
      'the key "c" is there twice',
    );
    expect(errorOf(withLines("tracker: {}")).message).toContain('WORKFLOW.md:5:1: the key "tracker"');
  });
});

test("aliases of what stands elsewhere are taken", () => {
  expect(settingsOf(withLines("x: &states [Doing]\ncodex:\n  env_pass: *states")).codex.envPass).toEqual([
    "Doing",
  ]);
});
