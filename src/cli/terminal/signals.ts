import { EXIT } from "./exit-code.ts";

export interface SignalWatch {
  /** The exit code that the first signal means. */
  readonly stopped: Promise<number>;
  /** Signals do again what they do without a watch. */
  release(): void;
}

/** The first signal lets the command shut down; a second one exits at once. */
export function watchSignals(): SignalWatch {
  const { promise, resolve } = Promise.withResolvers<number>();
  let first = true;
  const stopWith = (exitCode: number) => () => {
    if (!first) process.exit(exitCode);
    first = false;
    resolve(exitCode);
  };
  const [interrupt, terminate] = [stopWith(EXIT.interrupted), stopWith(EXIT.terminated)];
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", terminate);
  return {
    stopped: promise,
    release() {
      process.off("SIGINT", interrupt);
      process.off("SIGTERM", terminate);
    },
  };
}
