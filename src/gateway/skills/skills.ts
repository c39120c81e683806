/** What the gateway answers about skills: those of the library and those of servers, as one list. */
import type { JsonObject } from "../../core/json.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { CallContext } from "../../core/tool.ts";
import { quote } from "../../text/quote.ts";
import type { GatewayDeps } from "../gateway-deps.ts";
import { LIST_WAIT_MS } from "../tool-list.ts";
import { childrenOf, type ListedFile } from "./directory.ts";
import { createLibrarySkills, entryOf, isLibrarySkillUri } from "./library-skills.ts";
import { pageOf } from "./listed-page.ts";
import { createServerSkills, type ReadResource } from "./server-skills.ts";
import { noSkill, NOT_KEPT, type SkillMethod } from "./skill.ts";

export type SkillDeps = Pick<GatewayDeps, "registry" | "library" | "redactors" | "exposure" | "servers">;

export interface Skills {
  answer(method: SkillMethod, params: JsonObject, context: CallContext): Promise<ToolResult<JsonObject>>;
  /** A `SKILL.md` of the library. */
  readOwn(uri: string, context: CallContext): Promise<ToolResult<JsonObject>>;
  /** A resource of a server, which may be a file of a skill. */
  readServers(uri: string, context: CallContext, read: ReadResource): Promise<ToolResult<JsonObject>>;
}

export function createSkills(deps: SkillDeps): Skills {
  const { registry } = deps;
  const own = createLibrarySkills(deps);
  const theirs = createServerSkills(registry);

  /** Clients ask for these as soon as they connect; only where everything is to be shown does that start servers. */
  async function known(context: CallContext) {
    const { view } = context;
    const shows = (id: string) => view?.allowsServer(id) !== false;
    const servers = deps.servers().filter(shows);
    const catalogue =
      deps.exposure() === "full"
        ? await registry.discover({ waitMs: LIST_WAIT_MS, servers }, context)
        : registry.catalogue();
    const pending = catalogue.pending.filter(shows);
    return { skills: theirs.shown(catalogue, view), pending };
  }

  async function list({ cursor }: JsonObject, context: CallContext): Promise<ToolResult<JsonObject>> {
    const { skills, pending } = await known(context);
    const byUri = new Map(skills.map(({ name, definition }) => [name, definition]));
    const page = pageOf([...(await own.uris(context.view)), ...byUri.keys()], cursor);
    if (!page.success) return page;
    const { uris, nextCursor } = page.data;
    const entries: JsonObject[] = [];
    for (const uri of uris) {
      const entry = byUri.get(uri) ?? (await ownEntry(uri, context));
      if (entry !== undefined) entries.push(entry);
    }
    return succeed({
      skills: entries,
      ...(nextCursor !== undefined && { nextCursor }),
      ...(pending.length > 0 && { _meta: { [PENDING_KEY]: pending } }),
    });
  }

  async function ownEntry(uri: string, { view }: CallContext): Promise<JsonObject | undefined> {
    const skill = await own.find(uri, view);
    return skill && entryOf(skill);
  }

  async function get({ uri }: JsonObject, context: CallContext): Promise<ToolResult<JsonObject>> {
    if (typeof uri !== "string") return noSkill(uri);
    const skill = isLibrarySkillUri(uri) ? await ownEntry(uri, context) : undefined;
    const found = skill === undefined ? await theirs.get(uri, context) : succeed(skill);
    return found.success ? succeed({ skill: found.data }) : found;
  }

  async function files(context: CallContext, folder: string): Promise<ListedFile[]> {
    const { skills } = await known(context);
    const listed = skills.flatMap(({ definition: { resources } }) =>
      Array.isArray(resources) ? (resources as unknown as ListedFile[]) : [],
    );
    const below = (await own.uris(context.view)).filter((uri) => uri.startsWith(`${folder}/`));
    const ours = await Promise.all(below.map((uri) => own.find(uri, context.view)));
    return [...listed, ...ours.filter((skill) => skill !== undefined)];
  }

  async function readFolder({ uri, cursor }: JsonObject, context: CallContext) {
    const folder = typeof uri === "string" ? uri : "";
    const children = childrenOf(folder, await files(context, folder));
    if (folder === "" || children.size === 0) return noFolder(folder);
    const page = pageOf([...children.keys()], cursor);
    if (!page.success) return page;
    const { uris, nextCursor } = page.data;
    return succeed({
      resources: uris.map((child) => children.get(child)!),
      ...(nextCursor !== undefined && { nextCursor }),
    });
  }

  const METHODS: Readonly<Record<SkillMethod, typeof list>> = {
    "skills/list": list,
    "skills/get": get,
    "resources/directory/read": readFolder,
  };

  return {
    async answer(method, params, context) {
      const answer = await METHODS[method](params, context);
      if (!answer.success) return answer;
      const kept = method === "resources/directory/read" ? {} : NOT_KEPT;
      return succeed({ ...typeOf(context), ...answer.data, ...kept });
    },
    async readOwn(uri, { view }) {
      const skill = await own.find(uri, view);
      if (skill === undefined) return noSkill(uri);
      return succeed({ contents: [{ uri, mimeType: "text/markdown", text: skill.text }] });
    },
    readServers: (uri, context, read) => theirs.read(uri, context, read),
  };
}

/** Servers of which nothing is known yet: what they serve may be in a later answer. */
const PENDING_KEY = "repertoire/pending";

/** The SDK says so of its own methods alone. */
function typeOf({ modern }: CallContext): JsonObject {
  return modern === undefined ? {} : { resultType: "complete" };
}

function noFolder(uri: string): ToolResult<never> {
  return fail("TOOL_INVALID_INPUT", `${quote(uri, 200)} is no folder of a skill.`, {
    field: "uri",
    hint: "The folder of a skill is its URI without /SKILL.md; what is in it has its own URI.",
  });
}
