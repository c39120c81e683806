/** Resources, prompts and completion in a profile: what it does not show is not there. */
import type { JsonObject } from "../../core/json.ts";
import { didYouMean, nearest } from "../../text/nearest.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { CallContext, ToolView } from "../../core/tool.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Gateway } from "../gateway.ts";
import type { GatewayDeps } from "../gateway-deps.ts";
import {
  completeLibrary,
  isLibraryReference,
  isLibraryUri,
  readLibraryResource,
} from "../library-resources.ts";
import { viewLibrary } from "../meta-tools/library-view.ts";
import type { ForwardedMethod } from "../forwarding.ts";
import { isRunUri, readRunResource } from "../run-resources.ts";
import { viewTraces, type FindReach } from "../meta-tools/run-view.ts";
import { checkNoState } from "../sealed-state.ts";
import { isLibrarySkillUri } from "../skills/library-skills.ts";
import { isSkillMethod } from "../skills/skill.ts";
import { isTaskMethod } from "../tasks/task.ts";
import { quote } from "../../text/quote.ts";

export interface ProfiledDeps extends GatewayDeps {
  /** What a run used; without it, no run is shown in a profile. */
  readonly findReach?: FindReach;
}

interface ForwardingDeps {
  readonly core: Gateway;
  readonly deps: ProfiledDeps;
  readonly view: ToolView;
}

export async function forwardInProfile(
  { core, deps, view }: ForwardingDeps,
  method: ForwardedMethod,
  params: JsonObject,
  context: CallContext,
): Promise<ToolResult<JsonObject>> {
  if (isTaskMethod(method) || isSkillMethod(method))
    return core.forward(method, params, { ...context, view });
  const { registry, traces, findReach } = deps;
  const library = viewLibrary(deps.library, view);
  const { uri, ref } = params;
  const isOwn = isLibraryUri(uri) || isRunUri(uri) || isLibraryReference(ref);
  const stateless = isOwn ? checkNoState(context) : succeed(undefined);
  if (!stateless.success) return stateless;
  if (method === "resources/read" && isLibraryUri(uri)) return readLibraryResource(library, uri);
  if (method === "resources/read" && isLibrarySkillUri(uri))
    return core.forward(method, params, { ...context, view });
  if (method === "resources/read" && isRunUri(uri))
    return readRunResource(viewTraces(traces, { ...context, view }, findReach), uri);
  if (method === "completion/complete" && isLibraryReference(ref)) return completeLibrary(library, params);
  const named = nameIn(method, params);
  const found = named.isPrompt ? undefined : registry.findUri(named.name, view);
  if (found?.success === false) return found;
  const source = named.isPrompt ? registry.resolvePrompt(named.name)?.source : found?.data.source;
  if (source !== undefined && view.allowsServer(source))
    return core.forward(method, params, { ...context, view });
  if (!named.isPrompt) return unknownResource(named.name);
  const held = await registry.refuseHeldPrompt(named.name, (id) => view.allowsServer(id));
  return held ?? unknownPrompt(registry, named.name, view);
}

/** The prompt or resource that a request is about. */
function nameIn(method: ForwardedMethod, params: JsonObject): { isPrompt: boolean; name: string } {
  if (method === "prompts/get") return { isPrompt: true, name: textOf(params["name"]) };
  if (method !== "completion/complete") return { isPrompt: false, name: textOf(params["uri"]) };
  const { type, name, uri } = (params["ref"] ?? {}) as JsonObject;
  return type === "ref/prompt"
    ? { isPrompt: true, name: textOf(name) }
    : { isPrompt: false, name: textOf(uri) };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function unknownPrompt(registry: Registry, name: string, view: ToolView): ToolResult<never> {
  const shown = registry.catalogue().prompts.filter(({ source }) => view.allowsServer(source));
  const near = nearest(
    name,
    shown.map((prompt) => prompt.name),
  );
  const message = `There is no prompt ${quote(name)}.${didYouMean(near)}`;
  return fail("TOOL_NOT_FOUND", message, { field: "name", nearest: near });
}

function unknownResource(uri: string): ToolResult<never> {
  return fail("TOOL_NOT_FOUND", `There is no resource ${quote(uri, 200)}.`, {
    field: "uri",
    hint: "resources/list and resources/templates/list say what there is.",
  });
}
