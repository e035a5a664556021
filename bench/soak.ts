/**
 * `npm run soak`: the built program left alone with a full board for an hour, while everything goes wrong that goes wrong
 * in a month. Three workflows of one daemon, light agents, people who change tickets, a tracker and a provider that
 * fail, kills. At the end it says what it saw, and keeps the logs for whoever reads them.
 *
 *   node bench/soak.ts [--tickets 2000] [--minutes 60] [--seed 1] [--keep DIRECTORY]
 *
 * Exit 0 when nothing was lost, doubled or left behind.
 */
import { mkdtempSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { SoakDaemon } from "./soak/daemon.ts";
import { listen, type TurnEnd } from "./soak/ear.ts";
import { reportOf } from "./soak/report.ts";
import { PROJECTS, Town } from "./soak/town.ts";
import { workflowText } from "./soak/workflow.ts";

const { values } = parseArgs({
  options: {
    tickets: { type: "string", default: "2000" },
    minutes: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    keep: { type: "string" },
  },
});
const minutes = Number(values.minutes);
const directory = values.keep ?? mkdtempSync(join(tmpdir(), "baton-soak-"));
mkdirSync(directory, { recursive: true });

/** How often somebody changes a ticket, and how often the daemon is looked at. */
const DEED_MS = 2_000;
const LOOK_MS = 15_000;
const TURN_SECONDS_MAX = 30;
/** As light-agent/agent.sh counts them. */
const TOKENS_A_TURN = 1_500;
/** A drain waits for the running turns, which here take seconds. */
const DRAIN_MAX_MS = 120_000;

const town = await Town.open(Number(values.tickets), Number(values.seed));
let ends: TurnEnd["how"] = "completed";
const ear = await listen((identifier) => {
  const number = Number(identifier.split("-").at(-1));
  const tokensBefore = town.turnsOf(identifier) * TOKENS_A_TURN;
  if (ends === "completed") town.turned(identifier);
  return { seconds: 1 + (number % TURN_SECONDS_MAX), how: ends, tokensBefore };
});

const agent = fileURLToPath(new URL("./light-agent/agent.sh", import.meta.url));
const command = `. '${agent}' ${ear.port} obey`;
const files = PROJECTS.map((project) => join(directory, `${project}.md`));
const write = (project: (typeof PROJECTS)[number], prompt?: string): void =>
  writeFileSync(
    join(directory, `${project}.md`),
    workflowText({ project, url: town.board.url, command, prompt }),
  );
for (const project of PROJECTS) write(project);
const daemon = new SoakDaemon(directory, files);
const root = join(directory, "workspaces-beta");

/** What happens when, in parts of the whole; `minutes` for which it lasts. */
const misfortunes: readonly { readonly at: number; readonly what: string; readonly deed: () => unknown }[] = [
  { at: 0.08, what: "the tracker answers 503 for a while", deed: () => town.board.fail(40, unavailable) },
  { at: 0.15, what: "kill -9", deed: () => restart("SIGKILL") },
  { at: 0.22, what: "the provider is overloaded", deed: () => (ends = "serverOverloaded") },
  { at: 0.32, what: "the provider works again", deed: () => (ends = "completed") },
  {
    at: 0.38,
    what: "alpha is paused",
    deed: () => order("pause", "--workflow", "alpha", "--why", "a freeze"),
  },
  { at: 0.42, what: "alpha is resumed", deed: () => order("resume", "--workflow", "alpha") },
  { at: 0.45, what: "gamma's template is broken", deed: () => write("gamma", "{{ issue.titel }}") },
  { at: 0.48, what: "gamma's template is mended", deed: () => write("gamma") },
  { at: 0.52, what: "SIGSTOP", deed: () => daemon.signal("SIGSTOP") },
  { at: 0.53, what: "SIGCONT", deed: () => daemon.signal("SIGCONT") },
  { at: 0.56, what: "agents die in their turns", deed: () => (ends = "exit") },
  { at: 0.58, what: "agents live again", deed: () => (ends = "completed") },
  { at: 0.62, what: "kill -9", deed: () => restart("SIGKILL") },
  { at: 0.68, what: "the login to codex has expired", deed: () => (ends = "unauthorized") },
  { at: 0.72, what: "somebody logged in", deed: () => (ends = "completed") },
  { at: 0.73, what: "everything is resumed", deed: () => order("resume") },
  { at: 0.78, what: "beta's workspaces are out of reach", deed: () => hide() },
  { at: 0.84, what: "beta's workspaces are back", deed: () => show() },
  { at: 0.9, what: "SIGTERM and a new start", deed: () => restart("SIGTERM") },
];
const unavailable = { type: "answer", status: 503, body: "upstream connect error" } as const;

async function restart(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  const code = await daemon.end(signal);
  told(`  it ended with ${code}`);
  daemon.start();
}

function order(...args: readonly string[]): void {
  const { code, out } = daemon.ask(...args);
  told(`  baton ${args.join(" ")} -> ${code}: ${out.trim()}`);
}

function hide(): void {
  renameSync(root, `${root}.away`);
  writeFileSync(root, "no directory any more\n");
}

function show(): void {
  rmSync(root);
  renameSync(`${root}.away`, root);
}

const story: string[] = [];
function told(line: string): void {
  const at = ((performance.now() - startedAt) / 60_000).toFixed(1);
  story.push(`${at} min ${line}`);
  console.log(story.at(-1));
}

const startedAt = performance.now();
const elapsed = (): number => (performance.now() - startedAt) / (minutes * 60_000);
const ahead = [...misfortunes];
let peak = 0;
let looked = 0;
const codes = new Map<string, number>();
daemon.start();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    daemon.signal("SIGKILL");
    process.exit(1);
  });
}
while (elapsed() < 1) {
  await sleep(DEED_MS);
  town.live();
  for (let next = ahead[0]; next !== undefined && next.at <= elapsed(); next = ahead[0]) {
    ahead.shift();
    told(next.what);
    await next.deed();
  }
  if (performance.now() - looked > LOOK_MS) look();
}
const drained = daemon.ask("drain");
told(`drain -> ${drained.code}: ${drained.out.trim()}`);
for (let waited = 0; daemon.isAlive && waited < DRAIN_MAX_MS; waited += DEED_MS) await sleep(DEED_MS);
const isGone = !daemon.isAlive;
told(isGone ? "it has ended" : "it did not end");
const figures = daemon.figures();
if (!isGone) await daemon.end("SIGKILL");
const { text, problems } = reportOf({ daemon, town, story, peak, cpu: figures.cpu, codes, directory });
daemon.keep("report.txt", text);
console.log(text);
console.log(`All of it is in ${join(directory, "log")}.`);
ear.close();
await town.board.close();
process.exitCode = problems === 0 && isGone ? 0 : 1;

function look(): void {
  looked = performance.now();
  const { rss } = daemon.figures();
  peak = Math.max(peak, rss);
  const { code, out } = daemon.ask("status");
  const key = String(code);
  codes.set(key, (codes.get(key) ?? 0) + 1);
  daemon.keep(`status-${String(Math.round(elapsed() * 1000)).padStart(4, "0")}-${key}.txt`, out);
}
