/** Clients that are connected and cannot start the gateway any more: Node or the package has moved since. */
import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { CLIENT_TITLES, type ClientPlace } from "../../clients/client.ts";
import { OWN_KEY } from "../../clients/connect/client-target.ts";
import { isOwnEntry } from "../../clients/read/own-entry.ts";
import { literalOf } from "../../clients/translate/references.ts";
import { readClients, type FoundServer } from "../../clients/read/read-clients.ts";
import { commandLine } from "../command-line.ts";
import type { Check } from "./check.ts";
import type { GlobalOptions } from "../global-options.ts";

/** One line for each that is wrong; nothing where all is well. */
export function checkClients(place: ClientPlace, options: GlobalOptions): Check[] {
  return readClients(place)
    .servers.filter(({ key, entry, isEnabled }) => isEnabled && (key === OWN_KEY || isOwnEntry(key, entry)))
    .flatMap((found): Check[] => {
      const problem = findProblem(found);
      if (problem === undefined) return [];
      const { client, path, scope } = found;
      const words = ["connect", client, ...(scope === "project" ? ["--project"] : [])];
      return [
        {
          name: "clients",
          state: "warning",
          message: `${CLIENT_TITLES[client]} cannot start Repertoire: ${problem} (${path})`,
          cure: commandLine(words, options),
        },
      ];
    });
}

/** A bare name works where the client's PATH leads to it, which a desktop's does not. */
function findProblem({ entry }: FoundServer): string | undefined {
  const { command, args } = entry;
  if (typeof command !== "string") return undefined;
  if (command === "repertoire")
    return "its entry runs `repertoire` without a path, which desktop programs do not find";
  const [script] = Array.isArray(args) ? args : [];
  const paths = [command, ...(typeof script === "string" ? [script] : [])].flatMap(
    (text) => literalOf(text) ?? [],
  );
  const gone = paths.find((path) => isAbsolute(path) && !existsSync(path));
  return gone === undefined ? undefined : `${gone} no longer exists`;
}
