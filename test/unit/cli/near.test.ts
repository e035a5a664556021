import { describe, expect, it } from "vitest";
import { near } from "../../../src/cli/near.ts";

const names = ["MT-12", "MT-112", "WEB-12", "MT-7", "r2", "r12"];

describe("a name that is near", () => {
  it.each([
    ["12", ["MT-12", "MT-112", "WEB-12", "r12"]],
    ["MT12", ["MT-12", "WEB-12", "r12"]],
    ["MY-7", ["MT-7"]],
    ["web", ["WEB-12"]],
    ["r99", []],
    ["", []],
  ])("%j is near %j", (word, like) => expect(near(word, names)).toEqual(like));

  it("is never one of a long list", () => {
    const many = Array.from({ length: 50 }, (_, n) => `T${n}-1`);
    expect(near("1", many)).toHaveLength(5);
  });
});
