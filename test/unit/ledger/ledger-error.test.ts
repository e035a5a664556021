import { expect, test } from "vitest";
import { LedgerError, type LedgerErrorKind } from "../../../src/ledger/ledger-error.ts";

/** Every kind: one that is new does not compile until it is said here whether it may pass. */
const passing: Readonly<Record<LedgerErrorKind, boolean>> = {
  full: true,
  busy: true,
  io: true,
  read_only: false,
  missing: false,
  foreign: false,
  newer: false,
  lost: false,
  damaged: false,
  inconsistent: false,
};

test("only what time or room may mend is tried again; the rest needs a person, or is a bug", () => {
  for (const [kind, mayPass] of Object.entries(passing))
    expect([kind, new LedgerError(kind as LedgerErrorKind, "/l", "m", "h").mayPass]).toEqual([kind, mayPass]);
});

test("it keeps what it is about: kind, file, words, hint and cause", () => {
  const cause = new Error("why");
  expect(new LedgerError("full", "/l", "m", "h", cause)).toMatchObject({
    name: "LedgerError",
    kind: "full",
    path: "/l",
    message: "m",
    hint: "h",
    cause,
  });
});
