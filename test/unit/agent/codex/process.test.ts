import { afterEach, describe, expect, test } from "vitest";
import { Census } from "../../../../src/processes/census.ts";
import { procfs } from "../../../../src/processes/proc.ts";
import { machine } from "../../../../src/processes/machine.ts";
import { ps } from "../../../../src/processes/ps.ts";
import { killQuietly } from "../../../../src/processes/kill.ts";
import { AgentProcess, type Patience, type ProcessEnd } from "../../../../src/agent/codex/process.ts";
import { eventually } from "../../../eventually.ts";
import { markedProcesses, processesNamed, startTicks } from "../../../processes.ts";

const marks: string[] = [];
const impatient: Patience = { muteMs: 50, leaveMs: 50, termMs: 50, killMs: 2000 };
const patient: Patience = { muteMs: 5000, leaveMs: 5000, termMs: 5000, killMs: 5000 };

afterEach(() => {
  const left = markedProcesses(marks);
  for (const pid of left) killQuietly(pid, "SIGKILL");
  expect(left).toEqual([]);
});

interface Run {
  readonly process: AgentProcess;
  readonly mark: string;
  readonly spawned: Promise<number>;
  readonly gone: Promise<ProcessEnd>;
  readonly isStuck: Promise<void>;
  readonly output: () => string;
  readonly told: readonly string[];
  /** Resolves once the output holds `text`. */
  readonly says: (text: string) => Promise<void>;
}

function run(command: string, patience: Patience = patient, cwd = "/", census: Census = machine): Run {
  const name = "BATON_PROCESS_TEST";
  const value = `${process.pid}-${marks.length}`;
  const mark = `${name}=${value}`;
  marks.push(mark);
  let output = "";
  const told: string[] = [];
  const spawned = Promise.withResolvers<number>();
  const gone = Promise.withResolvers<ProcessEnd>();
  const stuck = Promise.withResolvers<void>();
  const looks = new Set<() => void>();
  const env = { PATH: process.env["PATH"] ?? "", [name]: value };
  const agent = new AgentProcess(
    { command, cwd, env, marks: [mark], patience },
    {
      spawned: (pid) => {
        told.push("spawned");
        spawned.resolve(pid);
      },
      output: (chunk) => {
        output += chunk.toString("utf8");
        told.push("output");
        for (const look of looks) look();
      },
      stuck: () => {
        told.push("stuck");
        stuck.resolve();
      },
      mute: () => {
        told.push("mute");
        agent.leave();
      },
      gone: (end) => {
        told.push("gone");
        gone.resolve(end);
      },
    },
    census,
  );
  const says = (text: string): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (output.includes(text)) resolve();
      };
      looks.add(look);
      look();
    });
  return {
    process: agent,
    mark,
    spawned: spawned.promise,
    gone: gone.promise,
    isStuck: stuck.promise,
    output: () => output,
    told,
    says,
  };
}

describe("an agent's process", () => {
  test("runs a command of bash where it is told, and is told gone after its last output", async () => {
    const { gone, output, told } = run("pwd; echo done", patient, "/usr");
    expect(await gone).toEqual({ code: 0, signal: null, error: null, memoryShort: false });
    expect(output()).toBe("/usr\ndone\n");
    expect([told[0], told.at(-1)]).toEqual(["spawned", "gone"]);
    expect(told.filter((one) => one === "gone")).toHaveLength(1);
  });

  test.each([
    ["true && bash -c 'kill -9 $$'; exit $?", true],
    ["kill -9 $$", true],
    ["true", false],
  ])("of `%s`, with memory short meanwhile, it is said: %s", async (command, memoryShort) => {
    let kills = 0;
    const census = new Census({ ...procfs, oomKills: () => kills++ });
    expect(await run(command, patient, "/", census).gone).toMatchObject({ memoryShort });
  });

  test("knows nothing of our environment but what it is given", async () => {
    const { gone, output } = run("echo ${HOME-unset}");
    await gone;
    expect(output()).toBe("unset\n");
  });

  test("is told apart from others with its pid by when it began", async () => {
    const { spawned, gone, process: agent } = run("read x");
    const pid = await spawned;
    const ticks = startTicks(pid);
    expect(ticks).toBeGreaterThan(startTicks(process.pid) ?? Number.NaN);
    expect(startTicks(2 ** 30)).toBeNull();
    agent.leave();
    await gone;
  });

  test("gets lines, and leaves when its input ends", async () => {
    const { process: agent, gone, says, output } = run("cat");
    agent.write("häß");
    agent.write("two");
    await says("two\n");
    agent.leave();
    agent.leave();
    agent.write("too late");
    expect(await gone).toMatchObject({ code: 0 });
    expect(output()).toBe("häß\ntwo\n");
  });

  test("is terminated when it does not leave", async () => {
    const { process: agent, gone, says } = run("echo up; exec sleep 600", { ...patient, leaveMs: 50 });
    await says("up");
    agent.leave();
    expect(await gone).toMatchObject({ signal: "SIGTERM" });
  });

  test("is killed when it cannot be terminated, and its group with it", async () => {
    const command = "trap '' TERM; (trap '' TERM; sleep 600) & echo up; while :; do sleep 600; done";
    const { process: agent, gone, says } = run(command, { ...impatient, killMs: 60_000 });
    await says("up");
    agent.leave();
    expect(await gone).toMatchObject({ signal: "SIGKILL" });
  });

  test("takes along what left its group and its session, also when it goes by itself", async () => {
    const { gone, mark } = run("setsid sleep 600 & setsid -f sleep 600; exit 4");
    expect(await gone).toMatchObject({ code: 4 });
    expect(markedProcesses([mark])).toEqual([]);
  });

  test("takes along what left its session also where only ps tells of it", async () => {
    const byPs = new Census(ps(process.platform === "linux" ? "procps" : "bsd"));
    const command = "setsid sleep 600 & env -i setsid sleep 601 & echo $!; read x";
    const { process: agent, gone, mark, output, says } = run(command, patient, "/", byPs);
    await says("\n");
    agent.leave();
    await gone;
    expect([markedProcesses([mark]), startTicks(Number(output()))]).toEqual([[], null]);
  });

  test("takes along processes of another mark, once that is known", async () => {
    const { process: agent, gone } = run("env -i OTHER_MARK=of-this-test setsid -f sleep 600; read x");
    marks.push("OTHER_MARK=of-this-test");
    agent.mark("OTHER_MARK=of-this-test");
    agent.leave();
    await gone;
    expect(markedProcesses(["OTHER_MARK=of-this-test"])).toEqual([]);
  });

  test("takes along what cleaned its environment, as long as that hangs on it when it is asked to leave", async () => {
    const name = `unmarked-${process.pid}`;
    const line = `env -i setsid bash -c 'exec -a ${name} sleep 600' & echo $!; read x`;
    const { process: agent, gone, output, says } = run(line);
    await says("\n");
    const pid = Number(output());
    await eventually(() => expect(processesNamed(name)).toContain(pid));
    agent.leave();
    await gone;
    expect(startTicks(pid)).toBeNull();
  });

  test("is told mute, once, when it closes its output and lives on", async () => {
    const { gone, told } = run("exec 1>&-; read x", { ...patient, muteMs: 50 });
    await gone;
    expect(told).toEqual(["spawned", "mute", "gone"]);
  });

  test("is not told mute once it was asked to leave", async () => {
    const line = "exec 1>&-; echo closed >&2; read x; sleep 0.5";
    const { process: agent, gone, told } = run(line, { ...patient, muteMs: 300 });
    await eventually(() => expect(agent.stderr).toContain("closed"));
    agent.leave();
    await gone;
    expect(told).toEqual(["spawned", "gone"]);
  });

  test("takes along what hangs on it when it has cleaned its own environment", async () => {
    const line = `exec env -i bash -c 'setsid sleep 600 & echo $!; read x'`;
    const { process: agent, gone, output, says } = run(line);
    await says("\n");
    agent.leave();
    await gone;
    expect(startTicks(Number(output()))).toBeNull();
  });

  test("is gone even though somebody else holds its output", async () => {
    // A process without a mark, which is not ours to kill, keeps the pipe open.
    const holder = "env -i setsid -f bash -c 'echo $$; exec sleep 600'";
    const { process: agent, gone, output, says } = run(`${holder}; read x; echo bye`);
    await says("\n");
    const pid = Number(output());
    try {
      agent.leave();
      await gone;
      expect(output()).toBe(`${pid}\nbye\n`);
      expect(startTicks(pid)).not.toBeNull();
    } finally {
      killQuietly(pid, "SIGKILL");
    }
  });

  test("keeps the last 32 KiB of what it says on stderr, however much that is", async () => {
    const { process: agent, gone } = run(
      "yes 'a line of noise' | head -c 3000000 >&2; echo 'last wörds' >&2",
    );
    await gone;
    expect(agent.stderr.endsWith("last wörds")).toBe(true);
    expect(agent.stderr.length).toBeLessThanOrEqual(32 * 1024);
    expect(agent.stderr.length).toBeGreaterThan(31 * 1024);
  });

  test("that does not exist for bash ends with bash's code for that", async () => {
    const { process: agent, gone } = run("no-such-program-of-ours app-server");
    expect(await gone).toMatchObject({ code: 127 });
    expect(agent.stderr).toContain("no-such-program-of-ours");
  });

  test("that cannot be started at all is gone with the reason, and was never spawned", async () => {
    const { gone, told } = run("true", patient, "/no/such/directory");
    const { error } = await gone;
    expect((error as NodeJS.ErrnoException).code).toBe("ENOENT");
    expect(told).toEqual(["gone"]);
  });

  test("that dies while it is written to breaks nothing", async () => {
    const { process: agent, gone } = run("exec 0<&-; exit 0");
    for (let i = 0; i < 100; i++) agent.write("x".repeat(10_000));
    expect(await gone).toMatchObject({ code: 0 });
    agent.write("after");
  });

  test("that does not read is told stuck, once, when too much waits for it", async () => {
    const { process: agent, gone, isStuck, told } = run("sleep 600", impatient);
    const line = "x".repeat(1024 * 1024);
    for (let i = 0; i < 40; i++) agent.write(line);
    await isStuck;
    agent.leave();
    await gone;
    expect(told.filter((one) => one === "stuck")).toHaveLength(1);
  });
});

describe("a mark", () => {
  test("is a whole entry of the environment, not a part of one", async () => {
    const { process: agent, gone, says, mark } = run("export OTHER=x$BATON_PROCESS_TEST; echo up; read x");
    await says("up");
    expect(markedProcesses([mark])).toHaveLength(1);
    expect(markedProcesses([mark.slice(0, -1)])).toEqual([]);
    expect(markedProcesses([mark.slice(1)])).toEqual([]);
    agent.leave();
    await gone;
  });
});
