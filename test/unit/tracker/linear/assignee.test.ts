import { describe, expect, it } from "vitest";
import { organisationOf, resolveAssignee, viewer } from "../../../../src/tracker/linear/assignee.ts";
import { Line, never } from "./line.ts";

const me = { viewer: { id: "user-1", name: "Ada", email: "ada@example.com" } };

describe("an assignee", () => {
  it.each([null, "", "  "])(
    "that is not set (%j) is nobody in particular, and asked of nobody",
    async (set) => {
      const line = new Line([]);
      expect(await resolveAssignee(set, line.client, never)).toBeNull();
      expect(line.asked).toEqual([]);
    },
  );

  it.each(["me", " Me "])("that is %j is the key's own user", async (set) => {
    expect(await resolveAssignee(set, new Line([me]).client, never)).toBe("user-1");
  });

  it("with an @ is looked up by its address, whatever its case, disabled users too", async () => {
    const line = new Line([{ users: { nodes: [{ id: "user-2" }] } }]);
    expect(await resolveAssignee("Bob@example.com", line.client, never)).toBe("user-2");
    expect(line.asked[0]?.variables).toEqual({ email: "Bob@example.com" });
    expect(line.asked[0]?.query).toMatch(/eqIgnoreCase.*includeDisabled: true/);
  });

  it("that nobody has is a mistake in the settings, without the address in its words", async () => {
    const asked = resolveAssignee("eve@example.com", new Line([{ users: { nodes: [] } }]).client, never);
    await expect(asked).rejects.toMatchObject({
      kind: "invalid_tracker_config",
      passing: false,
      message: expect.not.stringContaining("eve@") as string,
    });
  });

  it("of any other form is an id, and is not looked up", async () => {
    const line = new Line([]);
    expect(await resolveAssignee(" user-9 ", line.client, never)).toBe("user-9");
    expect(line.asked).toEqual([]);
  });
});

describe("the key's user", () => {
  it.each([
    [{ id: "u", name: "Ada", email: "a@b.c" }, "Ada"],
    [{ id: "u", name: null, email: "a@b.c" }, "a@b.c"],
    [{ id: "u", name: "‮\u0000", email: null }, "u"],
  ])("of %j is called %s", async (user, name) => {
    expect(await viewer(new Line([{ viewer: user }]).client, never)).toEqual({ id: "u", name });
  });
});

describe("the organisation of a key", () => {
  it("is known by its id, which survives new keys and new names", async () => {
    const line = new Line([{ organization: { id: "org-1" } }]);
    expect(await organisationOf(line.client, never)).toBe("org-1");
    expect(line.asked[0]?.query).toContain("organization { id }");
  });
});
