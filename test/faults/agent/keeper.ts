/**
 * A daemon's part of a run, to be killed: starts one agent per tree, `node keeper.ts INSTALLATION HOME STUBBORN
 * TREE...`, and tells its parent what the ledger would know of each as it learns it.
 */
import { createCodexAgent } from "../../../src/agent/codex/codex.ts";
import { instant } from "../../../src/domain/time.ts";
import { commandOf, plainEnv, specOf } from "./trees.ts";

export interface Kept {
  readonly n: number;
  readonly pid?: number;
  readonly startTicks?: number | null;
  readonly thread?: string;
  /** Its tree stands. */
  readonly planted?: true;
}

const [installation = "", home = "", stubborn = "", token = "", ...trees] = process.argv.slice(2);
const agent = createCodexAgent({ clock: () => instant(Date.now()), env: plainEnv(home), version: "0" });
const tell = (kept: Kept): void => void process.send?.(kept);

for (const [n, tree] of trees.entries()) {
  const words = stubborn === "yes" ? ["stubborn", tree] : [tree];
  const spec = specOf(`${installation}.r${n}`, commandOf(`${token}${n}x`, words), home);
  const session = agent.start(spec, (news) => {
    if (news.type === "launched") tell({ n, pid: news.pid, startTicks: news.startTicks });
    if (news.type === "opened") {
      tell({ n, thread: news.threadId });
      session.turn("plant");
    }
    if (news.type === "fact" && news.fact.type === "agent_said") tell({ n, planted: true });
  });
}
