import { expect, it } from "vitest";
import { dispatchability, labelsOf } from "../../../src/tracker/dispatchable.ts";

const good = { trashed: false, archived: false, assignee: null, wanted: null };
const away = { name: "other", isOurs: false };

it.each([
  ["nothing that stands in the way", {}, undefined],
  [
    "its own project and the right assignee",
    { project: { name: "demo", isOurs: true }, assignee: "a", wanted: "a" },
    undefined,
  ],
  ["the trash", { trashed: true, archived: true, project: away }, "it is in the trash"],
  ["the archive", { archived: true, project: away }, "it is archived"],
  ["another project", { project: away, wanted: "a" }, 'it is in another project ("other")'],
  ["no project", { project: { name: null, isOurs: false } }, "it is in no project"],
  ["another assignee", { assignee: "b", wanted: "a" }, "it is assigned to somebody else"],
  ["no assignee", { wanted: "a" }, "it is assigned to nobody"],
])("an issue with %s", (_, change, whyNot) => {
  const found = dispatchability({ ...good, ...change });
  const isAway = whyNot === "it is in the trash" || whyNot === "it is archived";
  const putAway = isAway ? { putAway: true } : {};
  expect(found).toEqual(
    whyNot === undefined ? { dispatchable: true } : { dispatchable: false, whyNot, ...putAway },
  );
});

it("labels are trimmed, lower-cased and there once; blank ones are none", () => {
  expect(labelsOf(["B", " b ", "", "  ", "a"])).toEqual(["b", "a"]);
});
