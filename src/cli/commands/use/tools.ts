import { writeFile } from "node:fs/promises";
import { countOf, withCommas } from "../../terminal/wording.ts";
import type { ServerView } from "../../../app/app.ts";
import type { Config } from "../../../config/config.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { toolErrorIn, messageOf } from "../../../core/errors.ts";
import { LISTED_TOKENS_MAX } from "../../../core/store.ts";
import { describeStarting } from "../../../process/starting.ts";
import { operatorOf, refuse } from "../../app-call.ts";
import {
  callablesIn,
  nodesOf,
  signatureOfCallable,
  type Callable,
} from "../../../operator/tools/callables.ts";
import { describeInList } from "../../../operator/tools/tool-view.ts";
import { listCallables } from "../../../operator/tools/tools.ts";
import { gatherTools, PATIENCE_MS } from "./callable.ts";
import { commandLine } from "../../command-line.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import { noteIdle } from "../servers/unusable-servers.ts";
import { openSession, type Session } from "../../session.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { bold, dim, note, print, printJson, failWith, red, tell, write } from "../../terminal/terminal.ts";
import { outputWidth, wrapText } from "../../terminal/wrap-text.ts";
import { defineCommand } from "../../command.ts";
import { beginDryRun, endDryRun, type DryRunOptions } from "../../dry-run.ts";

interface ToolsOptions extends GlobalOptions {
  readonly nodes?: boolean;
}

export const toolsCommand = defineCommand({
  name: "tools",
  group: "use",
  summary: "List all tools by server, or search them",
  arguments: [
    {
      words: "[query]",
      about: "the name of a server, or words that describe a task",
      completes: ["servers"],
    },
  ],
  options: [{ flags: "--nodes", about: "Also list the built-in nodes, which only workflows can use" }],
  help: `Each tool is shown as code calls it. A client sees the tools that the exposure mode lists, and can call all of them.
The command waits at most ${PATIENCE_MS / 1000} s for servers that are still starting.`,
  examples: [
    "repertoire tools",
    "repertoire tools github",
    'repertoire tools "create an issue"',
    "repertoire tools --jq '.[] | select(.listed) | .name'",
  ],
  run: (options: ToolsOptions, query: string | undefined) => tools(query, options),
});

async function tools(query: string | undefined, options: ToolsOptions): Promise<number> {
  const session = await openSession(options);
  try {
    const configured = session.config.current().servers.map(({ id }) => id);
    if (query === undefined) return await list(session, undefined, options);
    return configured.includes(query)
      ? await list(session, query, options)
      : await search(session, query, options);
  } finally {
    await session.close();
  }
}

// ── by server ───────────────────────────────────────────────────────────────────────────────────────────────────────

async function list(session: Session, server: string | undefined, options: ToolsOptions): Promise<number> {
  const { app, config } = session;
  const { deps, viewer } = operatorOf(session, options);
  const found = await gatherTools(app, server === undefined ? undefined : [server]);
  const shown = await listCallables(deps, viewer, found, server);
  if (!shown.success) return refuse(shown.error, options);
  const { callables, listed } = shown.data;
  const nodes = options.nodes === true ? nodesOf(app) : [];
  if (options.json === true) {
    printJson([...callables, ...nodes].map((one) => describeInList(one, listed)));
    return EXIT.ok;
  }
  const views = (await app.viewServers(false)).filter(({ id }) => server === undefined || id === server);
  const others = callables.filter(({ kind }) => kind === "meta_tool");
  const mode = modeOf(config.current());
  const kept = callables.filter(({ kind }) => kind === "kept");
  const keptTitle = `kept · ${countOf(kept.length, "tool")}${hiddenNote(kept, listed, KEPT_BUDGET)}`;
  showGroups([
    ...views.flatMap((view) => groupOf(view, callables, listed, mode, options) ?? []),
    ...(kept.length > 0 ? [{ title: keptTitle, callables: kept }] : []),
    ...(others.length > 0
      ? [{ title: `meta-tools · ${others.length}, listed to every client`, callables: others }]
      : []),
    ...(nodes.length > 0
      ? [{ title: `built-in nodes · ${nodes.length}, in workflows only`, callables: nodes }]
      : []),
  ]);
  if (server === undefined) noteIdle(config.current(), options);
  return EXIT.ok;
}

const KEPT_BUDGET = `they have room for ${withCommas(LISTED_TOKENS_MAX)} tokens`;

/** Why clients do not see a tool that they can call. */
function modeOf({ exposure }: Config): string {
  return exposure === "auto" ? "`auto` is lean" : `the exposure is ${exposure}`;
}

/** Undefined where all is said below the list: what is wrong with its entry. */
function groupOf(
  view: ServerView,
  callables: readonly Callable[],
  listed: ReadonlySet<string>,
  mode: string,
  options: GlobalOptions,
): Group | undefined {
  const own = callables.filter(({ server }) => server === view.id);
  const state = stateLine(view, options);
  if (own.length === 0 && state === undefined) return undefined;
  const counts = own.length === 0 ? "" : ` · ${countOf(own.length, "tool")}${hiddenNote(own, listed, mode)}`;
  return { title: `${view.id}${counts}${state === undefined ? "" : ` · ${state}`}`, callables: own };
}

function hiddenNote(own: readonly Callable[], listed: ReadonlySet<string>, why: string): string {
  const hidden = own.filter(({ name }) => !listed.has(name)).length;
  if (hidden === 0) return "";
  const count = hidden === own.length ? "" : `${hidden} `;
  return `, ${count}not listed to clients: ${why}; all can be called`;
}

/** Nothing for a server that answered. */
function stateLine(view: ServerView, options: GlobalOptions): string | undefined {
  const { id, state, error, toolCount, starting } = view;
  if (state === "disabled") return "disabled";
  if (state === "untrusted" || state === "unusable" || state === "needs_input") return undefined;
  if (error !== undefined) return `${state}: ${escapeUnprintable(error)}`;
  if (toolCount !== undefined) return toolCount === 0 ? "no tools" : undefined;
  if (starting !== undefined)
    return `${describeStarting(starting)}. To wait for it: ${commandLine(["tools", id], options)}`;
  return `${state}: no answer yet; try again, or run: ${commandLine(["doctor", "--servers", id], options)}`;
}

interface Group {
  readonly title: string;
  readonly callables: readonly Callable[];
}

function showGroups(groups: readonly Group[]): void {
  for (const [at, group] of groups.entries()) {
    if (at > 0) print();
    showGroup(group);
  }
}

function showGroup({ title, callables }: Group): void {
  for (const line of wrapText(title, outputWidth(), "", "  ")) print(bold(line));
  for (const one of callables) showCallable(one);
}

function showCallable(one: Callable): void {
  const width = outputWidth();
  for (const line of wrapText(escapeUnprintable(signatureOfCallable(one)), width, "  ", "      "))
    print(line);
  const about = escapeUnprintable(firstSentence(one.definition.description ?? "").trim());
  if (about !== "") for (const line of wrapText(about, width, "    ")) print(dim(line));
}

// ── by words ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** More than a person reads; `--json` gives as many. */
const HITS_MAX = 50;

/** What `browse_components` answers, as far as it is read here. */
interface Browsed {
  readonly nodes: readonly { readonly type: string }[];
  readonly workflows: readonly { readonly tool: string }[];
  readonly total: number;
  readonly pending?: readonly string[];
  readonly unavailable?: readonly { readonly server: string; readonly reason: string }[];
}

async function search({ app }: Session, query: string, options: ToolsOptions): Promise<number> {
  const found = await gatherTools(app);
  // The servers have been waited for: this asks none of them.
  const answer = await app.gateway.callTool("browse_components", { query, limit: HITS_MAX });
  const error = toolErrorIn(answer);
  if (error !== undefined) return refuse(error, options);
  if (options.json === true) {
    printJson(answer.structuredContent);
    return EXIT.ok;
  }
  const hits = answer.structuredContent as unknown as Browsed;
  const about = { query: `${query} node`, include_workflows: false };
  const forWorkflows = (await app.gateway.callTool("browse_components", about))
    .structuredContent as unknown as Browsed;
  const byName = new Map([...callablesIn(found), ...nodesOf(app)].map((one) => [one.name, one]));
  const shownAs = (names: readonly string[]) => names.flatMap((name) => byName.get(name) ?? []);
  const names = [...hits.workflows.map(({ tool }) => tool), ...hits.nodes.map(({ type }) => type)];
  const callable = shownAs(names).filter(({ kind }) => kind !== "node");
  const nodes = shownAs(forWorkflows.nodes.map(({ type }) => type)).filter(({ kind }) => kind === "node");
  for (const one of callable) showCallable(one);
  if (options.nodes === true && nodes.length > 0) {
    if (callable.length > 0) print();
    showGroup({ title: "in workflows only", callables: nodes });
  }
  if (callable.length === 0) noteNothing(query, found.tools.length, options);
  else if (hits.total > names.length) note(`${hits.total} tools match; the best ${names.length} are shown.`);
  if (options.nodes !== true && nodes.length > 0) noteNodes(nodes, query, options);
  for (const server of hits.pending ?? []) note(`${server} has not answered yet.`);
  for (const { server, reason } of hits.unavailable ?? []) note(`${server}: ${escapeUnprintable(reason)}`);
  return EXIT.ok;
}

function noteNothing(query: string, toolCount: number, options: GlobalOptions): void {
  note(`No tool matches ${JSON.stringify(query)}.`);
  if (toolCount > 0) note(`List all ${toolCount}: ${commandLine(["tools"], options)}`);
}

function noteNodes(nodes: readonly Callable[], query: string, options: GlobalOptions): void {
  const names = nodes.map(({ name }) => name).join(", ");
  note(`In workflows only: ${names}. Show them: ${commandLine(["tools", query, "--nodes"], options)}`);
}

export function firstSentence(text: string): string {
  const [paragraph = ""] = text.trim().split(/\r?\n\s*\n/, 1);
  const line = paragraph.replace(/\s*\n\s*/g, " ");
  return /^.*?[.!?](?=\s|$)/.exec(line)?.[0] ?? line;
}

interface TypesOptions extends DryRunOptions {
  readonly out?: string;
}

export const typesCommand = defineCommand({
  name: "types",
  group: "use",
  summary: "Write TypeScript declarations of your tools, for an editor",
  arguments: [{ words: "[server...]", about: "only these servers", completes: ["servers"] }],
  options: [
    { flags: "--out <file>", about: "write to this file instead of standard output", completes: ["files"] },
  ],
  dryRun: "own",
  examples: ["repertoire types --out mcp.d.ts", "repertoire types github files"],
  run: (options: TypesOptions, servers: string[]) => types(servers, options),
});

async function types(servers: readonly string[], options: TypesOptions): Promise<number> {
  const session = await openSession(options);
  try {
    const { text, toolCount, missing } = await session.app.declareTools(servers);
    for (const { server, reason } of missing) tell(`${red("missing")} ${server}: ${reason}`);
    const exitCode = exitCodeOf(missing);
    if (options.out === undefined) {
      if (options.json === true) printJson({ declarations: text, toolCount, missing });
      else write(text);
      return exitCode;
    }
    if (options.dryRun === true) {
      beginDryRun();
      return endDryRun(done(options, toolCount, missing, exitCode));
    }
    return (await writeOut(options.out, text)) ? done(options, toolCount, missing, exitCode) : EXIT.failed;
  } finally {
    await session.close();
  }
}

function exitCodeOf(missing: readonly { readonly isUnknown?: true }[]): number {
  if (missing.some(({ isUnknown }) => isUnknown)) return EXIT.notFound;
  return missing.length > 0 ? EXIT.unreachable : EXIT.ok;
}

async function writeOut(file: string, text: string): Promise<boolean> {
  try {
    await writeFile(file, text);
    return true;
  } catch (error) {
    failWith(EXIT.failed, `Cannot write the file: ${messageOf(error)}`);
    return false;
  }
}

function done(
  options: TypesOptions,
  toolCount: number,
  missing: readonly unknown[],
  exitCode: number,
): number {
  if (options.json === true) printJson({ file: options.out, toolCount, missing });
  else note(`${options.out}: ${toolCount} tools`);
  return exitCode;
}
