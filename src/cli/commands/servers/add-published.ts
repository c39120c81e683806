/**
 * `repertoire add` of a server by its name in a registry, and of a bundle: everything is shown before anything is
 * written.
 */
import { resolve } from "node:path";
import type { ConfigInput } from "../../../config/config.ts";
import { locateConfig } from "../../../config/locate.ts";
import { fail, succeed, type ToolResult } from "../../../core/result.ts";
import { settle } from "../../../operator/servers/install/answers.ts";
import {
  checkLaunch,
  findKey,
  findLaunch,
  planInstall,
  type FoundLaunch,
  type InstallPlan,
} from "../../../operator/servers/install/install-plan.ts";
import {
  fetchBundle,
  fetchPublishedBundle,
  openBundleFile,
  type OpenedBundle,
} from "../../../operator/servers/install/opened-bundle.ts";
import { readPublishedName } from "../../../operator/servers/install/published-name.ts";
import { draftInstall, writeInstall } from "../../../operator/servers/install/write-install.ts";
import { openServerRegistry } from "../../../operator/servers/server-search.ts";
import { warningsOf } from "../../../operator/servers/server-risks.ts";
import { createServerRegistry } from "../../../published/server-registry.ts";
import type { LaunchKind } from "../../../published/choose-launch.ts";
import type { LaunchRisk, Question } from "../../../published/launch.ts";
import { refuse } from "../../app-call.ts";
import { commandLine } from "../../command-line.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { askAtTerminal } from "../../init/ask-inputs.ts";
import { askYesNo, canAsk, whyNotAsked } from "../../terminal/confirm.ts";
import { EXIT, exitCodeOfToolError } from "../../terminal/exit-code.ts";
import { withProgress } from "../../terminal/progress-line.ts";
import { showDryRun, diffServers } from "../../terminal/shown-diff.ts";
import { failWith, green, note, printJson, tell, yellow } from "../../terminal/terminal.ts";
import { describeInstall } from "./install-text.ts";

export interface AddPublishedOptions extends GlobalOptions {
  readonly as?: string;
  readonly kind?: LaunchKind;
  readonly input: readonly string[];
  readonly allow: readonly LaunchRisk["kind"][];
  readonly sha256?: string;
  readonly yes?: boolean;
  readonly force?: boolean;
  readonly dryRun?: boolean;
}

export async function addPublished(name: string, options: AddPublishedOptions): Promise<number> {
  const found = await withProgress(`looking up ${name}`, () => find(name, options));
  if (!found.success) return refuse(found.error, options);
  const request = requestOf(options);
  const free = findKey(found.data, request);
  if (!free.success) return refuse(free.error, options);
  const ask = mayAsk(options) ? askQuestion : async () => undefined;
  const planned = await planInstall(found.data, { ...request, given: options.input, ask });
  if (!planned.success) return refuse(planned.error, options);
  return decide(planned.data, found.data, options);
}

function requestOf({ config, home, as, force }: AddPublishedOptions) {
  return { place: { configPath: config, home }, as, replaces: force === true };
}

/** A dry run and a script are asked nothing. */
function mayAsk({ dryRun, json }: AddPublishedOptions): boolean {
  return canAsk() && dryRun !== true && json !== true;
}

async function find(name: string, options: AddPublishedOptions): Promise<ToolResult<FoundLaunch>> {
  const place = { configPath: options.config, home: options.home };
  const { home } = locateConfig(place);
  if (isBundle(name)) return openLocalBundle(name, home, options);
  const read = readPublishedName(name);
  if (!read.success) return read;
  const registry = openServerRegistry(place);
  if (!registry.success) return registry;
  const from = { registry: registry.data, home };
  const openBundle = (published: Parameters<typeof fetchPublishedBundle>[0]) =>
    fetchPublishedBundle(published, from);
  return findLaunch(read.data, registry.data, { place, kind: options.kind, openBundle });
}

/** A file, or an address with the hash of the file. */
export function isBundle(name: string): boolean {
  return /\.(?:mcpb|dxt)$/i.test(name);
}

async function openLocalBundle(
  name: string,
  home: string,
  options: AddPublishedOptions,
): Promise<ToolResult<FoundLaunch>> {
  const opened = await openGiven(name, home, options);
  if (!opened.success) return opened;
  const bundle = opened.data;
  const { sha256, version, description, launch } = bundle;
  if (options.sha256 !== undefined && options.sha256.toLowerCase() !== sha256)
    return fail(
      "SECURITY_ERROR",
      `The bundle is refused: its SHA-256 is ${sha256}, and not the one that was given.`,
    );
  const checked = await checkLaunch(launch);
  if (!checked.success) return checked;
  return succeed({
    origin: { name: bundle.name, version, sha256 },
    description,
    launch,
    risks: launch.risks,
    bundle,
  });
}

async function openGiven(
  name: string,
  home: string,
  options: AddPublishedOptions,
): Promise<ToolResult<OpenedBundle>> {
  if (!/^https?:\/\//i.test(name)) return openBundleFile(resolve(name), home);
  if (options.sha256 === undefined || !/^[0-9a-f]{64}$/i.test(options.sha256)) {
    return fail("TOOL_INVALID_INPUT", "A bundle from an address is added with the hash of its file only.", {
      field: "sha256",
      hint: "Give --sha256 HASH, as its publisher announces it; or download it and look at it first.",
    });
  }
  const url = URL.parse(name);
  if (url === null)
    return fail("TOOL_INVALID_INPUT", "The address of the bundle is not a URL.", { field: "name" });
  // A person wrote the address, so it may be anywhere; what it leads to may not be nearer than it is.
  return fetchBundle(name, options.sha256, { registry: createServerRegistry(new URL(url.origin)), home });
}

async function askQuestion(question: Question): Promise<string | undefined> {
  for (;;) {
    const value = await askAtTerminal(inputOf(question));
    if (value === undefined) return undefined;
    const settled = settle(question, value);
    if (settled.success) return settled.data;
    tell(`${yellow("not used")} ${settled.error.message}`);
  }
}

function inputOf({ id, about, isSecret, choices }: Question): ConfigInput {
  return {
    id,
    type: choices === undefined ? "promptString" : "pickString",
    ...(about !== "" && { description: about }),
    ...(choices !== undefined && { options: choices.map((value) => ({ label: value, value })) }),
    isPassword: isSecret,
    state: "missing",
    isNeeded: true,
    servers: [],
    paths: [],
  };
}

/** These are asked about at a terminal; for the others a person has to have read this much of the help. */
const CONFIRMED: ReadonlySet<LaunchRisk["kind"]> = new Set(["lookalike", "deprecated"]);

async function decide(plan: InstallPlan, found: FoundLaunch, options: AddPublishedOptions): Promise<number> {
  const open = plan.risks.filter(({ kind }) => !options.allow.includes(kind));
  const lines = describeInstall(plan, found);
  if (options.dryRun === true) return showPlan(plan, lines, open, options);
  if (options.json !== true) for (const line of lines) tell(line);
  const isConfirmable = mayAsk(options) && open.every(({ kind }) => CONFIRMED.has(kind));
  if (open.length > 0 && !isConfirmable) return refuse(risky(plan, open).error, options);
  if (open.length > 0 || options.yes !== true) {
    if (!mayAsk(options)) return refuse(unconfirmed(options).error, options);
    if (!(await askYesNo(open.length > 0 ? "Add it all the same?" : "Add it?")))
      return failWith(EXIT.refused, "nothing was changed");
  }
  const { place, replaces } = requestOf(options);
  const written = await withProgress(`adding ${plan.id}`, () => writeInstall(plan, { place, replaces }));
  if (!written.success) return refuse(written.error, options);
  report(plan, written.data, options);
  return EXIT.ok;
}

function risky({ origin }: InstallPlan, open: readonly LaunchRisk[]) {
  const kinds = [...new Set(open.map(({ kind }) => kind))];
  const flags = kinds.map((kind) => `--allow ${kind}`).join(" ");
  const told = open.map(({ kind, message }) => `${kind}: ${message}`).join("\n");
  return fail("SECURITY_ERROR", `${origin.name} was not added:\n${told}`, {
    reason: kinds[0]!,
    hint: `If you have looked at it and want it all the same, give ${flags}. Nothing was changed.`,
  });
}

function unconfirmed({ json }: AddPublishedOptions) {
  const why = json === true ? "--json asks nothing" : whyNotAsked();
  return fail("TOOL_INVALID_INPUT", `Nothing was added: ${why}.`, {
    field: "yes",
    hint: "Look at it with --dry-run, then give --yes.",
  });
}

function showPlan(
  plan: InstallPlan,
  lines: readonly string[],
  open: readonly LaunchRisk[],
  options: AddPublishedOptions,
): number {
  const { place, replaces } = requestOf(options);
  const draft = draftInstall(plan, { place, replaces });
  if (!draft.success) return refuse(draft.error, options);
  const refusal = open.length === 0 ? undefined : risky(plan, open).error;
  if (options.json === true) {
    const { path, entry } = draft.data;
    printJson({
      file: path,
      changed: false,
      server: plan.id,
      entry,
      risks: plan.risks,
      missing: plan.missing,
      diff: diffServers(draft.data),
      refused: refusal ?? null,
    });
  } else {
    for (const line of lines) tell(line);
    showDryRun(draft.data, false);
  }
  if (refusal === undefined) return EXIT.ok;
  return options.json === true ? exitCodeOfToolError(refusal) : refuse(refusal, options);
}

function report(
  plan: InstallPlan,
  { path, entry }: { path: string; entry: InstallPlan["entry"] },
  options: AddPublishedOptions,
): void {
  const { id, risks, missing, values } = plan;
  const warnings = [...risks.map(({ message }) => message), ...warningsOf(id, entry)];
  if (options.json === true) {
    printJson({
      added: id,
      server: entry,
      file: path,
      moved: [...values.keys()],
      missing,
      warnings: [...new Set(warnings)],
    });
    return;
  }
  note(`${green("added")} ${id} to ${path}. It is held until you approve it:`);
  for (const input of missing) note(`  ${commandLine(["input", "set", input], options)}`);
  note(`  ${commandLine(["servers", id, "--check"], options)}   starts it and reads what it offers`);
  note(`  ${commandLine(["approve", id], options)}   shows all of it, and asks`);
}
