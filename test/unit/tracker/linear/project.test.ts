import { describe, expect, it } from "vitest";
import { isSameProject, slugIdsOf } from "../../../../src/tracker/linear/project.ts";

describe("a project's slug", () => {
  it.each([
    ["web-app-a1b2c3d4e5f6", ["web-app-a1b2c3d4e5f6", "a1b2c3d4e5f6"]],
    [" Web-App-A1B2C3D4E5F6 ", ["Web-App-A1B2C3D4E5F6", "a1b2c3d4e5f6"]],
    ["a1b2c3d4e5f6", ["a1b2c3d4e5f6"]],
    ["demo", ["demo"]],
    ["web-app", ["web-app"]],
    ["web-a1b2c3d4e5f6a", ["web-a1b2c3d4e5f6a"]],
  ])("%s is asked for as its address shows it, and as its id", (slug, asked) => {
    expect(slugIdsOf(slug)).toEqual(asked);
  });

  it.each([
    ["web-app-a1b2c3d4e5f6", "a1b2c3d4e5f6", true],
    ["a1b2c3d4e5f6", "web-app-a1b2c3d4e5f6", true],
    ["old-name-a1b2c3d4e5f6", "new-name-A1B2C3D4E5F6", true],
    ["Demo", "demo", true],
    ["web-app-a1b2c3d4e5f6", "web-app-000000000000", false],
    ["demo", "other", false],
    ["demo", "", false],
  ])("%s and %s mean the same project: %s", (one, other, same) => {
    expect(isSameProject(one, other)).toBe(same);
  });
});
