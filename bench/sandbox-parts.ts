/** What the bench calls without a gateway around it; it is bundled, see `sandbox-build.ts`. */
export { DEFAULT_SCOPE } from "../src/core/names.ts";
export { createDraftFolder } from "../src/library/draft-folder.ts";
export { createDrafts } from "../src/library/drafts.ts";
export { createRuns } from "../src/runs/runs.ts";
export { createCodeAnalysis } from "../src/sandbox/analysis/analysis.ts";
export { createArgumentCheck } from "../src/sandbox/schema/argument-check.ts";
export { createSandbox } from "../src/sandbox/sandbox.ts";
export { createTypeCheck } from "../src/sandbox/types/type-check.ts";
export { openSqliteStore } from "../src/store/sqlite/sqlite-store.ts";
export { launch } from "../src/process/launch.ts";
