/** `repertoire` without a word: the guided start on a new machine, how things are on one that is set up, a short help in a script. */
import { isAtTerminal, start, startEnvironment } from "./start.ts";
import { showStatus } from "./status.ts";
import { EXIT } from "../terminal/exit-code.ts";
import { print } from "../terminal/terminal.ts";

export async function runBare(): Promise<number> {
  if (!isAtTerminal()) {
    print(SHORT_HELP);
    return EXIT.ok;
  }
  const environment = startEnvironment();
  return (await showStatus(environment)) ? EXIT.ok : start({}, environment);
}

const SHORT_HELP = `Repertoire: all your MCP servers behind one, and what worked is kept as a tool.

  repertoire start            set everything up, step by step (needs a terminal)
  repertoire init --yes       take over the servers that your AI clients have
  repertoire connect CLIENT   write the gateway into a client's config
  repertoire tools [QUERY]    list the tools, or find one for a task
  repertoire call TOOL        call one: repertoire call files.read path=/tmp/a
  repertoire doctor           check that everything works

All commands: repertoire --help`;
