import { serveBackground } from "./background-worker.ts";
import type { Analysis } from "./analysis-contract.ts";
import { analyseCode } from "./program.ts";

// The type stripper takes 60 ms to load. Every request needs it, so it is loaded before the first one is taken and counts
// as the start of the thread.
analyseCode("const warm: boolean = await mcp.warm.up({});");

serveBackground<string, Analysis>((code) => {
  const { analysis, isSpent } = analyseCode(code);
  return { reply: analysis, spent: isSpent };
});
