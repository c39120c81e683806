/**
 * What `tools/list` answers: the meta-tools, what was kept, and the tools of servers where the exposure says so. A
 * real list has hundreds of KB, and every client asks for it at every start, so the list and its bytes are made once
 * and again only when something in it has changed.
 */
import { randomUUID } from "node:crypto";
import { hashText, type JsonObject } from "../core/json.ts";
import { CAPABILITIES_ID } from "../core/names.ts";
import type { Component, CallContext, ToolDefinition, ToolView } from "../core/tool.ts";
import type { Registry } from "../registry/registry.ts";
import { within } from "../timing/deadline.ts";
import { remember } from "../timing/last-answer.ts";
import {
  createExposureChoice,
  type Exposure,
  type KnownTools,
  type Mode,
  type ToolTokens,
} from "./exposure.ts";
import type { ListPage } from "./gateway.ts";
import type { IdleServers, MetaTool } from "./meta-tools/meta-tool.ts";
import { present } from "./profiles/profile-view.ts";

/** A full list waits so long for servers that were never listed; late ones follow by `list_changed`. */
export const LIST_WAIT_MS = 3_000;
/** `auto` waits less: without them it is lean, and many clients ask as soon as they start. */
const AUTO_WAIT_MS = 1_000;

interface ToolList extends ListPage {
  readonly tools: readonly ToolDefinition[];
  /** Equal for equal lists, however often they were made. */
  readonly version: string;
  bytes(this: void): Buffer;
}

export interface ToolListDeps {
  readonly registry: Registry;
  readonly metaTools: readonly MetaTool[];
  /** Those that the profile shows, where there is one. */
  readonly servers: () => readonly string[];
  /** Those that cannot be used; a profile says nothing of them. */
  readonly idle?: () => IdleServers;
  readonly exposure: () => Exposure;
  /** A source whose tools are listed elsewhere. */
  readonly programId?: string | undefined;
  /** Changes with the config of the servers; without it, their names alone are looked at. */
  readonly serversMark?: () => string;
  /** Resolves when the servers of the config are registered: one that is replaced ends first. */
  readonly serversReady?: () => Promise<void>;
  /** Has the registry read the library again where it has changed. */
  readonly freshenLibrary: () => Promise<void>;
  /** Whether a capability is among those that clients are shown. */
  readonly isListed: (tool: string) => boolean;
  /** What of it a profile shows, and how; without one, all as it is. */
  readonly view?: ToolView;
  /** What tools cost; without it, `auto` goes by an estimate. */
  readonly toolTokens?: ToolTokens;
  /** Is told when a changed config has turned what `auto` shows. */
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
  const exposed = ({ name, source, definition }: Component): ToolDefinition => {
    const { answerSchema: _, ...listed } = registry.links.tool(source, definition);
    return view === undefined ? { ...listed, name } : present(view, name, listed);
  };
  const kept = remember((components: readonly Component[]) =>
    components
      .filter(({ source, name }) => source === CAPABILITIES_ID && deps.isListed(name))
      .filter(isShown)
      .map(exposed),
  );
  const upstream = remember((components: readonly Component[]) =>
    components
      .filter(({ source }) => source !== CAPABILITIES_ID && source !== deps.programId)
      .filter(isShown)
      .map(exposed),
  );
  const all = remember((components: readonly Component[]) => [...kept(components), ...upstream(components)]);
  const auto = createExposureChoice({
    basis: () => JSON.stringify([deps.exposure(), deps.servers(), deps.serversMark?.()]),
    tokens: deps.toolTokens,
    turned: deps.turned,
  });
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
  function listIn(mode: Mode, components: readonly Component[]): ToolList {
    const ids = JSON.stringify([deps.servers(), deps.idle?.() ?? null]);
    return whole(own(ids))(mode === "lean" ? kept(components) : all(components));
  }

  /**
   * What `auto` decides by. Servers of which nothing is known are asked: the decision is not made again when they answer
   * later. What is known from an earlier process starts nothing.
   */
  async function know(waitMs: number, context: CallContext): Promise<KnownTools> {
    const { unusable = [] } = deps.idle?.() ?? {};
    const servers = deps.servers().filter((id) => !unusable.includes(id));
    const unread = servers.filter((id) => !registry.hasRead(id));
    // It is for all who ask meanwhile, so it does not end with the first of them.
    const { signal } = new AbortController();
    if (unread.length > 0) {
      await within(deps.serversReady?.() ?? Promise.resolve(), waitMs);
      await registry.discover({ waitMs, servers: unread }, { ...context, signal });
    }
    const isWhole = servers.every((id) => registry.hasRead(id));
    return { tools: upstream(registry.catalogue().components), isWhole };
  }

  return {
    current() {
      const exposure = deps.exposure();
      const soon = () => know(AUTO_WAIT_MS, { traceId: randomUUID(), signal: new AbortController().signal });
      const mode = exposure === "auto" ? auto.current(soon) : exposure;
      return listIn(mode, registry.catalogue().components);
    },
    async read(context) {
      await deps.freshenLibrary();
      const exposure = deps.exposure();
      if (exposure === "full") await discoverAll(context);
      const waitMs = context.startWaitMs ?? AUTO_WAIT_MS;
      const mode = exposure === "auto" ? await auto.decide(() => know(waitMs, context)) : exposure;
      return listIn(mode, registry.catalogue().components);
    },
  };

  function discoverAll(context: CallContext): Promise<unknown> {
    const asked = view === undefined ? {} : { servers: deps.servers() };
    return registry.discover({ waitMs: context.startWaitMs ?? LIST_WAIT_MS, ...asked }, context);
  }
}

function listOf(tools: readonly ToolDefinition[]): ToolList {
  const page = { tools } as unknown as JsonObject;
  let made: Buffer | undefined;
  let hash: string | undefined;
  const bytes = () => (made ??= Buffer.from(JSON.stringify(page)));
  return {
    tools,
    page,
    bytes,
    get version() {
      return (hash ??= hashText(bytes().toString("latin1")));
    },
  };
}
