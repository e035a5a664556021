/** The front matter as JSON Schema, for editors that complete and explain keys while somebody types. */
import * as z from "zod";
import { frontMatter } from "./schema.ts";

/** Draft 7, which YAML language servers read best. Describes what may be written, before defaults and resolution. */
export function jsonSchema(): Readonly<Record<string, unknown>> {
  const schema = z.toJSONSchema(frontMatter, {
    io: "input",
    target: "draft-7",
    // Zod leaves the default out where a value is also converted; it is what people look for first.
    override: ({ zodSchema, jsonSchema: described }) => {
      const usual: unknown = z.globalRegistry.get(zodSchema)?.["default"];
      if (usual !== undefined) Object.assign(described, { default: usual });
    },
  });
  return { ...schema, title: "WORKFLOW.md front matter" };
}
