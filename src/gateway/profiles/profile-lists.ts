/**
 * What a profile lists: the tools, resources and prompts that it shows, made once for as long as nothing in them
 * changes.
 */
import { hashText, type JsonObject } from "../../core/json.ts";
import type { CallContext, ListKind } from "../../core/tool.ts";
import type { Catalogue } from "../../registry/catalogue.ts";
import type { Exposed } from "../../registry/listing.ts";
import type { GatewayDeps } from "../gateway-deps.ts";
import type { ListMethod } from "../gateway.ts";
import { LIBRARY_TEMPLATE } from "../library-resources.ts";
import type { MetaTool } from "../meta-tools/meta-tool.ts";
import type { ProfileView } from "./profile-view.ts";
import { RUN_TEMPLATES } from "../run-resources.ts";
import { createToolListReader, LIST_WAIT_MS, remember, type ToolListReader } from "../tool-list.ts";

export interface ProfileLists {
  readonly view: ProfileView;
  readonly tools: ToolListReader;
  /** Resources, templates or prompts. */
  offer(method: Exclude<ListMethod, "tools/list">, context: CallContext): Promise<JsonObject>;
  /** Equal for as long as a list is, as far as it is known. */
  version(kind: ListKind): string;
}

export function createProfileLists(
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
