/** The skills of servers: their entries under URIs that lead back to them, and their files, verified. */
import { admitEntry } from "../../admission/admission.ts";
import type { JsonObject } from "../../core/json.ts";
import { succeed, type ToolResult } from "../../core/result.ts";
import type { CallContext, ToolView } from "../../core/tool.ts";
import type { Catalogue } from "../../registry/catalogue.ts";
import type { Exposed } from "../../registry/listing.ts";
import type { Registry } from "../../registry/registry.ts";
import { exposeUri } from "../../registry/exposed-uri.ts";
import { findSkillFile, SKILL_FILE } from "../../registry/skill-files.ts";
import { LIST_WAIT_MS } from "../tool-list.ts";
import { noSkill } from "./skill.ts";
import { refuseFile, verifyFile } from "./verify-file.ts";

type SkillRegistry = Pick<
  Registry,
  "catalogue" | "discover" | "findUri" | "hasRead" | "isHeldFile" | "request" | "servesSkills" | "takeSkill"
>;

export type ReadResource = (context: CallContext) => Promise<ToolResult<JsonObject>>;

export interface ServerSkills {
  /** What a caller may see of those that are known. */
  shown(known: Pick<Catalogue, "skills">, view: ToolView | undefined): readonly Exposed[];
  /** Asks the server that has it, whether it lists it or not. */
  get(uri: string, context: CallContext): Promise<ToolResult<JsonObject>>;
  /** Reads a resource; what is a file of a skill is passed on only as its entry describes it. */
  read(uri: string, context: CallContext, read: ReadResource): Promise<ToolResult<JsonObject>>;
}

export function createServerSkills(registry: SkillRegistry): ServerSkills {
  const entries = () => registry.catalogue().skills.map(({ definition }) => definition);

  /** With the URI by which all clients see it, whichever one this client asked by. */
  function routeOf(asked: string, view: ToolView | undefined) {
    const found = registry.findUri(asked, view);
    if (found?.success !== true || view?.allowsServer(found.data.source) === false) return undefined;
    return { ...found.data, exposed: exposeUri(found.data.source, found.data.uri) };
  }

  /** A server of which nothing is known cannot be judged. */
  async function readList(source: string, context: CallContext): Promise<void> {
    if (!registry.hasRead(source))
      await registry.discover({ waitMs: LIST_WAIT_MS, servers: [source] }, context);
  }

  async function get(uri: string, context: CallContext): Promise<ToolResult<JsonObject>> {
    const route = routeOf(uri, context.view);
    if (route === undefined) return noSkill(uri);
    await readList(route.source, context);
    const told = await registry.request(route.source, "skills/get", { uri: route.uri }, context);
    if (!told.success) return told;
    const verdict = admitEntry("skills", told.data["skill"]);
    if (verdict.kind === "refused")
      return refuseFile(uri, `its entry is not one of a skill: ${verdict.reason}`);
    if (verdict.entry["uri"] !== route.uri) return refuseFile(uri, "the server answered for another skill");
    if (!registry.takeSkill(route.source, verdict.entry)) return noSkill(uri);
    const known = entries().find((entry) => entry["uri"] === route.exposed);
    return known === undefined ? noSkill(uri) : succeed(known);
  }

  /** The file as it is known; a skill that its server does not list is asked for. */
  async function find(uri: string, source: string, context: CallContext) {
    await readList(source, context);
    const known = findSkillFile(entries(), uri);
    if (known !== undefined || !registry.servesSkills(source) || !uri.endsWith(SKILL_FILE)) return known;
    await get(uri, context);
    return findSkillFile(entries(), uri);
  }

  return {
    shown: ({ skills }, view) =>
      view === undefined ? skills : skills.filter(({ source }) => view.allowsServer(source)),
    get,
    async read(asked, context, read) {
      const route = routeOf(asked, context.view);
      if (route === undefined) return read(context);
      const { source, uri, exposed } = route;
      const file = await find(exposed, source, context);
      if (file === "unlisted") return refuseFile(asked, "the entry of its skill does not list it");
      if (file !== undefined) return verifyFile({ asked, exposed }, file, await read(context));
      const isOfSkill = uri.startsWith("skill://") && registry.servesSkills(source);
      // What is held is refused in its own words where it is asked for.
      return isOfSkill && !registry.isHeldFile(source, uri) ? noSkill(asked) : read(context);
    },
  };
}
