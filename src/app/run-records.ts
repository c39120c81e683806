/** How runs on record are read, for those who show them. */
export { checkpointJson, checkpointOf } from "../runs/journal/checkpoint.ts";
export { questionIdOf } from "../runs/resume/decide.ts";
export { readEarlierRun } from "../runs/resume/earlier-run.ts";
export { skippedBy } from "../runs/resume/skipped.ts";
export { resultUriOf, stepUriOf } from "../runs/run-uri.ts";
export { shownStatus, summarizeRun } from "../runs/trace.ts";
export { isNodeKey, labelOf } from "../runs/workflow/labels.ts";
export { outlineWorkflow } from "../workflows/outline.ts";
