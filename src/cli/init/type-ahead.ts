import type { ReadStream } from "node:tty";

/** What was typed is there at once; this is time for the event loop to read it, also on a busy machine. */
const DRAIN_MS = 100;
const INTERRUPT = "\u0003";

/**
 * Takes and forgets what was typed before a question is shown: a command for the shell, typed while another was at work, must not
 * become a secret. Ctrl+C counts all the same.
 */
export async function dropTypeAhead(input: ReadStream = process.stdin): Promise<void> {
  if (!input.isTTY) return;
  const drop = (chunk: Buffer): void => {
    if (chunk.includes(INTERRUPT)) process.kill(process.pid, "SIGINT");
  };
  // A line that has no end yet is read in raw mode only.
  input.setRawMode(true);
  input.on("data", drop);
  await new Promise((resolve) => setTimeout(resolve, DRAIN_MS));
  input.off("data", drop);
  input.pause();
  input.setRawMode(false);
}
