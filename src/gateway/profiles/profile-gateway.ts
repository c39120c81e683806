/**
 * The gateway as a profile shows it. It has nothing of its own behind it: calls go to the one gateway with the view
 * in their context, and travel with it to whatever they start; here are only the lists, the names, and what has no
 * context to carry it.
 *
 * The view is asked for with each request, so a changed config counts from the next one on. A profile that is gone
 * shows nothing.
 */
import { randomUUID } from "node:crypto";
import type { ToolError } from "../../core/errors.ts";
import { META_TOOL_NAMES } from "../../core/meta-tool-names.ts";
import { parseReference, parseToolName, toolNameOf } from "../../core/names.ts";
import { fail, succeed } from "../../core/result.ts";
import type { CallContext, ListKind } from "../../core/tool.ts";
import { meantTools, nearestShown } from "../../text/tool-spelling.ts";
import { errorAnswer, unexpected, withTrace } from "../answer.ts";
import { findAppTool } from "../apps.ts";
import type { Gateway, ListMethod } from "../gateway.ts";
import { viewLibrary } from "../meta-tools/library-view.ts";
import { createMetaTools } from "../meta-tools/meta-tools.ts";
import { createToolListReader, LIST_WAIT_MS, type ToolListReader } from "../tool-list.ts";
import { remember } from "../../timing/last-answer.ts";
import { quote } from "../../text/quote.ts";
import { hashText, type JsonObject } from "../../core/json.ts";
import type { Catalogue } from "../../registry/catalogue.ts";
import type { Exposed } from "../../registry/listing.ts";
import type { GatewayDeps } from "../gateway-deps.ts";
import { LIBRARY_TEMPLATE } from "../library-resources.ts";
import type { MetaTool } from "../meta-tools/meta-tool.ts";
import { RUN_TEMPLATES } from "../run-resources.ts";
import { forwardInProfile, type ProfiledDeps } from "./profile-forwarding.ts";
import type { ProfileView } from "./profile-view.ts";

export interface ProfileGatewayDeps {
  /** The one gateway that answers. */
  readonly core: Gateway;
  /** What the core was made of. */
  readonly deps: ProfiledDeps;
  /** The profile as it is now; the same object for as long as it is the same. */
  readonly view: () => ProfileView;
}

const LIST_KINDS: readonly ListKind[] = ["tools", "resources", "prompts"];

export function createProfileGateway({ core, deps, view: currentView }: ProfileGatewayDeps): Gateway {
  const { registry } = deps;
  const metaTools = createMetaTools(deps).all;
  const turns = new Set<() => void>();
  const turned = () => turns.forEach((compare) => compare());
  const listsFor = remember((view: ProfileView) => createProfileLists(deps, metaTools, view, turned));
  const lists = () => listsFor(currentView());
  const contextOf = (partial: Partial<CallContext> = {}): CallContext => ({
    traceId: randomUUID(),
    signal: new AbortController().signal,
    ...partial,
    view: currentView(),
  });

  /**
   * The exposed name of what is called. A capability has aliases, and is looked up as the profile shows the library.
   */
  async function toolFor(called: string, view: ProfileView): Promise<string | undefined> {
    const isOldName = view.nameOf(called) !== called;
    const tool = view.exposedName(called) ?? (isOldName ? "" : called);
    const isCapability = parseToolName(tool).kind === "capability";
    if (!isCapability && view.exposedName(called) !== undefined) return view.exposedName(called);
    const reference = parseReference(tool);
    if (!reference.success) return undefined;
    await deps.freshenLibrary();
    const found = await viewLibrary(deps.library, view).find(reference.data);
    if (found === undefined) return undefined;
    const name = toolNameOf(found);
    // What the profile calls by another name is called by that one alone.
    if (!isCapability && view.nameOf(name) !== name) return undefined;
    const isVersion = reference.data.kind === "fqdn" || reference.data.version !== undefined;
    return isVersion ? called : name;
  }

  function unknownTool(called: string, view: ProfileView): { success: false; error: ToolError } {
    const name = view.nameOf(called);
    if (name !== called && view.allows(called)) {
      const message = `The tool ${JSON.stringify(called)} is called ${JSON.stringify(name)} here.`;
      return fail("TOOL_NOT_FOUND", message, { reason: "not_granted", nearest: [name] });
    }
    const known = [...META_TOOL_NAMES, ...registry.catalogue().components.map((item) => item.name)];
    const shown = known.filter((tool) => view.allows(tool));
    const near = nearestShown(called, shown, (tool) => view.nameOf(tool));
    const what = `There is no tool ${quote(called)}.${meantTools(called, near)}`;
    return fail("TOOL_NOT_FOUND", what, { reason: "not_granted", nearest: near });
  }

  const refuse = (called: string, view: ProfileView, context: CallContext) => {
    const refused = unknownTool(called, view);
    return withTrace(errorAnswer(refused.error, true), context);
  };

  return {
    async describe(context) {
      const view = currentView();
      const described = await core.describe({ ...context, view });
      if (!described.success) return described;
      const { instructions, ...rest } = described.data;
      // What it says to use is not all here.
      const isWhole = META_TOOL_NAMES.every((name) => view.allows(name));
      return succeed({ ...rest, ...(isWhole && instructions !== undefined && { instructions }) });
    },
    async list(method, { cursor }, partial) {
      if (cursor !== undefined) return fail("TOOL_INVALID_INPUT", "Unknown cursor: the list has one page.");
      const context = contextOf(partial);
      if (method === "tools/list") return succeed(await lists().tools.read(context));
      return succeed({ page: await lists().offer(method, context) });
    },
    find(called) {
      const view = currentView();
      const tool = view.exposedName(called);
      const found = tool === undefined ? undefined : core.find(tool);
      return found && { ...found, call: (args, context) => found.call(args, { ...context, view }) };
    },
    async callTool(called, args, partial) {
      const context = contextOf(partial);
      const view = currentView();
      // The core knows what an App means by its server's own name, and looks at the view for it.
      const isOfApp =
        view.exposedName(called) === undefined && findAppTool(registry.tools(), called, view) !== undefined;
      const tool = isOfApp ? called : await toolFor(called, view);
      return tool === undefined ? refuse(called, view, context) : core.callTool(tool, args, context);
    },
    forward: (method, params, context) =>
      forwardInProfile({ core, deps, view: currentView() }, method, params, context).catch((error: unknown) =>
        unexpected(error, method, context, deps.log),
      ),
    watch(listener) {
      const versions = () => LIST_KINDS.map((kind) => lists().version(kind));
      let told = versions();
      const compare = (): void => {
        const now = versions();
        const before = told;
        told = now;
        LIST_KINDS.forEach((kind, at) => now[at] !== before[at] && listener(kind));
      };
      turns.add(compare);
      const below = core.watch(compare);
      return {
        toolsVersion: () => lists().version("tools"),
        stop() {
          turns.delete(compare);
          below.stop();
        },
      };
    },
  };
}

/**
 * What a profile lists: the tools, resources and prompts that it shows, made once for as long as nothing in them
 * changes.
 */
interface ProfileLists {
  readonly view: ProfileView;
  readonly tools: ToolListReader;
  /** Resources, templates or prompts. */
  offer(method: Exclude<ListMethod, "tools/list">, context: CallContext): Promise<JsonObject>;
  /** Equal for as long as a list is, as far as it is known. */
  version(kind: ListKind): string;
}

function createProfileLists(
  deps: GatewayDeps,
  metaTools: readonly MetaTool[],
  view: ProfileView,
  turned?: () => void,
): ProfileLists {
  const { registry } = deps;
  const servers = () => deps.servers().filter((id) => view.allowsServer(id));
  const exposure = () => view.exposure ?? deps.exposure();
  const tools = createToolListReader({
    ...deps,
    metaTools,
    servers,
    exposure,
    view,
    ...(turned && { turned }),
  });
  const shown = () =>
    remember((entries: readonly Exposed[]) =>
      entries.filter(({ source }) => view.allowsServer(source)).map(({ definition }) => definition),
    );
  const [resources, templates, prompts] = [shown(), shown(), shown()];
  const hashOf = () =>
    remember((definitions: readonly JsonObject[]) => hashText(JSON.stringify(definitions)));
  const hashes = { resources: hashOf(), templates: hashOf(), prompts: hashOf() };

  function offerOf(method: Exclude<ListMethod, "tools/list">, known: Catalogue): JsonObject {
    // Which runs there are is not for a profile to list; one whose id is known can be read.
    if (method === "resources/list") return { resources: resources(known.resources) };
    if (method === "prompts/list") return { prompts: prompts(known.prompts) };
    const shownTemplates = templates(known.resourceTemplates);
    return { resourceTemplates: [LIBRARY_TEMPLATE, ...RUN_TEMPLATES, ...shownTemplates] };
  }

  return {
    view,
    tools,
    async offer(method, context) {
      if (exposure() !== "full") return offerOf(method, registry.catalogue());
      return offerOf(method, await registry.discover({ waitMs: LIST_WAIT_MS, servers: servers() }, context));
    },
    version(kind) {
      if (kind === "tools") return tools.current().version;
      const known = registry.catalogue();
      if (kind === "prompts") return hashes.prompts(prompts(known.prompts));
      return `${hashes.resources(resources(known.resources))} ${hashes.templates(templates(known.resourceTemplates))}`;
    },
  };
}
