/** Keys that a map has twice. The YAML library can look for them itself, in a time that grows with the square of the map. */
import type { Document } from "yaml";
import { isNode, isScalar, visit } from "yaml";

export interface RepeatedKey {
  readonly name: string;
  /** Offset of the second one. */
  readonly at: number;
}

/** The first `max` of them, in the order of the text. */
export function repeatedKeys(document: Document, max: number): readonly RepeatedKey[] {
  const found: RepeatedKey[] = [];
  visit(document, {
    Map: (_, map) => {
      const seen = new Set<string>();
      for (const { key } of map.items) {
        if (!isScalar(key)) continue;
        // As text: that is what they are in the result, so `1` and `"1"` are one key.
        const name = String(key.value);
        if (seen.has(name) && isNode(key)) found.push({ name, at: key.range?.[0] ?? 0 });
        seen.add(name);
      }
      return found.length < max ? undefined : visit.BREAK;
    },
  });
  return found.sort((a, b) => a.at - b.at).slice(0, max);
}
