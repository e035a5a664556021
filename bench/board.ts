/** The light board from the outside: a child process, and what it has told so far. */
import { fork, type ChildProcess } from "node:child_process";
import type { FromBoard, ToBoard } from "./light-board/talk.ts";
import { Heard } from "./heard.ts";

const program = new URL("./light-board/main.ts", import.meta.url);

type Of<T extends FromBoard["type"]> = Extract<FromBoard, { type: T }>;

export class Board {
  readonly #child: ChildProcess;
  readonly #heard = new Heard<FromBoard>();
  readonly port: number;

  private constructor(child: ChildProcess, heard: Heard<FromBoard>, port: number) {
    this.#child = child;
    this.#heard = heard;
    this.port = port;
  }

  /** A board whose tickets are done after this many turns. */
  static async start(turnsToDone: number): Promise<Board> {
    const child = fork(program, [String(turnsToDone)], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
    const heard = new Heard<FromBoard>();
    child.on("message", (news: FromBoard) => heard.add(news));
    child.on("exit", (code) => heard.fail(`the light board ended with ${code}`));
    const listening = await heard.until("the board listens", 10_000, (all) => all.find(is("listening")));
    return new Board(child, heard, listening.port);
  }

  add(tickets: number): void {
    this.#child.send({ type: "add", tickets } satisfies ToBoard);
  }

  /** Lets the agents go on that wait for it. */
  go(): void {
    this.#child.send({ type: "go" } satisfies ToBoard);
  }

  /** Everything of this type that was told so far. */
  all<T extends FromBoard["type"]>(type: T): readonly Of<T>[] {
    return this.#heard.all.filter(is(type));
  }

  /** Waits until `count` messages of this type were told. */
  async until(type: FromBoard["type"], count: number, withinMs: number): Promise<void> {
    const enough = (): true | undefined => (this.all(type).length >= count ? true : undefined);
    await this.#heard.until(`${count} x "${type}" from the board`, withinMs, enough);
  }

  stop(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}

const is =
  <T extends FromBoard["type"]>(type: T) =>
  (news: FromBoard): news is Of<T> =>
    news.type === type;
