/** `baton schema`: what an editor needs to complete and check a WORKFLOW.md. */
import type { Output } from "../terminal/terminal.ts";
import { jsonSchema } from "../workflow/workflow.ts";
import { EXIT, type ExitCode } from "./exit.ts";

/** Prints the JSON Schema of the front matter. */
export function schema(output: Output): ExitCode {
  output.out(JSON.stringify(jsonSchema(), null, 2));
  return EXIT.ok;
}
