/** Tools for a person who waits for the servers that have them. */
import type { App, FoundTools } from "../../../app/app.ts";
import type { ToolResult } from "../../../core/result.ts";
import { findCallable as find, type Callable, type Lookup } from "../../../operator/tools/callables.ts";
import { WHOLE_START_MS } from "../../../process/starting.ts";
import { startProgressLine } from "../../terminal/progress-line.ts";

/** As long as a person waits for servers that are being started. */
export const PATIENCE_MS = 25_000;

/**
 * What can be called, once the servers have answered or a person would wait no longer. A server that is named is waited
 * for to its end.
 */
export async function gatherTools(app: App, servers?: readonly string[]): Promise<FoundTools> {
  const progress = startProgressLine();
  progress.show("asking the servers for their tools");
  try {
    return await app.findTools({
      ...(servers !== undefined && { servers }),
      waitMs: servers === undefined ? PATIENCE_MS : WHOLE_START_MS,
      onProgress: ({ message }) => {
        if (typeof message === "string") progress.show(message);
      },
    });
  } finally {
    progress.end();
  }
}

/** Asks the servers that may have what a name means. */
export function waitingLookup(app: App): Lookup {
  return {
    gather: (some) => gatherTools(app, some),
    explainMiss: (name) => app.lookUpTool(name),
  };
}

/** What a name means. */
export function findCallable(
  app: App,
  given: string,
  servers: readonly string[],
): Promise<ToolResult<Callable>> {
  return find(app, given, servers, waitingLookup(app));
}
