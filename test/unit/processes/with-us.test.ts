import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { runCommand } from "../../../src/processes/command.ts";
import { eventually } from "../../eventually.ts";
import { startTicks } from "../../processes.ts";

const at = new URL("../../../src/processes/", import.meta.url).href;

interface Program {
  readonly command: number;
  /** By SIGINT; its code and signal. */
  readonly end: () => Promise<unknown>;
}

/** A program that runs a command which would not end, and then does this. The pid of the command. */
async function program(then: string): Promise<Program> {
  const script = `
    import { runCommand } from "${at}command.ts";
    const env = { PATH: process.env.PATH };
    const running = runCommand({
      file: "bash", args: ["-c", "echo $$; sleep 600 & wait"], cwd: "/", env, timeoutMs: 600_000, signal: null,
      onStdout: (chunk) => { process.stdout.write(chunk); ${then} },
    });`;
  const child = spawn(process.execPath, ["--no-warnings", "--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  return {
    command: Number(line),
    end: () => {
      child.kill("SIGINT");
      return exited;
    },
  };
}

test("a command does not outlive the program that is ended by a signal", async () => {
  const { command, end } = await program("");
  expect(startTicks(command)).not.toBeNull();
  expect(await end()).toEqual([null, "SIGINT"]);
  await eventually(() => expect(startTicks(command)).toBeNull());
});

test("a command does not outlive the program that ends by itself", async () => {
  const { command, end } = await program("setTimeout(() => process.exit(3), 10);");
  await eventually(() => expect(startTicks(command)).toBeNull());
  await end();
});

test("who handles a signal decides itself what becomes of its commands", async () => {
  const { command, end } = await program(
    'process.on("SIGINT", () => setTimeout(() => process.exit(7), 50));',
  );
  expect(await end()).toEqual([7, null]);
  await eventually(() => expect(startTicks(command)).toBeNull());
});

test("nobody listens any more when no command runs", async () => {
  const listeners = (): readonly number[] =>
    ["exit", "SIGINT", "SIGTERM", "SIGHUP"].map((name) => process.listenerCount(name));
  const before = listeners();
  const command = {
    file: "true",
    args: [],
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "" },
    timeoutMs: 60_000,
  };
  const running = [1, 2, 3].map(() => runCommand({ ...command, signal: null }));
  expect(listeners()).not.toEqual(before);
  await Promise.all(running);
  expect(listeners()).toEqual(before);
});
