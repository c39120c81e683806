import type { Config } from "../../../config/config.ts";
import { readConfigText, type ConfigText } from "../../../config/files/config-text.ts";
import {
  describeInputsForTrust,
  describeServersForTrust,
  describeSettingsForTrust,
  type ServerForTrust,
} from "../../../config/describe.ts";
import { parseDocument } from "../../../config/files/document.ts";
import { parseConfigText } from "../../../config/load.ts";
import type { KeyPath } from "../../../config/problem.ts";
import { asObject, parseServerKey, listEntries } from "../../../config/entries/server-check.ts";
import { revoke, trust } from "../../../config/trust.ts";
import { askYesNo, canAsk, whyNotAsked } from "../../terminal/confirm.ts";
import { commandLine } from "../../command-line.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import type { DryRunOptions } from "../../dry-run.ts";
import { configError } from "../../../operator/servers/config-change.ts";
import { bold, dim, failWith, green, note, print, printJson } from "../../terminal/terminal.ts";
import { defineCommand } from "../../command.ts";

interface TrustOptions extends DryRunOptions {
  readonly yes?: boolean;
  readonly revoke?: boolean;
}

export const trustCommand = defineCommand({
  name: "trust",
  group: "access",
  summary: "Allow the servers of this folder's repertoire.json to start",
  options: [
    { flags: "--yes", about: "Do not ask; required without a terminal" },
    { flags: "--revoke", about: "Revoke the trust" },
  ],
  dryRun: "copy",
  help: `A project file names commands to run, so it has no effect until you have seen and trusted it. The trust is bound to its
exact content: a changed file must be trusted again. Your own file and a file given with --config need no trust.`,
  examples: ["repertoire trust", "repertoire trust --yes", "repertoire trust --revoke"],
  // What would be trusted is what a person reads; the question is for those who mean it.
  run: (options: TrustOptions) => run(options.dryRun === true ? { ...options, yes: true } : options),
});

async function run(options: TrustOptions): Promise<number> {
  const place = { configPath: options.config, home: options.home, assumeTrusted: true };
  // Read once: what is shown is what the trust is bound to.
  const source = readConfigText(place);
  const loaded = parseConfigText(source, place);
  if (!loaded.ok) throw configError(loaded.problems);
  const { config } = loaded;
  const { kind, path, sha256 } = config.origin;
  if (kind !== "project" || path === undefined || sha256 === undefined) {
    if (options.json === true) printJson({ needed: false });
    else note(NOT_NEEDED);
    return EXIT.ok;
  }
  if (options.revoke === true) {
    const wasTrusted = revoke(config.home, path);
    if (options.json === true) printJson({ revoked: path, wasTrusted });
    else note(wasTrusted ? `${green("revoked")} ${path}` : `${path} was not trusted.`);
    return EXIT.ok;
  }
  const mustAsk = options.yes !== true;
  if (!mustAsk || canAsk() || options.json !== true) showWhatItDoes(config, source, options);
  if (mustAsk && !canAsk()) {
    const again = commandLine(["trust", "--yes"], options);
    const why = `nothing was trusted: ${whyNotAsked()}. Read the file, then run: ${again}`;
    return failWith(EXIT.usage, why);
  }
  if (mustAsk && !(await askYesNo(`Trust ${path}?`))) return failWith(EXIT.refused, "nothing was trusted");
  trust(config.home, path, sha256);
  note(`${green("trusted")} ${path} with this exact content`);
  return EXIT.ok;
}

const NOT_NEEDED =
  "No project file here needs trust. Your own file and a file given with --config are always trusted.";

/** Everything, cut nowhere: what is not shown cannot be agreed to. */
function showWhatItDoes(config: Config, { files }: ConfigText, options: TrustOptions): void {
  const [file, ...others] = files.map(({ text = "{}" }) => valueOf(text));
  const isWritten = ([section, key]: KeyPath): boolean => {
    const settings = asObject(file)?.[String(section)];
    return key === undefined ? settings !== undefined : asObject(settings)?.[key] !== undefined;
  };
  const own = new Set(others.flatMap(serverIdsIn));
  const servers = describeServersForTrust(config).map((server) => ({
    ...server,
    replacesOwn: own.has(server.id),
  }));
  const settings = describeSettingsForTrust(config, isWritten);
  const inputs = describeInputsForTrust(config, isWritten);
  if (options.json === true) {
    return printJson({ path: config.origin.path, sha256: config.origin.sha256, servers, settings, inputs });
  }
  if (servers.length === 0) print("The file has no servers.");
  for (const server of servers) showServer(server);
  if (settings.length > 0) print(bold("settings"));
  for (const { path, value } of settings) print(`  ${dim(path)} ${value}`);
  for (const { path, input } of inputs) print(`  ${dim(path)} gets the value of the input ${input}`);
}

function valueOf(text: string): unknown {
  const parsed = parseDocument(text, "");
  return parsed.ok ? parsed.document.value : undefined;
}

function serverIdsIn(file: unknown): string[] {
  const keys = listEntries(file).map(({ key }) => parseServerKey(key));
  return keys.flatMap((parsed) => (parsed.ok ? [parsed.id] : []));
}

function showServer(server: ServerForTrust & { readonly replacesOwn: boolean }): void {
  print(bold(server.key));
  const line = (label: string, text: string) => print(`  ${dim(label.padEnd(9))} ${text}`);
  if (server.kind === "stdio") {
    line("command", server.command);
    server.args.forEach((arg, index) => line(index === 0 ? "args" : "", JSON.stringify(arg)));
    if (server.cwd !== undefined) line("cwd", server.cwd);
    if (server.envNames.length > 0) line("env", server.envNames.join(", "));
    if (server.sandbox !== undefined) line("sandbox", server.sandbox);
    if (server.envFile !== undefined) line("envFile", `all variables in ${server.envFile}`);
  } else {
    line(server.kind, server.url);
    if (server.baseUrl !== undefined) line("baseUrl", server.baseUrl);
    if (server.headerNames.length > 0) line("headers", server.headerNames.join(", "));
  }
  if (server.replacesOwn) line("replaces", `your own server ${server.id}, with its settings`);
  if (server.variables.length > 0) line("gets", `the values of ${server.variables.join(", ")}`);
  if (server.inputs.length > 0) line("gets", `the values of the inputs ${server.inputs.join(", ")}`);
}
