import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Fit } from "../../../../src/agent/port.ts";
import { Fitness } from "../../../../src/agent/codex/fitness.ts";
import { knownFits } from "../../../../src/agent/codex/known-fits.ts";
import { putFakeCodex } from "../../../fixtures/fake-codex.ts";

let folder: string;
let codex: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "fitness-"));
  codex = join(folder, "codex");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** As a daemon would that has just started. */
const fresh = (): Fitness =>
  new Fitness({
    env: { PATH: process.env["PATH"], HOME: folder, SECRET: "s3cret" },
    secrets: () => ["s3cret"],
    mark: "test.codex",
    known: knownFits(join(folder, "known")),
  });
const look = (
  command = `${codex} app-server`,
  fitness = fresh(),
  signal = new AbortController().signal,
): Promise<Fit> => fitness.look({ command, envPass: ["SECRET"], envProvider: [] }, signal);
const calls = (): readonly string[] =>
  existsSync(`${codex}.calls`) ? readFileSync(`${codex}.calls`, "utf8").trim().split("\n") : [];

describe("a Codex whose command ends in app-server", () => {
  test("that has all that is needed is asked for its schema once for each version, over restarts too", async () => {
    putFakeCodex(codex);
    expect(await look()).toEqual({ is: "fit", version: "0.201.0" });
    expect(calls()).toEqual([
      "--version",
      expect.stringMatching(/^app-server generate-json-schema --experimental --out /),
    ]);
    expect(await look()).toEqual({ is: "fit", version: "0.201.0" });
    expect(calls()).toHaveLength(3);
    putFakeCodex(codex, { says: "codex-cli 0.202.0" });
    await look();
    expect(calls()).toHaveLength(5);
  });

  test("that lacks a field is told with its name, and looked at again until it has it", async () => {
    putFakeCodex(codex, { lacks: ["turn/start", "input"] });
    const unfit = { is: "unfit", version: "0.201.0", missing: ["the field input of the request turn/start"] };
    expect(await look()).toEqual(unfit);
    expect(await look()).toEqual(unfit);
    putFakeCodex(codex);
    expect(await look()).toEqual({ is: "fit", version: "0.201.0" });
  });

  test("is asked with the environment that it serves in", async () => {
    putFakeCodex(codex, { generates: `env > '${folder}/env'; exit 1` });
    await look();
    const env = readFileSync(join(folder, "env"), "utf8");
    expect(env).toContain("BATON_RUN=test.codex");
    expect(env).not.toContain("s3cret");
  });

  test("that writes no schema goes by its release, and is not asked for one again in this life", async () => {
    putFakeCodex(codex, { says: "codex-cli 0.150.0", generates: "exit 2" });
    const fitness = fresh();
    expect(await look(undefined, fitness)).toEqual({ is: "fit", version: "0.150.0" });
    expect(await look(undefined, fitness)).toEqual({ is: "fit", version: "0.150.0" });
    expect(calls()).toHaveLength(3);
    putFakeCodex(codex, { says: "codex-cli 0.201.0", generates: "echo no such command >&2; exit 2" });
    expect(await look(undefined, fitness)).toMatchObject({
      is: "unknown",
      version: "0.201.0",
      why: expect.stringMatching(/release 0\.201\.0 is not known.*ended with 2.*no such command/) as string,
      lasting: false,
    });
  });

  test("that nobody released is asked each time: its number says nothing", async () => {
    putFakeCodex(codex, { says: "codex-cli 0.0.0" });
    expect(await look()).toEqual({ is: "fit", version: "0.0.0" });
    putFakeCodex(codex, { says: "codex-cli 0.0.0", lacks: ["turn/start", "input"] });
    expect(await look()).toMatchObject({ is: "unfit" });
  });

  test("that writes half a schema says nothing by it", async () => {
    putFakeCodex(codex, { generates: 'for last; do :; done; echo "{" > "$last"/ClientRequest.json' });
    expect(await look()).toMatchObject({ is: "unknown" });
  });

  test("that is not there may be there the next time", async () => {
    expect(await look()).toMatchObject({ is: "unknown", version: null, lasting: false });
  });

  test("that hangs is given up with the daemon, and leaves nothing behind", async () => {
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith("baton-codex-"));
    putFakeCodex(codex, { generates: "exec sleep 600" });
    const end = new AbortController();
    const looking = look(undefined, fresh(), end.signal);
    await expect.poll(calls).toHaveLength(2);
    end.abort();
    expect(await looking).toMatchObject({ is: "unknown", lasting: false });
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith("baton-codex-"))).toEqual(before);
  });
});

describe("a command that does not end in app-server", () => {
  test.each([
    ["0.150.0", { is: "fit", version: "0.150.0" }],
    ["0.98.0", { is: "unfit", version: "0.98.0", missing: ["the request turn/steer"] }],
  ])("goes by its release (%s)", async (version, found) => {
    putFakeCodex(codex, { says: `codex-cli ${version}` });
    expect(await look(`${codex} app-server | tee log`)).toEqual(found);
    expect(calls()).toEqual(["--version"]);
  });

  test("and whose release is not known holds nothing", async () => {
    putFakeCodex(codex);
    expect(await look(`${codex} app-server | tee log`)).toMatchObject({ is: "unknown", version: "0.201.0" });
  });

  test("of a program that is no Codex is asked one question, once", async () => {
    putFakeCodex(codex, { says: "v24.21.0" });
    expect(await look(`${codex} agent.js app-server`)).toMatchObject({
      is: "unknown",
      why: expect.stringContaining("says no version of Codex: v24.21.0") as string,
      lasting: true,
    });
    expect(calls()).toEqual(["agent.js --version"]);
  });
});

test("a file of what is known that cannot be read, or written, costs no more than another look", async () => {
  putFakeCodex(codex);
  writeFileSync(join(folder, "known"), "{");
  expect(await look()).toMatchObject({ is: "fit" });
  rmSync(join(folder, "known"));
  const nowhere = new Fitness({
    env: { PATH: process.env["PATH"], HOME: folder },
    secrets: () => [],
    mark: "test.codex",
    known: knownFits(join(folder, "none", "known")),
  });
  expect(await look(undefined, nowhere)).toMatchObject({ is: "fit" });
});
