import type { Log } from "../../core/log.ts";
import { EXIT } from "./exit-code.ts";

/** Longer than everything that ends in order may take together; what an exception left broken may never end by itself. */
const DRAIN_MS_MAX = 30_000;

export interface ExceptionWatch {
  /** The exit code that the first exception means. */
  readonly thrown: Promise<number>;
}

/**
 * What nothing has caught. After an exception the state of the process is unknown: it is logged, and the process ends in order
 * (clients are answered, runs stay resumable) instead of in the middle. A rejected promise that nothing handles has broken off
 * nothing but itself: it is a bug to log, and no reason to drop every client.
 */
export function watchExceptions(log: Log): ExceptionWatch {
  const { promise, resolve } = Promise.withResolvers<number>();
  let isEnding = false;
  process.on("uncaughtException", (error) => {
    log.error("gateway.uncaught", { error });
    if (isEnding) return;
    isEnding = true;
    setTimeout(() => process.exit(EXIT.failed), DRAIN_MS_MAX);
    resolve(EXIT.failed);
  });
  process.on("unhandledRejection", (error) => log.error("gateway.unhandled", { error }));
  return { thrown: promise };
}
