/** Saves of which nobody knows what they are: good texts with bytes changed, cut, moved, doubled. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { spice } from "../../unit/workflow/spice.ts";
import type { Case } from "./case.ts";

const originals = ["../../../workflows", "../../unit/workflow/fixtures"].flatMap((folder) => {
  const place = join(import.meta.dirname, folder);
  const names = readdirSync(place).filter((name) => name.endsWith(".md"));
  return names.map((name) => readFileSync(join(place, name)));
});

/** How often a text is changed: once is likeliest to leave a file that is good. */
const CHANGES_MAX = 4;

export function randomCase(random: () => number): Case {
  const below = (n: number): number => Math.floor(random() * n);
  let bytes = Buffer.from(originals[below(originals.length)] ?? "");
  for (let changes = 1 + below(CHANGES_MAX); changes > 0; changes--) bytes = changed(bytes, below);
  return { name: "a random change", content: bytes, expect: null };
}

function changed(bytes: Buffer<ArrayBuffer>, below: (n: number) => number): Buffer<ArrayBuffer> {
  // Mostly at the front, where the settings are.
  const at = below(below(4) === 0 ? bytes.length + 1 : Math.min(1_500, bytes.length + 1));
  const joined = (...parts: readonly Uint8Array[]) => Buffer.concat(parts);
  switch (below(6)) {
    case 0: {
      const copy = Buffer.from(bytes);
      if (copy.length > 0) copy[at % copy.length] = below(256);
      return copy;
    }
    case 1:
      return bytes.subarray(0, at);
    case 2:
      return joined(bytes.subarray(0, at), bytes.subarray(at + below(60)));
    case 3:
      return joined(bytes.subarray(0, at), bytes.subarray(at, at + below(200)), bytes.subarray(at));
    case 4:
      return joined(bytes.subarray(0, at), Buffer.from(spice[below(spice.length)] ?? ""), bytes.subarray(at));
    default: {
      const lines = bytes.toString("latin1").split("\n");
      const from = below(lines.length);
      lines.splice(below(lines.length), 0, ...lines.splice(from, 1));
      return Buffer.from(lines.join("\n"), "latin1");
    }
  }
}
