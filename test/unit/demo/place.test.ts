import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { takePlace } from "../../../src/demo/place.ts";

const cache = mkdtempSync(join(tmpdir(), "baton-place-"));
const env = { XDG_CACHE_HOME: cache };
afterEach(() => rmSync(join(cache, "baton"), { recursive: true, force: true }));
afterAll(() => rmSync(cache, { recursive: true, force: true }));

test("what a demo leaves stays until the next one begins", () => {
  const first = takePlace(env);
  const kept = join(first.path, "something");
  writeFileSync(kept, "");
  first.release();
  expect(existsSync(kept)).toBe(true);
  const second = takePlace(env);
  expect(existsSync(kept)).toBe(false);
  second.release();
});

test("a second demo at the same time is refused and harms nothing", () => {
  const first = takePlace(env);
  const kept = join(first.path, "something");
  writeFileSync(kept, "");
  expect(() => takePlace(env)).toThrow(`Another demo is running (pid ${process.pid})`);
  expect(existsSync(kept)).toBe(true);
  first.release();
});

test.each([
  ["whose process is gone", "999999999 1"],
  ["whose process number belongs to a younger process", `${process.pid} 1`],
  ["that is not readable", "?"],
])("a lock %s is taken over", (_, content) => {
  takePlace(env).release();
  writeFileSync(join(cache, "baton", "demo.lock"), content);
  const place = takePlace(env);
  expect(() => takePlace(env)).toThrow("Another demo is running");
  place.release();
});

test("a place that cannot be written says where and what to do", () => {
  const file = join(cache, "file");
  writeFileSync(file, "");
  expect(() => takePlace({ XDG_CACHE_HOME: file })).toThrow(/cannot write to .*XDG_CACHE_HOME/s);
});
