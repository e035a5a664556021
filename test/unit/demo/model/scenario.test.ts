import { expect, test } from "vitest";
import {
  addFile,
  call,
  drop,
  fail,
  refuse,
  say,
  scenario,
  scripted,
  shell,
} from "../../../../src/demo/model/model.ts";
import type { ModelRequest, Reply, Script, Step } from "../../../../src/demo/model/model.ts";
import { parseRequest } from "../../../../src/demo/model/request.ts";

/** A thread as Codex keeps it: what it sends is what it was answered, call by call. */
class Thread {
  readonly #items: unknown[] = [];
  readonly #script: Script;
  constructor(script: Script, prompt: string) {
    this.#script = script;
    this.prompt(prompt);
  }

  prompt(text: string): void {
    this.#items.push({ type: "message", role: "user", content: [{ type: "input_text", text }] });
  }

  request(): ModelRequest {
    return parseRequest({ model: "scripted", input: this.#items }, 1, "thread");
  }

  /** The next answer; it goes into the history unless `lost`. */
  ask({ lost = false, kept = Number.POSITIVE_INFINITY } = {}): Reply {
    const reply = this.#script(this.request());
    if (!lost) this.#items.push(...reply.slice(0, kept).map(remembered));
    return reply;
  }
}

const remembered = (part: Reply[number], index: number): unknown => {
  if (part.do === "say") {
    return { type: "message", role: "assistant", content: [{ type: "output_text", text: part.text }] };
  }
  if (part.do === "patch") return { type: "custom_tool_call", call_id: `p${index}`, name: "apply_patch" };
  return { type: "function_call", call_id: `c${index}`, name: "exec_command", arguments: "{}" };
};

const thread = (...turns: readonly (readonly Step[])[]): Thread =>
  new Thread(scripted(scenario({ match: "ABC-1", turns })), "Please do ABC-1");
const texts = (reply: Reply): readonly unknown[] =>
  reply.map((part) => (part.do === "say" ? part.text : part.do));

test("each request gets the step after those the history shows", () => {
  const one = thread([shell("a"), say("first turn")], [addFile("f", "x"), say("second turn")]);
  expect(texts(one.ask())).toEqual(["call"]);
  expect(texts(one.ask())).toEqual(["first turn"]);
  one.prompt("go on");
  expect(texts(one.ask())).toEqual(["patch"]);
  expect(texts(one.ask())).toEqual(["second turn"]);
});

test("a step whose answer was lost is given again", () => {
  const one = thread([shell("a"), say("done")]);
  one.ask();
  expect(texts(one.ask({ lost: true }))).toEqual(["done"]);
  one.prompt("go on");
  expect(texts(one.ask())).toEqual(["done"]);
});

test("of a step that was kept by half only the other half is given again", () => {
  const one = thread([[say("I start"), shell("a"), shell("b")], say("done")]);
  one.ask({ kept: 2 });
  one.prompt("go on");
  expect(texts(one.ask())).toEqual(["call"]);
  expect(texts(one.ask())).toEqual(["done"]);
});

test("a step that leaves no trace happens once, then the thread goes on", () => {
  const one = thread([refuse(500, "oops"), drop(), say("done")], [fail("server_error"), say("more")]);
  expect(texts(one.ask({ lost: true }))).toEqual(["refuse"]);
  expect(texts(one.ask({ lost: true }))).toEqual(["drop"]);
  expect(texts(one.ask())).toEqual(["done"]);
  expect(texts(one.ask({ lost: true }))).toEqual(["fail"]);
  expect(texts(one.ask())).toEqual(["more"]);
});

test("the same trouble listed twice happens twice", () => {
  const trouble = refuse(500, "oops");
  const one = thread([trouble, trouble, say("done")]);
  const seen = [1, 2, 3].map(() => texts(one.ask({ lost: true })));
  expect(seen).toEqual([["refuse"], ["refuse"], ["done"]]);
});

test("a model that was started anew does not repeat trouble the history is beyond", () => {
  const turns = [[refuse(500, "oops"), say("one")], [say("two")]];
  const before = thread(...turns);
  before.ask({ lost: true });
  before.ask();
  const after = scripted(scenario({ match: "ABC-1", turns }));
  expect(texts(after(before.request()))).toEqual(["two"]);
});

test("a scenario that is over says so instead of failing", () => {
  const one = thread([say("done")]);
  one.ask();
  expect(texts(one.ask())).toEqual(["There is nothing more to do here."]);
});

test("the first prompt chooses the scenario, whatever is asked later", () => {
  const script = scripted(
    scenario({ match: "ABC-1", turns: [[say("one")], [say("one more")]] }),
    scenario({ match: (prompt) => prompt.endsWith("ABC-2"), turns: [[say("two")]] }),
  );
  const [first, second] = [new Thread(script, "do ABC-1"), new Thread(script, "do ABC-2")];
  expect(texts(first.ask())).toEqual(["one"]);
  expect(texts(second.ask())).toEqual(["two"]);
  first.prompt("now ABC-2");
  expect(texts(first.ask())).toEqual(["one more"]);
});

test("a prompt without a scenario is refused with its own words", () => {
  const [part] = new Thread(scripted(), "do XYZ-9").ask({ lost: true });
  expect(part).toMatchObject({ do: "refuse", status: 400, code: "no_scenario" });
  expect(JSON.stringify(part)).toContain("XYZ-9");
});

test("two threads of one ticket go their own ways, but its trouble comes once", () => {
  const script = scripted(
    scenario({ match: "ABC-1", turns: [[refuse(500, "oops"), call("t", {}), say("x")]] }),
  );
  const [first, second] = [new Thread(script, "ABC-1"), new Thread(script, "ABC-1")];
  expect(texts(first.ask({ lost: true }))).toEqual(["refuse"]);
  expect(texts(second.ask())).toEqual(["call"]);
  expect(texts(first.ask())).toEqual(["call"]);
});
