/**
 * The face of this folder: WORKFLOW.md files loaded, watched and rendered (SPEC 5, 6, 12). Outsiders import only this.
 * It must not know who runs, when, or what a daemon is.
 */
export { continuationGuidance, landingRequest, renewedPrompt, unsettledNote } from "./guidance.ts";
export { type Done, handOverNote } from "./hand-over.ts";
export { jsonSchema } from "./json-schema.ts";
export { type Loaded, loadWorkflow, parseWorkflow } from "./load.ts";
export { nobodyToAsk } from "./not-yet.ts";
export { PromptError } from "./prompt-error.ts";
export { promptProblem, type PromptTrial, promptTrial } from "./prompt-trial.ts";
export { promptDigest, renderPrompt } from "./render.ts";
export { INPUT_CHARACTERS_MAX, lengthOf, roomBeside, withNote } from "./room.ts";
export { sampleIssue } from "./sample-issue.ts";
export { type Watching, watchWorkflow } from "./watch.ts";
export { WorkflowError } from "./workflow-error.ts";
export { tried as triedTemplate, WorkflowFile } from "./workflow-file.ts";
export { cut } from "./front-matter.ts";
export { closest } from "./suggest.ts";
export { expandPath } from "./surroundings.ts";
