import { expect, test } from "vitest";
import type { Fit } from "../../../../src/agent/port.ts";
import { Examinations } from "../../../../src/daemon/chores/examine.ts";
import { W } from "../../scheduler/made.ts";
import { recorded, workflow } from "./parts.ts";

const never = new AbortController().signal;
const work = { type: "examine", workflow: W, program: "p1" } as const;

function examinations(...fits: readonly Fit[]) {
  const { parts, news, facts } = recorded();
  const left = [...fits];
  const asked: string[] = [];
  const examining = new Examinations({
    ...parts,
    ...(fits.length > 0 && {
      fit: async (codex) => {
        asked.push(codex.command);
        return left.shift() ?? { is: "fit", version: null };
      },
    }),
  });
  return { examine: (signal = never) => examining.examine(work, signal), news, facts, asked };
}

test("that Codex has what is needed is said once for each version", async () => {
  const fit = { is: "fit", version: "0.169.0" } as const;
  const { examine, news, facts, asked } = examinations(fit, fit, { is: "fit", version: "0.170.0" });
  for (let times = 0; times < 3; times += 1) await examine();
  expect(asked[0]).toBe(workflow.settings.codex.command);
  expect(news[0]).toEqual({ ...work, type: "examined", lacks: null, again: true });
  expect(facts).toMatchObject([{ version: "0.169.0", unknown: null }, { version: "0.170.0" }]);
});

test("what it lacks is news, with what to do, and is said by the hold alone", async () => {
  const { examine, news, facts } = examinations({
    is: "unfit",
    version: "0.98.0",
    missing: ["the notice x"],
  });
  await examine();
  expect(news).toMatchObject([
    {
      lacks: {
        why: "Codex 0.98.0 lacks what Baton needs of it: the notice x.",
        remedy: expect.stringContaining("npm install") as string,
      },
      again: true,
    },
  ]);
  expect(facts).toEqual([]);
});

test("what cannot be known is said once, holds nothing, and is asked again only where that may help", async () => {
  const unknown = (lasting: boolean) =>
    ({ is: "unknown", version: null, why: "no answer", lasting }) as const;
  const { examine, news, facts } = examinations(unknown(false), unknown(true));
  await examine();
  await examine();
  expect(news).toMatchObject([
    { lacks: null, again: true },
    { lacks: null, again: false },
  ]);
  expect(facts).toMatchObject([{ type: "codex_examined", unknown: "no answer" }]);
});

test("where nobody looks nothing is held, and a daemon that ends is told nothing", async () => {
  const nobody = examinations();
  await nobody.examine();
  expect(nobody.news).toMatchObject([{ lacks: null, again: false }]);
  const ending = examinations({ is: "fit", version: null });
  await ending.examine(AbortSignal.abort());
  expect([...ending.news, ...ending.facts]).toEqual([]);
});
