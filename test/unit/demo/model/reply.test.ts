import { expect, test } from "vitest";
import {
  addFile,
  call,
  drop,
  gate,
  patch,
  refuse,
  say,
  sayHalf,
  shell,
  traces,
  usage,
  wait,
} from "../../../../src/demo/model/reply.ts";

test("what stays in a thread's history is counted, what leaves no trace is not", () => {
  expect([say("a"), call("t", {}), patch("p"), shell("ls")].map(traces)).toEqual([1, 1, 1, 1]);
  expect([sayHalf("a"), usage({}), wait(1), drop(), refuse(500, "x")].map(traces)).toEqual([0, 0, 0, 0, 0]);
});

test("a command may be asked to leave the sandbox, with its reason", () => {
  expect(shell("ls")).toMatchObject({ tool: "exec_command", args: { cmd: "ls" } });
  expect(shell("ls", { escalate: "I must" })).toMatchObject({
    args: { sandbox_permissions: "require_escalated", justification: "I must" },
  });
});

test("a new file is a patch that adds its lines", () => {
  expect(addFile("a/b", "one\ntwo")).toEqual(
    patch("*** Begin Patch\n*** Add File: a/b\n+one\n+two\n*** End Patch\n"),
  );
});

test("a gate lets pass who came before it was opened, and who comes later", async () => {
  const door = gate();
  const early = door.opened.then(() => "early");
  door.open();
  expect(await early).toBe("early");
  await door.opened;
});
