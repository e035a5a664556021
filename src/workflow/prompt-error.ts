/** A prompt that cannot be made: fails the run it was for, not the daemon (SPEC 5.5, 12.4). */
import type { FailureKind } from "../domain/domain.ts";

export type PromptErrorKind = Extract<
  FailureKind,
  "template_parse_error" | "template_render_error" | "input_too_large"
>;

/** The message has `file:line:column`, what is wrong and where; `hint` says what to do. */
export class PromptError extends Error {
  readonly kind: PromptErrorKind;
  readonly hint: string;

  constructor(
    kind: PromptErrorKind,
    message: string,
    more: { readonly hint: string; readonly cause?: unknown },
  ) {
    super(message, { cause: more.cause });
    this.name = "PromptError";
    this.kind = kind;
    this.hint = more.hint;
  }
}
