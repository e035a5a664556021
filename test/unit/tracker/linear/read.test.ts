import { expect, it } from "vitest";
import { z } from "zod";
import { read } from "../../../../src/tracker/linear/read.ts";

const shape = z.object({ issues: z.object({ nodes: z.array(z.number()) }) });

it("a value of the right form is what it says, and nothing else of it", () => {
  expect(read("a scan", shape, { issues: { nodes: [1] }, more: 2 })).toEqual({ issues: { nodes: [1] } });
});

it("any other value is an error that names the question and the place", () => {
  expect(() => read("a scan", shape, { issues: { nodes: ["x"] } })).toThrow(
    expect.objectContaining({
      kind: "tracker_response",
      message: expect.stringMatching(/answer to a scan cannot be read: issues\.nodes\.0/) as string,
    }),
  );
});
