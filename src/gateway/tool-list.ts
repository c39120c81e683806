/**
 * What `tools/list` answers: the meta-tools, what was kept, and the tools of servers where the exposure says so. A real list has hundreds of KB, and
 * every client asks for it at every start, so the list and its bytes are made once and again only when something in it has
 * changed.
 */
import { hashText } from "../core/json.ts";
import { CAPABILITIES_ID } from "../core/names.ts";
import type { Component, CallContext, ToolDefinition, ToolView } from "../core/tool.ts";
import type { Registry } from "../registry/registry.ts";
import { createExposureChoice, type Exposure, type ToolTokens } from "./exposure.ts";
import type { IdleServers, MetaTool } from "./meta-tools/meta-tool.ts";
import { present } from "./profiles/profile-view.ts";

/** A full list waits so long for servers that were never listed; late ones follow by `list_changed`. */
export const LIST_WAIT_MS = 3_000;
/** `auto` waits less: it may come to a list without them, and many clients ask as soon as they start. */
const AUTO_WAIT_MS = 1_000;

interface ToolList {
  readonly tools: readonly ToolDefinition[];
  /** The tools as JSON in UTF-8. */
  bytes(): Buffer;
  /** Equal for equal lists, however often they were made. */
  version(): string;
}

export interface ToolListDeps {
  readonly registry: Registry;
  readonly metaTools: readonly MetaTool[];
  /** Those that the profile shows, where there is one. */
  readonly servers: () => readonly string[];
  /** Those that cannot be used; a profile says nothing of them. */
  readonly idle?: () => IdleServers;
  readonly exposure: () => Exposure;
  /** Has the registry read the library again where it has changed. */
  readonly freshenLibrary: () => Promise<void>;
  /** Whether a capability is among those that clients are shown. */
  readonly isListed: (tool: string) => boolean;
  /** What of it a profile shows, and how; without one, all as it is. */
  readonly view?: ToolView;
  /** What tools cost; without it, `auto` goes by an estimate. */
  readonly toolTokens?: ToolTokens;
  /** Is told when counts have changed what `auto` shows. */
  readonly turned?: () => void;
}

export interface ToolListReader {
  /** What is known now. */
  current(): ToolList;
  read(context: CallContext): Promise<ToolList>;
}

export function createToolListReader(deps: ToolListDeps): ToolListReader {
  const { registry, view } = deps;
  const isShown = ({ name }: { readonly name: string }): boolean => view === undefined || view.allows(name);
  const exposed = ({ name, definition }: Component): ToolDefinition =>
    view === undefined ? { ...definition, name } : present(view, name, definition);
  const kept = remember((components: readonly Component[]) =>
    components
      .filter(({ source, name }) => source === CAPABILITIES_ID && deps.isListed(name))
      .filter(isShown)
      .map(exposed),
  );
  const upstream = remember((components: readonly Component[]) =>
    components
      .filter(({ source }) => source !== CAPABILITIES_ID)
      .filter(isShown)
      .map(exposed),
  );
  const all = remember((components: readonly Component[]) => [...kept(components), ...upstream(components)]);
  const auto = createExposureChoice(deps.toolTokens, deps.turned);
  /** By the ids as JSON, which are equal where they are the same. */
  const own = remember((ids: string) => {
    const [servers, idle] = JSON.parse(ids) as [readonly string[], IdleServers | null];
    return deps.metaTools.filter(isShown).map((tool) => {
      const definition = tool.define(servers, idle ?? undefined);
      return exposed({ name: tool.name, source: "", definition });
    });
  });
  const whole = remember((ownTools: readonly ToolDefinition[]) =>
    remember((others: readonly ToolDefinition[]) => listOf([...ownTools, ...others])),
  );
  function listOfComponents(components: readonly Component[]): ToolList {
    const mode = deps.exposure();
    const isLean = mode === "lean" || (mode === "auto" && auto.choose(upstream(components)) === "lean");
    return whole(own(JSON.stringify([deps.servers(), deps.idle?.() ?? null])))(
      isLean ? kept(components) : all(components),
    );
  }

  const current = () => listOfComponents(registry.catalogue().components);
  return {
    current,
    async read(context) {
      await deps.freshenLibrary();
      if (deps.exposure() === "auto") {
        await askUnknown(context);
        await auto.settle(upstream(registry.catalogue().components));
      }
      if (deps.exposure() !== "full") return current();
      const asked = view === undefined ? {} : { servers: deps.servers() };
      const waitMs = context.startWaitMs ?? LIST_WAIT_MS;
      return listOfComponents((await registry.discover({ waitMs, ...asked }, context)).components);
    },
  };

  /**
   * Servers of which nothing is known are asked once: a client that does not hear `list_changed` would never see their tools. What is
   * known from an earlier process starts nothing.
   */
  async function askUnknown(context: CallContext): Promise<void> {
    const shown = deps.servers();
    const servers = registry.catalogue().pending.filter((id) => shown.includes(id));
    if (servers.length === 0) return;
    await registry.discover({ waitMs: context.startWaitMs ?? AUTO_WAIT_MS, servers }, context);
  }
}

function listOf(tools: readonly ToolDefinition[]): ToolList {
  let made: Buffer | undefined;
  let hash: string | undefined;
  const bytes = () => (made ??= Buffer.from(JSON.stringify(tools)));
  return { tools, bytes, version: () => (hash ??= hashText(bytes().toString("latin1"))) };
}

/** The last answer is given again for the same question: one that is the same value, or the very same object. */
export function remember<Question, Answer>(
  make: (question: Question) => Answer,
): (question: Question) => Answer {
  let last: { question: Question; answer: Answer } | undefined;
  return (question) => {
    if (last === undefined || last.question !== question) last = { question, answer: make(question) };
    return last.answer;
  };
}
