import { expect, test } from "vitest";
import type { Fact } from "../../../src/domain/fact.ts";
import { Facts } from "../../../src/facts/bus.ts";
import { Redactor } from "../../../src/facts/redact.ts";
import { at } from "./samples.ts";

const said = (text: string): Fact => ({ type: "agent_said", text, at });

function listener() {
  const heard: string[] = [];
  const take = (fact: Fact): void => {
    heard.push(
      fact.type === "agent_said" ? fact.text : fact.type === "warning" ? `! ${fact.message}` : fact.type,
    );
  };
  return { heard, take };
}

function bus() {
  const redactor = new Redactor();
  redactor.add("hunter22");
  const clock = { ms: 0 };
  return { facts: new Facts(redactor, () => clock.ms), clock };
}

test("every subscriber gets every fact in order, without credentials, until it leaves", () => {
  const { facts } = bus();
  const [a, b] = [listener(), listener()];
  facts.subscribe(a.take);
  const leave = facts.subscribe(b.take);
  facts.publish(said("one hunter22"));
  leave();
  leave();
  facts.publish(said("two"));
  expect(a.heard).toEqual(["one ***", "two"]);
  expect(b.heard).toEqual(["one ***"]);
});

test("values for other sinks are cleaned the same way", () => {
  expect(bus().facts.redact({ error: "bad hunter22" })).toEqual({ error: "bad ***" });
});

test("a subscriber that throws hurts nobody: said once, counted, said again when it works", () => {
  const { facts } = bus();
  const good = listener();
  let full = true;
  const failing = (): void => {
    if (full) throw new Error("disk full of hunter22");
  };
  facts.subscribe(failing, "the file");
  facts.subscribe(good.take);
  for (const text of ["1", "2", "3"]) facts.publish(said(text));
  full = false;
  facts.publish(said("4"));
  facts.publish(said("5"));
  expect(good.heard).toEqual([
    "1",
    "! the file fails and misses facts until it works again: disk full of ***",
    "2",
    "3",
    "4",
    "! the file works again; it missed 3 facts",
    "5",
  ]);
});

test("a subscriber that always fails when it is told of failures does not go round in circles", () => {
  const { facts } = bus();
  const failing = (): void => {
    throw new Error("no");
  };
  const good = listener();
  facts.subscribe(failing, "one");
  facts.subscribe(failing, "two");
  facts.subscribe(good.take);
  facts.publish(said("1"));
  facts.publish(said("2"));
  expect(good.heard.filter((text) => text.startsWith("!"))).toHaveLength(2);
});

test("a slow subscriber is named once for as long as it is slow", () => {
  const { facts, clock } = bus();
  const good = listener();
  let takesMs = 900;
  facts.subscribe(() => {
    clock.ms += takesMs;
  }, "the terminal");
  facts.subscribe(good.take);
  facts.publish(said("1"));
  facts.publish(said("2"));
  takesMs = 1;
  facts.publish(said("3"));
  expect(good.heard).toEqual(["1", "! the terminal is slow: it took 900 ms for one fact", "2", "3"]);
});

test("a fact published by a subscriber comes after the one it answers, for everybody", () => {
  const { facts } = bus();
  const good = listener();
  facts.subscribe((fact) => {
    if (fact.type === "agent_said" && fact.text === "ping") facts.publish(said("pong"));
  });
  facts.subscribe(good.take);
  facts.publish(said("ping"));
  facts.publish(said("next"));
  expect(good.heard).toEqual(["ping", "pong", "next"]);
});
