/** What a log said, by the shape of its lines: the same sentence about other tickets is one line with a count. */
import { fieldsOf } from "../../src/domain/domain.ts";

export interface Shape {
  readonly level: string;
  readonly fact: string;
  readonly text: string;
  readonly count: number;
}

/** Most frequent first. */
export function shapesOf(lines: readonly string[]): readonly Shape[] {
  const shapes = new Map<string, Shape>();
  for (const line of lines) {
    const { level, fact, message } = parsed(line);
    const text = bare(message);
    const key = `${level} ${fact} ${text}`;
    shapes.set(key, { level, fact, text, count: (shapes.get(key)?.count ?? 0) + 1 });
  }
  return [...shapes.values()].sort((a, b) => b.count - a.count);
}

function parsed(line: string): { readonly level: string; readonly fact: string; readonly message: string } {
  try {
    const { level, fact, msg, message } = fieldsOf(JSON.parse(line));
    return { level: String(level), fact: String(fact), message: String(msg ?? message) };
  } catch {
    return { level: "noise", fact: "", message: line };
  }
}

const SHAPE_MAX = 160;

const bare = (message: string): string =>
  message
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{20,}/g, "ID")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/\/\S+/g, "PATH")
    .replaceAll(/DEMO-\d+/g, "DEMO-N")
    .replaceAll(/\d+(\.\d+)?/g, "N")
    .slice(0, SHAPE_MAX);
