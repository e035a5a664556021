/**
 * A whole installation in virtual time: daemons one after the other, a ledger that outlives them, a tracker, agents,
 * people, clocks and disks; with faults by seed, and calm spells in which everything must come to its end.
 */
import { instant } from "../../src/domain/time.ts";
import { mayRemove } from "../../src/scheduler/begin.ts";
import { decide } from "../../src/scheduler/decide.ts";
import { away } from "./away.ts";
import { Board } from "./board.ts";
import { Checks } from "./checks.ts";
import { WORKFLOWS, calmPolicy, habits } from "./config.ts";
import { crowd } from "./crowd.ts";
import { CALM, climate, type Faults } from "./faults.ts";
import { Figures } from "./figures.ts";
import type { Ground } from "./ground.ts";
import { Installation } from "./installation.ts";
import { checkLiveness } from "./liveness.ts";
import { misfortunes } from "./misfortunes.ts";
import { Outages } from "./outages.ts";
import { Prompts } from "./prompts.ts";
import { People } from "./people.ts";
import { projects } from "./projects.ts";
import { Random } from "./random.ts";
import type { Violation } from "./rules.ts";
import { Supervisor } from "./supervisor.ts";
import { Tickets } from "./tickets.ts";
import { DAY_MS, HOUR_MS, Timeline } from "./timeline.ts";
import { voice, type Reader } from "./transcript.ts";

/** How long a spell lasts: faults first, then calm, in which everything has to come to its end. */
const SPELL_MS = 4 * DAY_MS;

/**
 * How long the calm lasts. The longest hold a provider asks for is two hours, the longest run six, the longest pause
 * between two runs of an issue five minutes; with agents that do their work, nothing else takes more than minutes.
 */
const CALM_MS = 10 * HOUR_MS;

/** One seed of so many is a world with backlogs: more work for the same days, and what only a crowd can show. */
const CROWDED_EVERY = 7;

export interface WorldOptions {
  readonly seed: number;
  /** Days that the machine is awake. */
  readonly days: number;
  /** The scheduler; a test may put a broken one in its place. */
  readonly decide?: typeof decide;
  /** The question before a removal; as above. */
  readonly mayRemove?: typeof mayRemove;
  readonly read?: Reader;
}

export class World {
  readonly figures = new Figures();
  readonly board: Board;
  readonly #days: number;
  readonly #climate: Faults;
  readonly #ground: Ground;
  readonly #installation: Installation;
  readonly #checks: Checks;
  readonly #supervisor: Supervisor;
  readonly #people: People;
  readonly #tickets: Tickets;
  readonly #outages: Outages;
  readonly #prompts: Prompts;
  #faults: Faults;

  constructor({ seed, days, decide: scheduler = decide, mayRemove: asks = mayRemove, read }: WorldOptions) {
    const random = new Random(seed);
    const streams = new Map<string, Random>();
    const timeline = new Timeline();
    const tell = voice(read ?? null, () => timeline.elapsed);
    this.#days = days;
    this.figures.add("days", days);
    this.#climate = climate(random);
    this.#faults = this.#climate;
    this.board = new Board(timeline);
    this.board.onChange = ({ identifier, id }, by, does) =>
      tell(by, identifier, () => `${by === "person" ? "somebody" : "its agent"} ${does}`, id);
    this.#ground = {
      timeline,
      random,
      silences: Random.named(seed, "silences"),
      absences: Random.named(seed, "absences"),
      stream: (name) => {
        const stream = streams.get(name) ?? Random.named(seed, name);
        streams.set(name, stream);
        return stream;
      },
      used: new Map(),
      board: this.board,
      figures: this.figures,
      tell,
      agents: new Set(),
      threads: new Map(),
      deadThreads: new Map(),
      faults: () => this.#faults,
      outages: () => this.#outages,
      prompts: () => this.#prompts,
      struck: new Map(),
      calm: () => this.#faults === CALM,
    };
    this.#outages = new Outages(this.#ground);
    this.#prompts = new Prompts(this.#ground);
    this.#installation = new Installation(habits(random));
    const { ledger, policies } = this.#installation;
    this.#checks = new Checks({ ...this.#ground, ledger, policies });
    this.#supervisor = new Supervisor(this.#ground, this.#installation, this.#checks, {
      decide: scheduler,
      mayRemove: asks,
    });
    const { accounts } = this.#checks;
    this.#tickets = new Tickets(this.#ground, accounts);
    this.#people = new People(this.#ground, this.#installation, this.#supervisor, accounts);
    if (seed % CROWDED_EVERY === 0) crowd(this.#ground, seed);
    away(this.#ground, accounts);
    projects({ ground: this.#ground, installation: this.#installation, people: this.#people, accounts });
    misfortunes({
      ground: this.#ground,
      installation: this.#installation,
      supervisor: this.#supervisor,
      people: this.#people,
    });
  }

  /** Lives through all days; stops at the first step that breaks a rule. Returns what was found. */
  run(): readonly Violation[] {
    const { timeline } = this.#ground;
    const end = this.#days * DAY_MS;
    this.#supervisor.boot();
    while (timeline.at < end && this.#isWell()) {
      this.#faults = this.#climate;
      this.#tickets.arrive();
      const left = end - timeline.at;
      this.#pass(Math.max(0, Math.min(SPELL_MS, left) - CALM_MS));
      this.#beCalm();
      this.#pass(CALM_MS);
      if (this.#isWell()) checkLiveness(this.#ground, this.#installation, this.#checks);
      if (this.#isWell()) this.#checks.audit();
    }
    this.figures.add("runs", this.#checks.accounts.runs.size);
    return this.#checks.found;
  }

  #pass(ms: number): void {
    const { timeline } = this.#ground;
    const until = timeline.at + ms;
    while (this.#isWell() && timeline.step(until));
  }

  #isWell = (): boolean => this.#checks.found.length === 0;

  /** Faults stop, people put right what is wrong, and agents do their work. */
  #beCalm(): void {
    if (!this.#isWell()) return;
    const { timeline, tell } = this.#ground;
    const installation = this.#installation;
    tell("fault", "the world", () => "is well from now on: faults stop, and people put right what is wrong");
    this.#faults = CALM;
    this.#outages.end();
    installation.full = false;
    installation.outageUntil = instant(0);
    installation.broken.clear();
    for (const name of WORKFLOWS) this.#people.reload(calmPolicy(name, installation.habits));
    for (const workflow of installation.low)
      this.#supervisor.say({ type: "disk_checked", workflow, low: null });
    installation.low.clear();
    // Holds of outages have to end by themselves; elsewhere the order is one more thing that is obeyed.
    const waits = this.#checks.pauses.size > 0 || installation.ledger.orders().length > 0;
    if (waits || !this.#outages.known) this.#people.resumeAll();
    // A clock that is put right counts from the next start.
    timeline.wrongBy = 0;
    const { daemon } = this.#supervisor;
    if (daemon !== null && daemon.now !== timeline.wall)
      daemon.kill("somebody restarts it, since its clock is wrong");
    timeline.in(1_000, () => this.#supervisor.boot());
  }
}
