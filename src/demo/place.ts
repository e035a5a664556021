/**
 * The demo's directory: always the same one, so that people find the ledger, the repository and the log again; emptied
 * when the next demo starts. One demo at a time may have it.
 */
import { codeOf } from "../domain/domain.ts";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { isAlive, machine } from "../processes/processes.ts";
import { DemoError } from "./demo-error.ts";

export interface Place {
  readonly path: string;
  /** The copy of WORKFLOW.md that the demo runs. */
  readonly workflow: string;
  /** Beside the copy, where every workflow's ledger is. */
  readonly ledger: string;
  /** The bare repository. */
  readonly origin: string;
  readonly log: string;
  /** Lets the next demo have it; what is in it stays. Tolerates a second call. */
  release(): void;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Takes the place and empties it. @throws DemoError when another demo has it, or nothing can be written there. */
export function takePlace(env: Env): Place {
  const cache = env["XDG_CACHE_HOME"] ?? "";
  const root = join(cache === "" ? join(homedir(), ".cache") : cache, "baton");
  const path = join(root, "demo");
  const lock = join(root, "demo.lock");
  try {
    mkdirSync(root, { recursive: true, mode: 0o700 });
    lockAt(lock);
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (error instanceof DemoError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new DemoError(
      "place",
      `The demo cannot write to ${path}: ${why}\nSet XDG_CACHE_HOME to a directory that can be written.`,
      error,
    );
  }
  return {
    path,
    workflow: join(path, "WORKFLOW.md"),
    ledger: join(path, ".baton", "ledger.db"),
    origin: join(path, "origin.git"),
    log: join(path, "baton.log"),
    release: () => rmSync(lock, { force: true }),
  };
}

/** A lock of a demo that was killed is taken over: its process is gone, or the number belongs to a younger one. */
function lockAt(file: string): void {
  const mine = `${process.pid} ${startOf(process.pid)}`;
  try {
    writeFileSync(file, mine, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    const holder = Number.parseInt(readFileSync(file, "utf8"), 10);
    if (readFileSync(file, "utf8") === `${holder} ${startOf(holder)}` && isAlive(holder)) {
      throw new DemoError(
        "busy",
        `Another demo is running (pid ${holder}), and both would write to the same directory. Wait for it, or stop it with: kill ${holder}`,
      );
    }
    writeFileSync(file, mine, { mode: 0o600 });
  }
}

/** When a process began, which tells it from others of its number. Empty when it is gone. */
const startOf = (pid: number): string => String(machine.startOf(pid) ?? "");
