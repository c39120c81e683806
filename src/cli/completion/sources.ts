/** What has a name on this machine, for completions. Nothing is started and nothing is written. */
import { readdirSync } from "node:fs";
import { useTokens } from "../store-call.ts";
import { CLIENT_IDS, CLIENT_TITLES } from "../../clients/client.ts";
import { loadConfig } from "../../config/load.ts";
import { META_TOOL_NAMES } from "../../core/meta-tool-names.ts";
import { callablesIn, nodesOf, type Callable } from "../../operator/tools/callables.ts";
import { parametersOf, typesOf } from "../../operator/tools/parameters.ts";
import type { RunView } from "../commands/runs/run-view.ts";
import { openSessionSoon, type Session } from "../session.ts";
import type { GlobalOptions } from "../global-options.ts";

export interface Candidate {
  readonly value: string;
  readonly about?: string;
}

type Source = () => Promise<Candidate[]>;

export interface CompletionSources {
  readonly servers: Source;
  readonly tools: Source;
  readonly nodes: Source;
  readonly kept: Source;
  readonly runs: Source;
  readonly drafts: Source;
  readonly inputs: Source;
  readonly tokens: Source;
  readonly clients: Source;
  /** `key=` of the tool's parameters that were not given yet, and the values that a parameter can have. */
  parameters(tool: string, given: readonly string[], current: string): Promise<Candidate[]>;
  close(): Promise<void>;
}

/** More are not looked through. */
const RUNS_MAX = 30;
/** A person has pressed a key and waits. */
const STORE_WAIT_MS = 500;

export async function openSources(options: GlobalOptions, hasStore: boolean): Promise<CompletionSources> {
  let session: Session | undefined;
  /** Without a database there is nothing to know but the config. */
  const open = async (): Promise<Session | undefined> =>
    hasStore ? (session ??= await openSessionSoon(options, STORE_WAIT_MS)) : undefined;
  const load = () => loadConfig({ configPath: options.config, home: options.home });
  const callables = async (): Promise<Callable[]> => {
    const opened = await open();
    if (opened === undefined) return [];
    return callablesIn(await opened.app.knownTools());
  };
  return {
    async servers() {
      const loaded = load();
      return loaded.ok ? loaded.config.servers.map(({ id }) => ({ value: id, about: "server" })) : [];
    },
    async tools() {
      const known = (await callables()).map(({ written, definition }) => ({
        value: written,
        about: definition.description ?? "",
      }));
      return [...known, ...META_TOOL_NAMES.map((value) => ({ value, about: "meta-tool" }))];
    },
    async nodes() {
      const opened = await open();
      return opened === undefined
        ? []
        : nodesOf(opened.app).map(({ name }) => ({ value: name, about: "built-in node" }));
    },
    async kept() {
      const known = (await callables()).filter(({ kind }) => kind === "kept");
      return known.map(({ written, definition }) => ({
        value: written,
        about: definition.description ?? "",
      }));
    },
    async runs() {
      const opened = await open();
      const runs =
        opened === undefined ? [] : ((await opened.app.traces.list(RUNS_MAX)) as unknown as RunView[]);
      const listed = runs.map(({ run_id: value, status, intent, started_at: at }) => ({
        value,
        about: `${status} ${at} ${intent ?? ""}`,
      }));
      return [{ value: "last", about: "the newest" }, ...listed];
    },
    async drafts() {
      const loaded = load();
      if (!loaded.ok) return [];
      if (loaded.config.store.url !== undefined) {
        const names = (await (await open())?.app.drafts.names()) ?? [];
        return names.map((value) => ({ value, about: "draft" }));
      }
      const names = readdirSync(loaded.config.draftsFolder).filter((name) => /\.(ts|json)$/.test(name));
      return names.map((name) => ({ value: name.replace(/\.(ts|json)$/, ""), about: "draft" }));
    },
    async inputs() {
      const loaded = load();
      const inputs = loaded.ok ? loaded.config.inputs : (loaded.inputs ?? []);
      return inputs.map(({ id, description }) => ({ value: id, about: description ?? "" }));
    },
    async tokens() {
      if (!hasStore) return [];
      const entries = await useTokens(options, (tokens) => tokens.list());
      return entries.map(({ name }) => ({ value: name }));
    },
    async clients() {
      return CLIENT_IDS.map((id) => ({ value: id, about: CLIENT_TITLES[id] }));
    },
    async parameters(tool, given, current) {
      const name = tool.replace(/^mcp\./, "");
      const all = await callables();
      const exact = all.find((one) => one.written === name || one.name === name);
      const bare = all.filter((one) => one.bare === name);
      const found = exact ?? (bare.length === 1 ? bare[0] : undefined);
      return found === undefined ? [] : parameterWords(found, given, current);
    },
    async close() {
      await session?.close();
    },
  };
}

function parameterWords({ definition }: Callable, given: readonly string[], current: string): Candidate[] {
  const parameters = parametersOf(definition.inputSchema);
  const at = current.indexOf("=");
  const named = parameters.find(({ name }) => at > 0 && name === current.slice(0, at));
  if (named !== undefined) {
    return valuesOf(named.schema).map((value) => ({ value: `${named.name}=${value}` }));
  }
  const isGiven = (name: string) =>
    given.some((word) => word.startsWith(`${name}=`) || word.startsWith(`${name}:=`));
  return parameters
    .filter(({ name }) => !isGiven(name))
    .map(({ name, type, required, description }) => ({
      value: `${name}=`,
      about: `${required ? "" : "optional "}${type} ${description}`,
    }));
}

function valuesOf(schema: Readonly<Record<string, unknown>>): string[] {
  const listed = Array.isArray(schema["enum"]) ? (schema["enum"] as unknown[]) : [];
  const texts = listed.map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  return texts.length === 0 && typesOf(schema).has("boolean") ? ["true", "false"] : texts;
}
