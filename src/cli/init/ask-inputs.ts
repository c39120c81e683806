/**
 * Asks a person for the inputs that a config lacks. What is asked comes in, so that it can be answered without a
 * terminal.
 */
import type { ConfigInput } from "../../config/config.ts";
import { escapeUnprintable } from "../../text/printable.ts";
import type { Inputs } from "../../secrets/inputs.ts";
import { commandLine } from "../command-line.ts";
import { findValueProblem } from "../../operator/access/input-value.ts";
import type { GlobalOptions } from "../global-options.ts";
import type { ReadStream } from "node:tty";

/** The answer, or undefined if the user cancels. */
type AskInput = (input: ConfigInput) => Promise<string | undefined>;

interface AskDeps {
  readonly inputs: Pick<Inputs, "set">;
  readonly ask: AskInput;
  readonly note: (line: string) => void;
  readonly options: GlobalOptions;
}

/** Asks for each once and keeps what was answered; says how many were. After a cancel no more questions are asked. */
export async function askInputs(missing: readonly ConfigInput[], deps: AskDeps): Promise<number> {
  let givenCount = 0;
  let isOver = false;
  for (const input of missing) {
    const answer: string | undefined = isOver ? undefined : await deps.ask(input);
    isOver = answer === undefined;
    const problem = findValueProblem(answer ?? "", input);
    if (answer !== undefined && problem === undefined) {
      await deps.inputs.set(input.id, answer);
      givenCount++;
      continue;
    }
    const said = answer === undefined || answer === "" ? "has no value yet" : problem;
    const cure = commandLine(["input", "set", input.id], deps.options);
    deps.note(`The input ${input.id} ${said}. Set it with: ${cure}`);
  }
  return givenCount;
}

/** On stderr: stdout is for what the command prints. */
export const askAtTerminal: AskInput = async (input) => {
  const clack = await import("@clack/prompts");
  await dropTypeAhead();
  const common = { message: questionOf(input), output: process.stderr };
  const options = input.options?.map(({ label, value }) => ({ label: escapeUnprintable(label), value }));
  const answer =
    options !== undefined && input.type === "pickString"
      ? await clack.select({ ...common, options })
      : input.isPassword
        ? await clack.password(common)
        : await clack.text(common);
  return clack.isCancel(answer) ? undefined : answer;
};

function questionOf({ id, description, servers }: ConfigInput): string {
  const takers = servers.length === 0 ? "" : `, for ${servers.join(", ")}`;
  return escapeUnprintable(
    description === undefined ? `The input ${id}${takers}` : `${description} (${id}${takers})`,
  );
}

/** What was typed is there at once; this is time for the event loop to read it, also on a busy machine. */
const DRAIN_MS = 100;
const INTERRUPT = "\u0003";

/**
 * Takes and forgets what was typed before a question is shown: a command for the shell, typed while another was
 * running, must not become a secret. Ctrl-C still works.
 */
async function dropTypeAhead(input: ReadStream = process.stdin): Promise<void> {
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
