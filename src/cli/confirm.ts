import { createInterface } from "node:readline/promises";

/** Whether there is somebody at a terminal. */
export function canAsk(): boolean {
  return process.stdin.isTTY;
}

/** Anything but a yes is a no. */
export async function askYesNo(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${question} [y/N] `);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
