/**
 * The registries of tools and resources, as a program sees them: views of what is known at the moment of each question.
 * Nothing here starts or asks a server.
 *
 * Within the gateway a static tool is `<namespace>__<name>`, as code and workflows write it; here it has the name that the
 * program gave it.
 */
import type { App } from "../app/app.ts";
import type { ToolDefinition } from "../core/tool.ts";
import type { GatewayRegistry, RegisteredResource, RegisteredTool } from "./public-gateway.ts";
import type { StaticTools } from "./static-tools.ts";

type KnownRegistry = Pick<App["registry"], "catalogue" | "route">;
type KnownCatalogue = ReturnType<KnownRegistry["catalogue"]>;

export interface KnownEntries extends GatewayRegistry {
  /** Of the static tools, as the program gave them. */
  readonly definitions: readonly ToolDefinition[];
  /** What the tool is called within the gateway; any other name is itself. */
  exposedName(this: void, name: string): string;
  isStatic(this: void, name: string): boolean;
}

export function createKnownEntries(registry: KnownRegistry, statics: StaticTools): KnownEntries {
  const isOfProgram = (source: string): boolean => statics.tools.length > 0 && source === statics.namespace;
  const definitions = statics.tools.map(({ definition }) => definition);
  const given = new Map(definitions.map((definition) => [definition.name, definition]));
  // They are there from the start and never change.
  const exposed = new Map(
    registry
      .catalogue()
      .components.filter(({ source }) => isOfProgram(source))
      .map(({ name, definition }) => [definition.name, name]),
  );
  const exposedName = (name: string): string => exposed.get(name) ?? name;

  function toolOf(name: string, source: string, definition: ToolDefinition): RegisteredTool {
    const originalName = definition.name;
    if (isOfProgram(source))
      return { name: originalName, server: null, originalName, definition: given.get(originalName)! };
    return { name, server: source, originalName, definition: { ...definition, name } };
  }

  function getTool(name: string): RegisteredTool | undefined {
    const route = registry.route(exposedName(name));
    return route && toolOf(route.name, route.source.id, route.definition);
  }

  const listTools = (server?: string | null): RegisteredTool[] =>
    registry
      .catalogue()
      .components.map(({ name, source, definition }) => toolOf(name, source, definition))
      .filter((tool) => server === undefined || tool.server === server)
      .sort(byName);
  const listResources = (server?: string): RegisteredResource[] =>
    resourcesIn(registry.catalogue()).filter((one) => server === undefined || one.server === server);
  const getResource = (uri: string): RegisteredResource | undefined =>
    listResources().find((one) => one.uri === uri);

  return {
    definitions,
    exposedName,
    isStatic: (name) => isOfProgram(registry.route(exposedName(name))?.source.id ?? ""),
    tools: {
      get size() {
        return registry.catalogue().components.length;
      },
      has: (name) => registry.route(exposedName(name)) !== undefined,
      get: getTool,
      find: (server, originalName) => listTools(server).find((tool) => tool.originalName === originalName),
      list: listTools,
    },
    resources: {
      get size() {
        const { resources, resourceTemplates } = registry.catalogue();
        return resources.length + resourceTemplates.length;
      },
      has: (uri) => getResource(uri) !== undefined,
      get: getResource,
      find: (server, originalUri) => listResources(server).find((one) => one.originalUri === originalUri),
      list: listResources,
    },
  };
}

export function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}

function resourcesIn({ resources, resourceTemplates }: KnownCatalogue): RegisteredResource[] {
  return [
    ...resources.map((entry) => resourceOf(entry, false)),
    ...resourceTemplates.map((entry) => resourceOf(entry, true)),
  ];
}

function resourceOf(
  { name: uri, source: server, original: originalUri, definition }: KnownCatalogue["resources"][number],
  isTemplate: boolean,
): RegisteredResource {
  return { uri, isTemplate, server, originalUri, definition };
}
