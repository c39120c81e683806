/** What a profile lists: the tools, resources and prompts that it shows, made once for as long as nothing in them changes. */
import { hashText, type JsonObject } from "../../core/json.ts";
import type { CallContext, ListKind } from "../../core/tool.ts";
import type { Catalogue } from "../../registry/catalogue.ts";
import type { Exposed } from "../../registry/listing.ts";
import type { Gateway, GatewayDeps } from "../gateway.ts";
import { LIBRARY_TEMPLATE } from "../library-resources.ts";
import type { MetaTool } from "../meta-tools/meta-tool.ts";
import type { ProfileView } from "./profile-view.ts";
import { RUN_TEMPLATES } from "../run-resources.ts";
import { createToolListReader, LIST_WAIT_MS, remember, type ToolListReader } from "../tool-list.ts";

type Offers = Awaited<ReturnType<Gateway["listOffers"]>>;

export interface ProfileLists {
  readonly view: ProfileView;
  readonly tools: ToolListReader;
  /** The servers that it shows. */
  servers(): readonly string[];
  offers(context: CallContext): Promise<Offers>;
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

  // Which runs there are is not for a profile to list; one whose id is known can be read.
  const offersOf = (known: Catalogue): Offers => ({
    resources: resources(known.resources),
    resourceTemplates: [LIBRARY_TEMPLATE, ...RUN_TEMPLATES, ...templates(known.resourceTemplates)],
    prompts: prompts(known.prompts),
  });

  return {
    view,
    tools,
    servers,
    async offers(context) {
      if (exposure() !== "full") return offersOf(registry.catalogue());
      return offersOf(await registry.discover({ waitMs: LIST_WAIT_MS, servers: servers() }, context));
    },
    version(kind) {
      if (kind === "tools") return tools.current().version();
      const known = registry.catalogue();
      if (kind === "prompts") return hashes.prompts(prompts(known.prompts));
      return `${hashes.resources(resources(known.resources))} ${hashes.templates(templates(known.resourceTemplates))}`;
    },
  };
}
