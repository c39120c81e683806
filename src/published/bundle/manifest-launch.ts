/**
 * How a bundle is started: its program and its words, with the folder that it is unpacked in filled in, and gaps for
 * what a person is asked. A program that is neither in the bundle nor the runtime that the bundle says that it is for
 * is named as a risk.
 */
import { homedir, platform } from "node:os";
import { join, sep } from "node:path";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import { quote } from "../../text/quote.ts";
import type { Launch, LaunchRisk, Question, Template, WordGroup } from "../launch.ts";
import { variableRisk } from "../package-launch.ts";
import { refused, type Archive } from "./archive.ts";
import { findNameProblem } from "./entry-name.ts";
import type { BundleManifest, BundleOption } from "./manifest.ts";
import { isInRange } from "./version-range.ts";

export interface BundleLaunch {
  readonly launch: Launch;
  /** The file that is started itself, and so must be executable. */
  readonly program?: string;
}

/** `folder` is where its files will be. */
export function launchBundle(
  manifest: BundleManifest,
  archive: Archive,
  folder: string,
): ToolResult<BundleLaunch> {
  const misfit = findMisfit(manifest);
  if (misfit !== undefined) return misfit;
  const { server } = manifest;
  const entryPoint = server.entry_point.replace(/^\.\//, "");
  const problem = findNameProblem(entryPoint);
  if (problem !== undefined) return refused(`its entry point ${problem}`);
  if (!hasFile(archive, entryPoint)) return refused(`its entry point ${quote(entryPoint, 200)} is not in it`);
  const given = startOf(manifest);
  const started = findProgram(server.type, given.command, { entryPoint, archive, folder });
  const fill = createFill(manifest.user_config ?? {}, folder);
  return succeed({
    launch: {
      kind: "mcpb",
      program: {
        command: started.command,
        args: (given.args ?? []).map((word): WordGroup => [fill.template(word)]),
        env: new Map(Object.entries(given.env ?? {}).map(([name, text]) => [name, fill.template(text)])),
      },
      questions: fill.questions(),
      risks: [...started.risks, ...Object.keys(given.env ?? {}).flatMap((name) => variableRisk({ name }))],
    },
    ...(started.program !== undefined && { program: started.program }),
  });
}

function findMisfit({ name, compatibility }: BundleManifest): ToolResult<never> | undefined {
  const { platforms, runtimes } = compatibility ?? {};
  if (platforms !== undefined && !platforms.includes(platform()))
    return misfits(
      `${name} is made for ${platforms.map((one) => quote(one)).join(", ")}, and this is ${platform()}`,
    );
  const range = runtimes?.node;
  if (range === undefined || isInRange(process.versions.node, range)) return undefined;
  return misfits(`${name} asks for Node ${quote(range)}, and this is ${process.versions.node}`);
}

function misfits(what: string): ToolResult<never> {
  return fail("TOOL_INVALID_INPUT", `${what}.`, {
    reason: "incompatible",
    hint: "Nothing was unpacked. Look for a bundle or a package of it for this machine.",
  });
}

type Start = { readonly command: string; readonly args?: string[]; readonly env?: Record<string, string> };

/** What the manifest says for this platform; of uv, what it leaves unsaid. */
function startOf({ server }: BundleManifest): Start {
  const { type, entry_point: entryPoint, mcp_config: written } = server;
  if (written === undefined) return usualStart(type, entryPoint);
  const { platform_overrides: overrides = {}, ...base } = written;
  const own = Object.hasOwn(overrides, platform()) ? overrides[platform()]! : {};
  const { command = base.command, args = base.args, env = base.env } = own;
  return { command, ...(args !== undefined && { args }), ...(env !== undefined && { env }) };
}

function usualStart(type: BundleManifest["server"]["type"], entryPoint: string): Start {
  const file = `\${__dirname}/${entryPoint}`;
  if (type === "uv") return { command: "uv", args: ["run", "--directory", "${__dirname}", entryPoint] };
  if (type === "binary") return { command: file };
  return { command: type === "node" ? "node" : "python3", args: [file] };
}

const RUNTIMES: Readonly<Record<string, RegExp>> = {
  node: /^node$/,
  python: /^(?:python(?:3(?:\.\d{1,2})?)?|uv)$/,
  uv: /^uv$/,
  binary: /^$/,
};

interface Started {
  readonly command: string;
  readonly program?: string;
  readonly risks: readonly LaunchRisk[];
}

function findProgram(
  type: string,
  command: string,
  {
    entryPoint,
    archive,
    folder,
  }: { readonly entryPoint: string; readonly archive: Archive; readonly folder: string },
): Started {
  // Its own Node may be another one, or none: ours is here and new enough.
  if (type === "node" && command === "node") return { command: process.execPath, risks: [] };
  if (RUNTIMES[type]!.test(command)) return { command, risks: [] };
  const inside = command.replace(/^\$\{__dirname\}[/\\]|^\.\//, "").replaceAll("\\", "/");
  const isInside = [inside, `${inside}.exe`].find(
    (path) =>
      findNameProblem(path) === undefined &&
      hasFile(archive, path) &&
      (path === entryPoint || command !== inside),
  );
  if (isInside !== undefined) return { command: join(folder, isInside), program: isInside, risks: [] };
  const message = `${quote(command, 500)} is a program of this machine, and neither of the bundle nor its ${type}.`;
  return { command, risks: [{ kind: "reach", message }] };
}

function hasFile(archive: Archive, path: string): boolean {
  return archive.entries.some((entry) => entry.path === path && !entry.isFolder);
}

/** Fills in the folder and the folders of this machine; what is asked stays a gap, once for each option. */
function createFill(options: Readonly<Record<string, BundleOption>>, folder: string) {
  const home = homedir();
  const places = new Map([
    ["__dirname", folder],
    ["HOME", home],
    ["DESKTOP", join(home, "Desktop")],
    ["DOCUMENTS", join(home, "Documents")],
    ["DOWNLOADS", join(home, "Downloads")],
    ["pathSeparator", sep],
    ["/", sep],
  ]);
  const asked = new Set<string>();
  const partOf = (written: string, name: string): Template[number] => {
    const place = places.get(name);
    if (place !== undefined) return place;
    const key = /^user_config\.(.+)$/.exec(name)?.[1];
    if (key === undefined || !Object.hasOwn(options, key)) return written;
    asked.add(key);
    return { ask: key };
  };
  const template = (text: string): Template =>
    text.split(/(\$\{[^{}]{1,200}\})/).flatMap((part, index) => {
      if (index % 2 === 1) return [partOf(part, part.slice(2, -1))];
      return part === "" ? [] : [part];
    });
  const textOf = (text: string): string =>
    template(text)
      .map((part) => (typeof part === "string" ? part : ""))
      .join("");
  return {
    template,
    questions: () => [...asked].map((key) => questionOf(key, options[key]!, textOf)),
  };
}

const FORMATS = {
  string: "string",
  number: "number",
  boolean: "boolean",
  directory: "filepath",
  file: "filepath",
} as const;

function questionOf(id: string, option: BundleOption, fill: (text: string) => string): Question {
  const { type, title = "", description = "", required, sensitive, multiple, min, max } = option;
  const values =
    option.default === undefined ? [] : [option.default].flat().map((value) => fill(String(value)));
  return {
    id,
    about: [title, description].filter((text) => text !== "").join(": "),
    isRequired: required === true,
    isSecret: sensitive === true,
    format: FORMATS[type],
    isRepeated: multiple === true,
    ...(values.length > 0 && values.every((value) => value !== "") && { default: values }),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
  };
}
