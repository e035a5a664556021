/** Saves one file after another, looks as a tick does, and judges what came of it. */
import { writeFileSync } from "node:fs";
import type { Fact } from "../../../src/domain/fact.ts";
import { PromptError, renderPrompt, sampleIssue } from "../../../src/workflow/workflow.ts";
import type { Figures } from "../figures.ts";
import { type Case, secrets, withKeys } from "./case.ts";
import type { Save } from "./saves.ts";
import { hashOf, World } from "./world.ts";

type Wrong = "notKept" | "notTaken" | "unseen" | "unnamed" | "leaked" | "repeated" | "threw";

export class Reloads {
  readonly #world = new World();
  readonly #wrong = { notKept: 0, notTaken: 0, unseen: 0, unnamed: 0, leaked: 0, repeated: 0, threw: 0 };
  readonly #seen = { known: 0, random: 0, good: 0, bad: 0, lost: 0, prompts: 0 };
  #marker = 1;
  #slowestLookMs = 0;
  #slowestPromptMs = 0;

  /** A number that no save had yet. */
  marker(): number {
    return ++this.#marker;
  }

  async reload(one: Case, name: string, save: Save | undefined): Promise<void> {
    const what = `${name}: ${one.name}`;
    const before = this.#world.current();
    save?.(this.#world.file, one.content);
    const facts = this.#look(what);
    const [fact] = facts;
    // The very text that is in force already is no news.
    const isSame = hashOf(one.content) === before.hash && facts.length === 0;
    this.#seen[one.expect === null ? "random" : "known"]++;
    if (facts.length !== 1 && !isSame) return this.#note("unseen", what, `${facts.length} facts`);
    if (fact?.type === "workflow_rejected") this.#rejected(one, what, fact, before);
    else await this.#taken(one, what, fact);
    if (this.#look(what).length > 0) this.#note("repeated", what, "the next tick tells it again");
  }

  /** Takes the file away by one of the losses, and gives it back. */
  lose(name: string, lose: (file: string) => void, clear: (file: string) => void): void {
    const before = this.#world.current();
    clear(this.#world.file);
    lose(this.#world.file);
    const [fact] = this.#look(name);
    this.#seen.lost++;
    if (fact?.type !== "workflow_rejected") this.#note("unseen", name, String(fact?.type));
    else this.#checkText({ name, content: "", expect: { good: false }, hasLine: false }, name, fact.error);
    if (this.#world.current() !== before) this.#note("notKept", name, "another one is in force");
    clear(this.#world.file);
    const marker = this.marker();
    saved(this.#world.file, withKeys(marker));
    this.#look(name);
    if (this.#world.current().settings.agent.maxTurns !== marker) this.#note("notTaken", name, "its return");
  }

  figures(): Figures {
    const slowest = { slowestLookMs: this.#slowestLookMs, slowestPromptMs: this.#slowestPromptMs };
    return { ...this.#seen, ...this.#wrong, ...slowest };
  }

  end(): void {
    this.#world.end();
  }

  #look(what: string): readonly Fact[] {
    const { user, system } = process.cpuUsage();
    try {
      return this.#world.tick();
    } catch (error) {
      this.#note("threw", what, String(error));
      return [];
    } finally {
      const now = process.cpuUsage();
      this.#slowestLookMs = Math.max(this.#slowestLookMs, (now.user - user + now.system - system) / 1_000);
    }
  }

  #rejected(
    one: Case,
    what: string,
    fact: Extract<Fact, { type: "workflow_rejected" }>,
    before: unknown,
  ): void {
    this.#seen.bad++;
    if (one.expect?.good === true) this.#note("notTaken", what, fact.error);
    if (this.#world.current() !== before) this.#note("notKept", what, "another one is in force");
    this.#checkText(one, what, fact.error);
  }

  async #taken(one: Case, what: string, fact: Fact | undefined): Promise<void> {
    this.#seen.good++;
    const now = this.#world.current();
    if (one.expect?.good === false) this.#note("unseen", what, "it was taken for good");
    if (now.hash !== hashOf(one.content)) this.#note("notTaken", what, "another text is in force");
    if (one.expect?.good === true && one.expect.marker !== now.settings.agent.maxTurns)
      this.#note("notTaken", what, `max_turns is ${now.settings.agent.maxTurns}`);
    if (fact?.type === "workflow_loaded") this.#checkSecrets(what, fact.warnings.join("\n"));
    // A random text is good for a prompt or not: but it is made, or fails by name.
    if (one.prompt !== undefined || one.expect === null) await this.#prompt(one, what);
  }

  async #prompt(one: Case, what: string): Promise<void> {
    this.#seen.prompts++;
    const { user, system } = process.cpuUsage();
    const outcome = await renderPrompt(this.#world.current(), sampleIssue, null).then(
      () => null,
      (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
    );
    const now = process.cpuUsage();
    this.#slowestPromptMs = Math.max(this.#slowestPromptMs, (now.user - user + now.system - system) / 1_000);
    if (outcome === null) {
      if (one.prompt === "refused") this.#note("unseen", what, "a prompt was made of it");
      return;
    }
    if (one.prompt === "made") this.#note("notTaken", what, `no prompt: ${outcome.message}`);
    if (!(outcome instanceof PromptError) || outcome.hint === "")
      this.#note("unnamed", what, outcome.message);
    else
      this.#checkText(
        { ...one, hasLine: outcome.kind !== "input_too_large" },
        what,
        `${outcome.message} ${outcome.hint}`,
      );
  }

  /** What, where, why, and what to do: at least a line per problem that is more than a name. */
  #checkText(one: Case, what: string, text: string): void {
    this.#checkSecrets(what, text);
    const [first = ""] = text.split("\n");
    const lines = one.content.toString().split("\n").length;
    const place = /^(.+?\.md):(?:(\d+):(\d+): )?/.exec(first);
    const line = Number(place?.[2] ?? 0);
    const isPlaced =
      place?.[1] === this.#world.file &&
      line <= lines &&
      (line > 0 || one.hasLine === false || one.expect === null);
    const says = first.slice(this.#world.file.length).trim();
    if (!isPlaced || says.length < 30 || /undefined\b(?! (?:variable|filter))|\[object|NaN/.test(says))
      this.#note("unnamed", what, text);
  }

  #checkSecrets(what: string, text: string): void {
    for (const secret of Object.values(secrets)) if (text.includes(secret)) this.#note("leaked", what, text);
  }

  #note(wrong: Wrong, what: string, how: string): void {
    this.#wrong[wrong]++;
    process.stderr.write(`${wrong}: ${what}: ${how.slice(0, 500)}\n`);
  }
}

const saved = (file: string, content: string): void => writeFileSync(file, content);
