import type { Command } from "commander";
import { editServer, type ServerEdit } from "../config/edit.ts";
import { loadConfig } from "../config/load.ts";
import { didYouMean, nearest } from "../core/nearest.ts";
import { editedFile } from "./edited-file.ts";
import { EXIT } from "./exit-code.ts";
import { configError, globalOptionsOf } from "./session.ts";
import { green, note, printJson, red } from "./terminal.ts";

/** Changes one server of the file in force, found by its key or id. */
export function changeServer(
  name: string,
  command: Command,
  word: string,
  edit: Omit<ServerEdit, "key">,
): number {
  const options = globalOptionsOf(command);
  const loaded = loadConfig({ configPath: options.config, home: options.home, assumeTrusted: true });
  if (!loaded.ok) throw configError(loaded.problems);
  const { servers } = loaded.config;
  const server = servers.find((other) => other.key === name || other.id === name);
  if (server === undefined || server.declaredIn !== "file") {
    const known = servers.filter((other) => other.declaredIn === "file").map((other) => other.key);
    const reason =
      server === undefined ? `there is no server "${name}"` : `"${name}" comes from the environment`;
    note(`${red("error")} ${reason}.${didYouMean(nearest(name, known))}`);
    return EXIT.failed;
  }
  const { path, home } = editedFile(options);
  editServer(path, home, { ...edit, key: server.key });
  if (options.json === true) printJson({ [word]: server.id, file: path });
  else note(`${green(word)} ${server.id} in ${path}`);
  return EXIT.ok;
}
