import type { Config } from "../../../config/config.ts";
import { formatProblem } from "../../../config/problem.ts";
import { commandLine } from "../../command-line.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { note, yellow } from "../../terminal/terminal.ts";

/** Notes which servers are missing from a list, and why. */
export function noteIdle({ servers }: Config, options: GlobalOptions): void {
  const enabled = servers.filter((server) => server.enabled);
  for (const { id, trusted, problems } of enabled) {
    const [first, ...others] = trusted ? problems : [];
    if (first === undefined) continue;
    const more =
      others.length === 0 ? "" : ` (and ${others.length} more: ${commandLine(["doctor"], options)})`;
    note(`${yellow("not usable")} ${id}: ${formatProblem(first)}${more}`);
  }
  const untrusted = enabled.filter(({ trusted }) => !trusted).map(({ id }) => id);
  if (untrusted.length === 0) return;
  const cure = commandLine(["trust"], options);
  note(
    `${yellow("not trusted")} ${untrusted.join(", ")} of this folder's repertoire.json. To look at it: ${cure}`,
  );
}
