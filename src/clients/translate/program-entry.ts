import type { Json } from "../../core/json.ts";
import { readVariable } from "../../config/locate.ts";
import { asObject } from "../../config/entries/server-check.ts";
import { pathOf } from "../client.ts";
import { readPairs, type EntryContext } from "./entry-fields.ts";
import type { CommandLine } from "./mcp-remote.ts";

/** A server that is started. */
export function programEntry(context: EntryContext, line: CommandLine): Record<string, Json> {
  const { rewriting } = context;
  const command = rewriting.text(line.command);
  const args = line.args.map((arg) => rewriting.text(arg));
  const env = readEnv(context);
  const cwd = readCwd(context, line);
  const envFile = readEnvFile(context);
  return {
    command,
    ...(args.length === 0 ? {} : { args }),
    ...(Object.keys(env).length === 0 ? {} : { env }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(envFile === undefined ? {} : { envFile }),
  };
}

/** The variables that an entry gives a program, as they are written there. */
export function pairsOfEnv({ fields }: EntryContext): [name: string, text: string][] {
  const isName = (name: string): boolean => name !== "" && !/[=\0]/.test(name);
  return readPairs(fields.take("env", "environment"), { label: "env", isName, note: fields.note });
}

function readEnv(context: EntryContext): Record<string, string> {
  const { rewriting } = context;
  const pairs = pairsOfEnv(context).map(([name, text]) => [name, rewriting.text(text)] as const);
  return Object.fromEntries([...inheritedEnv(context), ...pairs]);
}

/** Codex names variables that it passes on. One that is not set is not passed on there either. */
function inheritedEnv({ fields, place }: EntryContext): [string, string][] {
  const list = fields.take("env_vars");
  const names = (Array.isArray(list) ? list : []).map((item: unknown) => asObject(item)?.["name"] ?? item);
  return names.flatMap((name): [string, string][] => {
    if (typeof name !== "string" || !/^[A-Za-z_]\w*$/.test(name)) return [];
    if (readVariable(place.env, name) !== undefined) return [[name, `\${${name}}`]];
    fields.note(`The variable ${name} is not set here, so it is not passed on.`);
    return [];
  });
}

/** A path of the entry. Ours start at the folder of our own file, so a relative one is made whole. */
export function wholePath(
  { fields, rewriting, place, written }: EntryContext,
  key: string,
  text: string,
): string {
  const path = pathOf(place.platform);
  const home = /^~(?=[/\\]|$)/.test(text) ? `${place.homedir}${text.slice(1)}` : undefined;
  const isWhole = home !== undefined || text.startsWith("${") || path.isAbsolute(text);
  if (!isWhole) fields.note(`Its ${key} is relative to the project folder.`);
  return rewriting.text(isWhole ? (home ?? text) : path.join(written.folder, text));
}

function readEnvFile(context: EntryContext): string | undefined {
  const envFile = context.fields.text("envFile", "env_file");
  return envFile === undefined ? undefined : wholePath(context, "envFile", envFile);
}

/** Where the program runs. */
function readCwd(context: EntryContext, line: CommandLine): string | undefined {
  const { fields, rewriting, written } = context;
  const cwd = fields.text("cwd", "workingDirectory");
  if (cwd !== undefined) return wholePath(context, "cwd", cwd);
  const isRelative = [line.command, ...line.args].some((word) => /^\.\.?(?:[/\\]|$)/.test(word));
  if (written.scope !== "project" || !isRelative) return undefined;
  fields.note("It runs in the project folder, because its paths are relative to it.");
  return rewriting.text(written.folder);
}
