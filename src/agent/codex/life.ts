/**
 * The life of a session, pure: what each thing that happens means for it, and what is to be done about it. Knows no
 * process and sends nothing; session.ts does the deeds.
 *
 *     opening ──opened──▶ idle ◀──asked, turn_ended──▶ turn
 *                          ▲
 *                          └──turn_started, stray_ended──▶ stray
 *     any of them ──stopped, gone──▶ ending ──settled──▶ over
 */
import type { Failure, ThreadId } from "../../domain/domain.ts";
import type { Stage } from "./failures.ts";
import type { Fields } from "./message.ts";
import type { TurnEnd } from "./turn.ts";

/** The thread that was opened, and under which sandbox its turns run. */
export interface OpenThread {
  readonly id: ThreadId;
  readonly sandbox: Fields;
}

export type Life =
  /** The process is starting, or the handshake is under way; `greeted`: it has answered once. */
  | { readonly phase: "opening"; readonly greeted: boolean }
  | { readonly phase: "idle"; readonly thread: OpenThread }
  | { readonly phase: "turn"; readonly thread: OpenThread }
  /** A turn nobody here asked for is being interrupted; `waiting`: the text of ours, which begins when it has ended. */
  | { readonly phase: "stray"; readonly thread: OpenThread; readonly waiting: string | null }
  /** The first reason for ending wins; null = nothing went wrong. */
  | { readonly phase: "ending"; readonly thread: OpenThread | null; readonly why: Failure | null }
  | { readonly phase: "over" };

export type Happening =
  | { readonly type: "spawned" }
  | { readonly type: "greeted" }
  | { readonly type: "opened"; readonly thread: OpenThread }
  /** The next turn is wanted. */
  | { readonly type: "asked"; readonly text: string }
  /** Codex says that a turn has begun. */
  | { readonly type: "turn_started"; readonly id: string }
  | { readonly type: "turn_ended"; readonly end: TurnEnd }
  | { readonly type: "stray_ended" }
  | { readonly type: "stopped"; readonly why: Failure | null }
  /** The process is no more; why that is depends on how far the session had come. */
  | { readonly type: "gone"; readonly why: (stage: Stage) => Failure }
  /** Nothing is left to be told of but the end. */
  | { readonly type: "settled" };

export type Deed =
  | { readonly type: "open" }
  | { readonly type: "begin"; readonly thread: OpenThread; readonly text: string }
  /** To the turn under way: Codex names it. */
  | { readonly type: "name_turn"; readonly id: string }
  | { readonly type: "refuse_stray"; readonly thread: OpenThread; readonly id: string }
  | { readonly type: "interrupt"; readonly why: Failure | null }
  | { readonly type: "tell_turn_ended"; readonly end: TurnEnd }
  | { readonly type: "warn"; readonly message: string }
  /** Asks Codex to end what the thread's commands left behind, and the process to leave. */
  | { readonly type: "leave"; readonly thread: OpenThread | null }
  /** Tells whoever waits for an answer, and the turn under way, that nothing more will come. */
  | { readonly type: "settle"; readonly why: Failure | null }
  | { readonly type: "tell_exited"; readonly why: Failure | null };

/** A life, and what is to be done now that it is so. */
export type Step = readonly [Life, readonly Deed[]];

/** The life of a session whose process has just been launched. */
export const newLife: Life = { phase: "opening", greeted: false };

/** The life after this has happened, and what is to be done, in this order. */
export function next(life: Life, happening: Happening): Step {
  switch (happening.type) {
    case "spawned":
      return [life, life.phase === "opening" ? [{ type: "open" }] : []];
    case "greeted":
      return [life.phase === "opening" ? { ...life, greeted: true } : life, []];
    case "opened":
      return [life.phase === "opening" ? { phase: "idle", thread: happening.thread } : life, []];
    case "asked":
      return asked(life, happening.text);
    case "turn_started":
      return turnStarted(life, happening.id);
    case "turn_ended":
      return turnEnded(life, happening.end);
    case "stray_ended":
      return strayEnded(life);
    case "stopped":
      return stopped(life, happening.why);
    case "gone":
      return gone(life, happening.why);
    case "settled":
      return settled(life);
  }
}

/** The thread, as long as it is open. */
export const threadOf = (life: Life): ThreadId | null =>
  life.phase === "opening" || life.phase === "over" ? null : (life.thread?.id ?? null);

function asked(life: Life, text: string): Step {
  switch (life.phase) {
    case "idle":
      return [{ ...life, phase: "turn" }, [{ type: "begin", thread: life.thread, text }]];
    case "turn":
      return [
        life,
        [{ type: "warn", message: "A turn was asked for while one was running; it was not begun." }],
      ];
    case "stray":
      return [{ ...life, waiting: text }, []];
    case "opening":
    case "ending":
    case "over":
      return [life, []];
  }
}

/**
 * Between turns, it begins by itself: some older version's goals, which cannot be switched off there. It would spend
 * tokens outside all limits, so it is not adopted.
 */
function turnStarted(life: Life, id: string): Step {
  switch (life.phase) {
    case "idle":
      return [
        { phase: "stray", thread: life.thread, waiting: null },
        [
          { type: "warn", message: "Codex began a turn by itself; it was interrupted." },
          { type: "refuse_stray", thread: life.thread, id },
        ],
      ];
    case "turn":
    // A turn that was to be ended before it had a name can be interrupted only now.
    case "ending":
      return [life, [{ type: "name_turn", id }]];
    case "opening":
    case "stray":
    case "over":
      return [life, []];
  }
}

function turnEnded(life: Life, end: TurnEnd): Step {
  const told: Deed = { type: "tell_turn_ended", end };
  if (life.phase === "turn") return [{ phase: "idle", thread: life.thread }, [told]];
  // This is what the end was waiting for.
  if (life.phase === "ending") return [life, [told, { type: "leave", thread: life.thread }]];
  return [life, [told]];
}

function strayEnded(life: Life): Step {
  if (life.phase !== "stray") return [life, []];
  return life.waiting === null
    ? [{ phase: "idle", thread: life.thread }, []]
    : asked({ phase: "idle", thread: life.thread }, life.waiting);
}

function stopped(life: Life, why: Failure | null): Step {
  switch (life.phase) {
    case "opening":
      return [{ phase: "ending", thread: null, why }, [{ type: "leave", thread: null }]];
    case "turn":
      return [{ phase: "ending", thread: life.thread, why }, [{ type: "interrupt", why }]];
    case "idle":
    case "stray":
      return [{ phase: "ending", thread: life.thread, why }, [{ type: "leave", thread: life.thread }]];
    case "ending":
    case "over":
      return [life, []];
  }
}

function gone(life: Life, whyAt: (stage: Stage) => Failure): Step {
  switch (life.phase) {
    case "opening":
      return lost(null, whyAt(life.greeted ? "opening" : "silent"));
    case "turn":
      return lost(life.thread, whyAt("turn"));
    case "idle":
    case "stray":
      return lost(life.thread, whyAt("idle"));
    case "ending":
      return lost(life.thread, life.why);
    case "over":
      return [life, []];
  }
}

/** Whatever fails from here on fails because of this. */
const lost = (thread: OpenThread | null, why: Failure | null): Step => [
  { phase: "ending", thread, why },
  [{ type: "settle", why }],
];

const settled = (life: Life): Step =>
  life.phase === "ending" ? [{ phase: "over" }, [{ type: "tell_exited", why: life.why }]] : [life, []];
