import { contextOf, toolOf, type FixtureSource } from "../../test/fixtures/tool-source.ts";
import type { JsonObject } from "../core/json.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { ToolAnswer } from "../core/tool.ts";
import { createRedactor } from "../text/redaction.ts";
import type { Gateway } from "./gateway.ts";
import { describeGateway, type GatewayFixture } from "./gateway.testsuite.ts";
import { maskGateway } from "./masked-gateway.ts";
import { openProfileRig, type ProfileRig } from "./profiles/profile.testkit.ts";
import { createTransparentGateway } from "./profiles/transparent-gateway.ts";

const EXPOSED = {
  list: "notes__list",
  wait: "notes__wait",
  uri: "repertoire://server/notes/data://one",
  prompt: "notes__ask",
};
const OWN = { list: "list", wait: "wait", uri: "data://one", prompt: "ask" };

/** One server, with a tool that waits until its call is cancelled. */
async function openOneServer(): Promise<{ rig: ProfileRig } & Pick<GatewayFixture, "addTool" | "waiting">> {
  const rig = await openProfileRig();
  const { notes, registry } = rig;
  const waiting = Promise.withResolvers<void>();
  const call = notes.call.bind(notes);
  Object.assign(notes, {
    call: (...given: Parameters<FixtureSource["call"]>) => {
      if (given[0] !== "wait") return call(...given);
      waiting.resolve();
      return untilAborted(given[2].signal);
    },
  });
  const setTools = async (names: readonly string[]): Promise<void> => {
    notes.tools = names.map((name) => toolOf(name));
    notes.announce();
    await registry.refresh("notes", contextOf());
  };
  await registry.remove("files");
  await setTools(["list", "wait"]);
  return { rig, waiting: waiting.promise, addTool: () => setTools(["list", "wait", "more"]) };
}

function untilAborted(signal: AbortSignal): Promise<ToolResult<ToolAnswer>> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(fail("CANCELLED", "The call was cancelled.")));
  });
}

function openOver(make: (rig: ProfileRig) => Gateway) {
  return async (): Promise<GatewayFixture> => {
    const { rig, ...rest } = await openOneServer();
    return { ...EXPOSED, ...rest, gateway: make(rig) };
  };
}

/**
 * Answers requests as a server does: its lists one entry to a page, calls as the source does, all else with what was
 * asked.
 */
function answerRequests(source: FixtureSource): void {
  const lists: Record<string, () => JsonObject> = {
    "tools/list": () => ({ tools: source.tools as never }),
    "resources/list": () => ({ resources: [{ uri: OWN.uri, name: "one" }] }),
    "resources/templates/list": () => ({ resourceTemplates: [] }),
    "prompts/list": () => ({ prompts: [{ name: OWN.prompt }] }),
  };
  Object.assign(source, {
    async request(...[method, params, context]: Parameters<NonNullable<FixtureSource["request"]>>) {
      const list = lists[method]?.();
      if (list !== undefined) return pageOf(list, params["cursor"]);
      if (method === "tools/call") return callSource(source, params, context);
      const named = params["uri"] ?? params["name"];
      return named === OWN.uri || named === OWN.prompt
        ? succeed({ method, params })
        : fail("TOOL_NOT_FOUND", "There is no such thing.");
    },
    describe: async () => succeed({ serverInfo: { name: "notes" }, capabilities: { tools: {} } }),
  });
}

function pageOf(list: JsonObject, cursor: unknown): ToolResult<JsonObject> {
  const [key, entries] = Object.entries(list)[0] as [string, JsonObject[]];
  const at = cursor === undefined ? 0 : Number(cursor);
  if (!(at >= 0 && (at < entries.length || cursor === undefined)))
    return fail("TOOL_INVALID_INPUT", "Unknown cursor.");
  const hasMore = at + 1 < entries.length;
  return succeed({ [key]: entries.slice(at, at + 1), ...(hasMore && { nextCursor: String(at + 1) }) });
}

async function callSource(
  source: FixtureSource,
  { name, arguments: args }: JsonObject,
  context: Parameters<FixtureSource["call"]>[2],
): Promise<ToolResult<JsonObject>> {
  if (!source.tools.some((tool) => tool.name === name))
    return fail("TOOL_NOT_FOUND", "There is no such tool.");
  return (await source.call(name as string, args as JsonObject, context)) as ToolResult<JsonObject>;
}

describeGateway(
  "the whole gateway",
  openOver(({ core }) => core),
);

describeGateway(
  "a masked gateway",
  openOver(({ core }) => maskGateway(core, () => createRedactor(["hunter2-hunter2"]))),
);

describeGateway(
  "the gateway of a profile",
  openOver((rig) => rig.profile({ servers: ["notes"] }).gateway),
);

describeGateway("a transparent gateway", async () => {
  const { rig, ...rest } = await openOneServer();
  answerRequests(rig.notes);
  const gateway = createTransparentGateway({ ...rig.deps, profile: "front", server: "notes" });
  return { ...OWN, ...rest, gateway };
});
