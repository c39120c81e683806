/** What to do after the demo, as it is typed here. */
import * as show from "./demo-text.ts";
import { ownProcess, typedCommand } from "../connect/own-command.ts";
import { print } from "../terminal/terminal.ts";

const STEPS: readonly [string, string][] = [
  ["init", "takes over the servers that your clients have"],
  ["connect claude", "puts Repertoire into a client: claude, cursor, vscode, codex, gemini and others"],
  ["doctor --servers", "says whether all is well, and what to do where it is not"],
];

export function showNextSteps(): void {
  const own = typedCommand(ownProcess(), process.cwd());
  print();
  show.remark("Next, with your own servers:");
  for (const [step, what] of STEPS) {
    show.command(`${own} ${step}`);
    show.gloss(what);
  }
}
