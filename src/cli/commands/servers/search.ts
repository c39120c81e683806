import {
  openServerRegistry,
  searchServers,
  type ServersFound,
} from "../../../operator/servers/server-search.ts";
import { refuse } from "../../app-call.ts";
import { commandLine } from "../../command-line.ts";
import { defineCommand } from "../../command.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import { withProgress } from "../../terminal/progress-line.ts";
import { note, printJson, printTable, yellow } from "../../terminal/terminal.ts";
import { limitOption } from "../operate/list-options.ts";
import { countOf } from "../../terminal/wording.ts";

interface SearchOptions extends GlobalOptions {
  readonly limit: number;
}

const LIMIT_DEFAULT = 20;
/** A longer list is no answer to a person. */
const LIMIT_MAX = 500;

export const searchCommand = defineCommand({
  name: "search",
  group: "servers",
  summary: "Search the MCP registry for servers that can be added by name",
  arguments: [{ words: "<name>", about: "a name, or a part of one" }],
  options: [limitOption(LIMIT_DEFAULT, LIMIT_MAX)],
  help: `The registry is the official one, or that of registry.url in the config or REPERTOIRE_REGISTRY_URL. Nothing is added.
Anybody can publish there, and a description is its author's own word. To search the tools of your servers, use:
repertoire tools WORDS`,
  examples: ["repertoire search filesystem", "repertoire search io.github.acme --limit 50 --json"],
  run: (options: SearchOptions, name: string) => search(name, options),
});

async function search(name: string, options: SearchOptions): Promise<number> {
  const registry = openServerRegistry({ configPath: options.config, home: options.home });
  if (!registry.success) return refuse(registry.error, options);
  const work = () => searchServers(registry.data, name, options.limit);
  const found = await withProgress(`asking ${registry.data.url}`, work);
  if (!found.success) return refuse(found.error, options);
  if (options.json === true) printJson(found.data);
  else show(found.data, options);
  return EXIT.ok;
}

function show({ servers, unreadable, more }: ServersFound, options: GlobalOptions): void {
  const rows = servers.map(({ name, version, kinds, status, description }) => [
    name,
    version,
    kinds.join(", "),
    status === "active" ? "" : status,
    description.replace(/\s+/g, " "),
  ]);
  printTable([["NAME", "VERSION", "KIND", "STATUS", "DESCRIPTION"], ...rows]);
  if (unreadable > 0)
    note(
      `${yellow("left out")} ${countOf(unreadable, "entry", "entries")} of the registry that cannot be used`,
    );
  if (more) note("There are more: give --limit, or a longer name");
  note(`Add one: ${commandLine(["add", servers[0]!.name], options)}`);
}
