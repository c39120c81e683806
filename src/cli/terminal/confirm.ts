import { createInterface } from "node:readline/promises";
import { Interrupted } from "./exit-code.ts";
import { terminalOptions } from "./terminal.ts";

/** Whether there is a terminal, and questions are allowed. */
export function canAsk(): boolean {
  return process.stdin.isTTY && terminalOptions().mayAsk;
}

/** Why the command could not ask, for its error. */
export function whyNotAsked(): string {
  return terminalOptions().mayAsk ? "there is no terminal to ask at" : "--no-input is set";
}

/** At every question Ctrl-C ends the command, and nothing that the question was about is done. */
export function interrupted(question: string): Interrupted {
  return new Interrupted(`interrupted at the question ${JSON.stringify(question)}; nothing was changed`);
}

/** Anything but a yes is a no, and so is the end of the input; Ctrl-C is neither. */
export async function askYesNo(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const { promise: left, resolve, reject } = Promise.withResolvers<string>();
  terminal.once("SIGINT", () => reject(interrupted(question)));
  terminal.once("close", () => resolve(""));
  try {
    const answer = await Promise.race([terminal.question(`${question} [y/N] `), left]);
    return /^y(es)?$/i.test(answer.trim());
  } catch (error) {
    process.stderr.write("\n");
    throw error;
  } finally {
    terminal.close();
  }
}
