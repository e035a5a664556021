/** Each way a turn can end badly, as the real binary reports it and as our client understands it. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { drop, fail, incomplete, refuse, say, sayHalf } from "../../src/demo/model/model.ts";
import type { Step } from "../../src/demo/model/model.ts";
import type { FailureKind } from "../../src/domain/failure.ts";
import { Session } from "./codex-rig-agent.ts";
import { openRig, realCodex } from "./codex-rig.ts";
import type { Rig } from "./codex-rig.ts";

const causes: readonly (readonly [string, Step, FailureKind])[] = [
  ["a request the provider finds invalid", refuse(400, "invalid_request"), "invalid_request"],
  ["a prompt the provider finds invalid", fail("invalid_prompt"), "invalid_request"],
  ["a bad key", refuse(401, "invalid_api_key"), "unauthorized"],
  ["a key without permission", refuse(403, "forbidden"), "unauthorized"],
  ["an unknown model", refuse(404, "model_not_found"), "model_not_found"],
  ["a used-up plan", refuse(429, "usage_limit_reached"), "usage_limit"],
  ["a used-up plan, told late", fail("insufficient_quota"), "usage_limit"],
  ["too many requests", refuse(429, "too_many_requests"), "rate_limited"],
  ["too many requests, told late", fail("rate_limit_exceeded"), "rate_limited"],
  ["an error of the provider", refuse(500, "internal"), "provider_overloaded"],
  ["a gateway without a provider behind it", refuse(502, "bad_gateway"), "provider_unreachable"],
  ["an overloaded provider", refuse(503, "overloaded"), "provider_overloaded"],
  ["an overloaded provider, told late", fail("server_is_overloaded"), "provider_overloaded"],
  ["content refused", fail("cyber_policy"), "content_refused"],
  ["an answer cut short by its length", incomplete("max_output_tokens"), "turn_failed"],
  ["a lost connection", drop(), "provider_unreachable"],
];

describe.runIf(realCodex)("a turn", () => {
  let rig: Rig;
  let session: Session;
  beforeAll(async () => {
    rig = await openRig();
    session = new Session(rig, rig.workspace("endings"));
    rig.plays("ENDINGS", ...causes.map(([, step]) => [step]), [say("still here")]);
  });
  afterAll(async () => {
    await session.end();
    await rig.close();
  });

  test.for(causes)("fails for %s, and says which kind of trouble it is", async ([cause, , kind]) => {
    const { status, failure } = await session.turn(`ENDINGS: ${cause}`);
    expect(status).toBe("failed");
    expect(failure?.kind).toBe(kind);
    expect(failure?.message).not.toBe("");
  });

  test("may follow a failed one on the same thread", async () => {
    expect(await session.turn("go on")).toMatchObject({ status: "completed", message: "still here" });
  });

  test("that was too large for the model says so", async () => {
    rig.plays("TOO-LARGE", [fail("context_length_exceeded")]);
    const large = new Session(rig, rig.workspace("large"));
    expect((await large.turn("TOO-LARGE")).failure?.kind).toBe("context_window_exceeded");
    await large.end();
  });

  test("whose prompt Codex does not take says how long it may be, and the next one may be shorter", async () => {
    rig.plays("LONG-PROMPT", [say("done")]);
    const wordy = new Session(rig, rig.workspace("wordy"));
    const { status, failure } = await wordy.turn(`LONG-PROMPT ${"x".repeat(1_048_576)}`);
    expect([status, failure?.kind]).toEqual(["failed", "input_too_large"]);
    expect(failure?.hint).toContain("1,048,576");
    expect((await wordy.turn("LONG-PROMPT")).status).toBe("completed");
    await wordy.end();
  });

  test("goes on when a repeated request succeeds, and the account shows the repetition", async () => {
    rig.plays("REPEATED", [sayHalf("I was"), say("done")]);
    const patient = new Session(rig, rig.workspace("patient"), {
      args: ["--config=model_providers.scripted.stream_max_retries=2"],
    });
    expect(await patient.turn("REPEATED")).toMatchObject({ status: "completed", message: "done" });
    expect(patient.facts("agent_retrying")).toHaveLength(1);
    await patient.end();
  });

  test("fails in the end when the provider cannot be reached at all", async () => {
    const lonely = new Session(rig, rig.workspace("lonely"), {
      args: ['--config=model_providers.scripted.base_url="http://127.0.0.1:9/v1"'],
    });
    expect((await lonely.turn("anybody there?")).failure?.kind).toBe("provider_unreachable");
    await lonely.end();
  });

  test("without the provider's key fails before anything is sent", async () => {
    const keyless = new Session(rig, rig.workspace("keyless"), {
      args: ["--config=model_providers.scripted.env_key=NO_SUCH_KEY"],
    });
    const { failure } = await keyless.turn("who am I?");
    expect(failure?.message).toContain("NO_SUCH_KEY");
    await keyless.end();
  });
});
