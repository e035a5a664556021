import { LedgerError } from "../../../src/ledger/ledger-error.ts";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { News } from "../../../src/scheduler/events.ts";
import { Workflows } from "../../../src/daemon/workflows.ts";
import { workflowName } from "../../../src/domain/run.ts";
import { MemoryLedger } from "../../../src/ledger/memory.ts";
import { WorkflowFile } from "../../../src/workflow/workflow.ts";
import { HOME, KEY, withLines } from "../workflow/parsing.ts";
import { HandClock } from "./hand-clock.ts";

const name = workflowName("nightly");
const turns = (n: number): string => withLines(`agent:\n  max_turns: ${n}`);

/** A ledger on a disk that can be full. */
class Disk extends MemoryLedger {
  full = false;

  override keepWorkflow(...kept: Parameters<MemoryLedger["keepWorkflow"]>): void {
    if (this.full) throw new LedgerError("full", "/ledger.db", "the disk is full", "make room");
    super.keepWorkflow(...kept);
  }
}

function opened() {
  const directory = mkdtempSync(join(tmpdir(), "baton-workflows-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, "nightly.md");
  const save = (text: string): void => writeFileSync(path, text);
  save(turns(3));
  const file = new WorkflowFile(path, KEY, HOME);
  expect(file.reload().loaded.ok).toBe(true);
  const heard: News[] = [];
  const ledger = new Disk();
  const workflows = new Workflows([file], {
    clock: new HandClock(),
    ledger,
    publish: () => {},
    dispatch: (news) => heard.push(news),
    onLoaded: () => {},
  });
  const last = (): unknown => {
    const news = heard.at(-1);
    return news?.type === "configured" ? news.policy.turnsMax : news?.type;
  };
  return { workflows, ledger, save, last, heard };
}

test("a text is in force only when the ledger has it, and without a further save", () => {
  const { workflows, ledger, save, last, heard } = opened();
  ledger.full = true;
  save(turns(5));
  workflows.check(name);
  expect(heard.at(-1)).toMatchObject({
    type: "misconfigured",
    error: expect.stringContaining("the disk is full"),
  });
  workflows.check(name);
  expect(last()).toBe("misconfigured");
  ledger.full = false;
  workflows.check(name);
  expect(last()).toBe(5);
  const told = heard.length;
  workflows.check(name);
  expect(heard).toHaveLength(told);
});

test("a save that comes before anybody watches is seen", async () => {
  const { workflows, save, last } = opened();
  const started = workflows.start(new Map());
  save(turns(5));
  await started;
  expect(last()).toBe(5);
  await workflows.stop();
});

test("a save that comes while the last one waits for the ledger takes its place", () => {
  const { workflows, ledger, save, last, heard } = opened();
  ledger.full = true;
  save(turns(5));
  workflows.check(name);
  ledger.full = false;
  save("---\nagent: 7\n---\n");
  workflows.check(name);
  workflows.check(name);
  expect(heard.filter(({ type }) => type === "configured")).toEqual([]);
  save(turns(6));
  workflows.check(name);
  expect(last()).toBe(6);
});
