/** What the gateway needs of the machine, whatever the config says: Node, the home, the secrets, the clients. */
import { existsSync, statSync } from "node:fs";
import { dirname, join, isAbsolute } from "node:path";
import { openConfiguredStore, type SandboxCheck, openSecretStore } from "../../app/app.ts";
import type { StorePlace } from "../../config/locate-store.ts";
import { messageOf, RepertoireError } from "../../core/errors.ts";
import { findPlatformProblem } from "../../process/platform.ts";
import { shellWord, type Check } from "./check.ts";
import { countOf } from "../terminal/wording.ts";
import { commandLine } from "../command-line.ts";
import type { GlobalOptions } from "../global-options.ts";
import { CLIENT_TITLES, type ClientPlace } from "../../clients/client.ts";
import { OWN_KEY } from "../../clients/connect/client-target.ts";
import { isOwnEntry } from "../../clients/read/own-entry.ts";
import { literalOf } from "../../clients/translate/references.ts";
import { readClients, type FoundServer } from "../../clients/read/read-clients.ts";

export function checkNode(platform: NodeJS.Platform = process.platform): Check {
  const message = `${process.version}, SQLite ${process.versions["sqlite"] ?? "unknown"}`;
  const problem = findPlatformProblem(platform);
  if (problem === undefined) return { name: "node", state: "ok", message };
  return { name: "node", state: "warning", message: `${message}. ${problem}` };
}

export function describeSandbox({ problem, typesProblem, hasNetworkFence, startMs }: SandboxCheck): Check {
  const name = "sandbox";
  const cure = "npm install --global --include=optional repertoire@latest";
  if (problem !== undefined) return { name, state: "failed", message: `code cannot run: ${problem}`, cure };
  const network = hasNetworkFence ? "without a network" : "without a network namespace";
  const runs = `code runs, started in ${Math.round(startMs)} ms, ${network}`;
  if (typesProblem !== undefined)
    return { name, state: "warning", message: `${runs}. ${typesProblem}`, cure };
  return { name, state: "ok", message: `${runs}, types are checked` };
}

export function checkHome(home: string, isNeeded = true): Check {
  const name = "home";
  const stat = statSync(home, { throwIfNoEntry: false });
  if (stat === undefined) {
    const message = isNeeded ? `${home} will be created on first use` : "not needed: the store is a database";
    return { name, state: "ok", message };
  }
  if (!stat.isDirectory()) {
    const cure = `mv ${shellWord(home)} ${shellWord(`${home}.old`)}`;
    return { name, state: "failed", message: `${home} is not a folder`, cure };
  }
  if (process.platform === "win32" || (stat.mode & 0o077) === 0) return { name, state: "ok", message: home };
  const message = `other users can read ${home}`;
  return { name, state: "failed", message, cure: `chmod 700 ${shellWord(home)}` };
}

export async function checkStore(place: StorePlace): Promise<Check> {
  const name = "store";
  const path = join(place.home, "repertoire.db");
  if (!existsSync(path)) return { name, state: "ok", message: "empty; created on first use" };
  try {
    const store = await openConfiguredStore(place);
    try {
      const damage = await store.findDamage();
      if (damage.length === 0) return { name, state: "ok", message: `${path} is sound` };
      const cure = `mv ${shellWord(path)} ${shellWord(`${path}.damaged`)}`;
      return { name, state: "failed", message: `${path} is damaged: ${damage.slice(0, 3).join("; ")}`, cure };
    } finally {
      await store.close();
    }
  } catch (error) {
    return { name, state: "failed", message: messageOf(error), cure: storeCureOf(error, path) };
  }
}

/** Never a command that deletes: the file may be the only copy. Only a file that is not our database is moved aside. */
export function storeCureOf(error: unknown, path: string): string {
  const code = error instanceof RepertoireError ? error.code : undefined;
  if (code === "STORE_NEWER") return "npm install --global repertoire@latest";
  if (code === "STORE_UNSUPPORTED") return "nvm install 24";
  if (code === "STORE_FULL") return `df -h ${shellWord(path)}`;
  if (code === "STORE_BUSY") return `fuser -v ${shellWord(path)}`;
  if (code === "STORE_DAMAGED" || code === "STORE_FOREIGN") {
    return `mv ${shellWord(path)} ${shellWord(`${path}.aside`)}`;
  }
  if (isReadOnlyDisk(error)) return `findmnt --target ${shellWord(dirname(path))}`;
  if (code === "HOME_UNSAFE") return `chmod u+rwX ${shellWord(dirname(path))} ${shellWord(path)}`;
  return `ls -la ${shellWord(dirname(path))}`;
}

function isReadOnlyDisk(error: unknown): boolean {
  const cause = error instanceof RepertoireError ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && cause.code === "EROFS";
}

/** What protects the values that are kept, and whether they can still be read. */
export async function checkSecrets(
  home: string,
  options: GlobalOptions,
  secrets = openSecretStore({ home }),
): Promise<Check[]> {
  const names = secrets.names("");
  if (names.length === 0) return [];
  const sealed = names.filter((name) => secrets.protectionOf(name) === "keyring");
  const lost: string[] = [];
  for (const name of sealed) if ((await secrets.get(name)) === undefined) lost.push(name);
  const parts = [
    ...(sealed.length === 0 ? [] : [`${sealed.length} encrypted with a key in the keyring`]),
    ...(sealed.length === names.length
      ? []
      : [`${names.length - sealed.length} in a file that only you can read`]),
  ];
  const message = `${countOf(names.length, "value")} stored: ${parts.join(", ")}`;
  return [
    { name: "secrets", state: "ok", message },
    ...lost.map((name): Check => ({ name: "secrets", state: "failed", ...describeLost(name, options) })),
  ];
}

/** A value is kept under `input:ID` or `oauth:SERVER:…`. */
function describeLost(name: string, options: GlobalOptions): Pick<Check, "message" | "cure" | "advice"> {
  const [kind, subject = ""] = name.split(":", 2);
  const isInput = kind === "input";
  const what = isInput ? `the input ${subject}` : `the login to ${subject}`;
  return {
    message: `${what} cannot be read: it is encrypted with a key that is not in this keyring`,
    cure: commandLine(isInput ? ["input", "set", subject] : ["login", subject], options),
    advice:
      "Set it again, or unlock the keyring that has its key (REPERTOIRE_KEYRING=off disables the keyring).",
  };
}

/**
 * Clients that are connected and cannot start the gateway any more, because Node or the package has moved since: one
 * line for each.
 */
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
