import { afterEach, expect, test } from "vitest";
import * as play from "../../../../src/demo/model/model.ts";
import type { Model, Reply } from "../../../../src/demo/model/model.ts";

const opened: Model[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((model) => model.close()));
});

async function modelWith(reply: Reply | (() => Reply)): Promise<Model> {
  const model = await play.startModel(() => (typeof reply === "function" ? reply() : reply));
  opened.push(model);
  return model;
}

const question = { model: "m", input: [{ type: "message", role: "user", content: "hi" }], tools: [] };
const ask = (model: Model, body: unknown = question): Promise<Response> =>
  fetch(`${model.url}/responses`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "thread-id": "t-1" },
  });

interface Event {
  readonly type: string;
  readonly [field: string]: unknown;
}
const events = async (response: Response): Promise<readonly Event[]> =>
  (await response.text())
    .split("\n\n")
    .filter((block) => block.trim() !== "")
    .map((block) => JSON.parse(block.slice(block.indexOf("data: ") + 6)) as Event);
const types = (all: readonly Event[]): readonly string[] =>
  all.map(({ type }) => type.replace("response.", ""));

test("a message comes as item, deltas, item done, and the response completes with its usage", async () => {
  const model = await modelWith([play.say("abcdef", { pieces: 3 }), play.usage({ input: 7, output: 2 })]);
  const all = await events(await ask(model));
  expect(types(all)).toEqual([
    "created",
    "output_item.added",
    ...Array.from({ length: 3 }, () => "output_text.delta"),
    "output_item.done",
    "completed",
  ]);
  expect(all.flatMap((event) => event["delta"] ?? [])).toEqual(["ab", "cd", "ef"]);
  expect(all.at(-1)).toMatchObject({ response: { usage: { input_tokens: 7, total_tokens: 9 } } });
});

test("calls of one response have different ids and keep their order", async () => {
  const model = await modelWith([play.shell("ls"), play.call("t", { a: 1 }), play.addFile("f", "x\ny")]);
  const done = (await events(await ask(model))).filter(({ type }) => type.endsWith("item.done"));
  const items = done.map(({ item }) => item as { call_id: string; arguments?: string; input?: string });
  expect(new Set(items.map(({ call_id }) => call_id)).size).toBe(3);
  expect(done.map(({ output_index }) => output_index)).toEqual([0, 1, 2]);
  expect(JSON.parse(items[0]?.arguments ?? "")).toMatchObject({ cmd: "ls" });
  expect(items[2]?.input).toContain("+x\n+y\n");
});

test("a part may be computed from what the model was shown", async () => {
  const model = await modelWith([play.say(({ items }) => `${items.length} item`)]);
  expect(JSON.stringify(await events(await ask(model)))).toContain("1 item");
});

test("a refusal is an HTTP status with an error body", async () => {
  const model = await modelWith([play.headers({ "x-limit": "1" }), play.refuse(429, "slow", "not so fast")]);
  const response = await ask(model);
  expect(response.status).toBe(429);
  expect(response.headers.get("x-limit")).toBe("1");
  expect(await response.json()).toEqual({ error: { code: "slow", type: "slow", message: "not so fast" } });
});

test("a failed and an incomplete response end the stream without completing it", async () => {
  for (const part of [play.fail("server_error"), play.incomplete("max_output_tokens")]) {
    const model = await modelWith([play.say("so far"), part, play.say("never")]);
    const seen = types(await events(await ask(model)));
    expect(seen.at(-1)).toBe(part.do === "fail" ? "failed" : "incomplete");
  }
});

test("a cut connection breaks the stream in the middle", async () => {
  for (const reply of [[play.drop()], [play.sayHalf("half")]]) {
    const response = await ask(await modelWith(reply));
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  }
});

test("a held reply has begun, and goes on when its gate opens", async () => {
  const gate = play.gate();
  const response = await ask(await modelWith([play.hold(gate), play.say("after")]));
  expect(response.status).toBe(200);
  gate.open();
  expect(types(await events(response)).at(-1)).toBe("completed");
});

test("closing the model cuts replies that are still held", async () => {
  const model = await modelWith([play.hold(play.gate())]);
  const response = await ask(model);
  await model.close();
  await expect(response.text()).rejects.toThrow();
});

test("a script that throws refuses the request with what it threw", async () => {
  const model = await modelWith(() => {
    throw new Error("no such ticket");
  });
  expect(await (await ask(model)).text()).toContain("no such ticket");
});

test("what the model saw can be waited for, before and after it came", async () => {
  const model = await modelWith([play.say("x")]);
  const coming = model.asked(({ thread }) => thread === "t-1");
  await ask(model);
  expect((await coming).prompts).toEqual(["hi"]);
  expect(await model.asked(() => true)).toBe(model.requests[0]);
  await expect(model.asked(() => false, 1)).rejects.toThrow("not asked within 1 ms");
});

test("anything but a Responses request is turned away", async () => {
  const model = await modelWith([play.say("x")]);
  expect((await fetch(`${model.url}/models`)).status).toBe(404);
  expect((await ask(model, { messages: [] })).status).toBe(400);
  expect(model.requests).toEqual([]);
});
