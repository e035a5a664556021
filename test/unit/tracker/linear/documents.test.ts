import { Kind, parse, print, visit } from "graphql";
import { describe, expect, it } from "vitest";
import { documents } from "../../../../src/tracker/linear/documents.ts";

describe("every document", () => {
  it.each(Object.entries(documents))("%s is one operation with a name of its own", (_, text) => {
    const operations = parse(text).definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
    expect(operations).toHaveLength(1);
    expect(text.trim()).toMatch(/^query Baton[A-Z]\w+/);
    expect(
      Object.values(documents).filter((other) => other.includes(text.trim().split("(")[0] ?? "")),
    ).toHaveLength(1);
  });

  it.each(Object.entries(documents))("%s says how many it wants of every list", (_, text) => {
    visit(parse(text), {
      Field: ({ name, selectionSet, arguments: given = [] }) => {
        const isList = selectionSet?.selections.some(
          (one) => one.kind === Kind.FIELD && one.name.value === "nodes",
        );
        if (isList === true)
          expect([name.value, given.map((one) => one.name.value)]).toEqual([
            name.value,
            expect.arrayContaining(["first"]),
          ]);
      },
    });
  });

  it("that lists issues does it by creation, which does not change while the pages are read", () => {
    for (const text of Object.values(documents)) {
      const listing = print(parse(text)).match(/^ {2}issues\(.*$/gm) ?? [];
      for (const line of listing) expect(`${text} ${line}`).toContain("orderBy: createdAt");
    }
  });

  it("that asks by id sees archived issues too, so that an absent one has one meaning", () => {
    for (const text of [documents.statuses, documents.issues])
      expect(text).toContain("includeArchived: true");
  });
});

describe("the scans", () => {
  it.each([documents.candidates, documents.inStates])("ask for no labels, blockers or texts", (text) => {
    const asked = new Set<string>();
    visit(parse(text), { Field: ({ name }) => void asked.add(name.value) });
    for (const field of ["labels", "inverseRelations", "description", "url"])
      expect(asked).not.toContain(field);
  });
});
