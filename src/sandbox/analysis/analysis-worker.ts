import { serveThread } from "../../process/thread-program.ts";
import type { Analysis } from "./contract.ts";
import { analyseCode } from "./program.ts";

/**
 * The type stripper takes 60 ms to load. Code without types does not wait for it, and the first code of a process comes while
 * its runner starts as well.
 */
const STRIPPER_AFTER_MS = 300;

serveThread<string, Analysis>((code) => {
  const { analysis, isSpent } = analyseCode(code);
  return { reply: analysis, spent: isSpent };
});
setTimeout(() => analyseCode("const warm: boolean = await mcp.warm.up({});"), STRIPPER_AFTER_MS);
