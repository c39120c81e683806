/** A gateway with two servers in memory and something kept, and the same gateway as profiles show it. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/temporary.ts";
import { createFixtureSource, toolOf, type FixtureSource } from "../../../test/fixtures/tool-source.ts";
import type { JsonObject } from "../../core/json.ts";
import { succeed } from "../../core/result.ts";
import type { CapabilityDraft, Store } from "../../core/store.ts";
import { createRegistry, type Registry } from "../../registry/registry.ts";
import { openSqliteStore } from "../../store/sqlite/sqlite-store.ts";
import { createGateway } from "../whole-gateway.ts";
import type { Gateway } from "../gateway.ts";
import type { GatewayDeps } from "../gateway-deps.ts";
import { depsOf, sum } from "../gateway.testkit.ts";
import { createProfileGateway } from "./profile-gateway.ts";
import type { ProfiledDeps } from "./profile-forwarding.ts";
import { createProfileView, type ProfileRules } from "./profile-view.ts";
import { createReachFinder } from "../meta-tools/run-view.ts";

type Call = (name: string, args?: JsonObject) => Promise<Record<string, unknown>>;

export interface ProfileRig {
  readonly core: Gateway;
  /** What the core was made of. */
  readonly deps: ProfiledDeps;
  readonly call: Call;
  readonly store: Store;
  readonly registry: Registry;
  readonly draftsFolder: string;
  readonly notes: FixtureSource;
  readonly files: FixtureSource;
  /** Speaks as a server does unasked. */
  readonly say: (server: string, method: string, params: JsonObject) => void;
  profile(this: void, rules: ProfileRules): { readonly gateway: Gateway; readonly call: Call };
}

/** Notes has `list` and `drop`, with a prompt and a resource; files has `read`, with the same. */
function serverOf(id: string, tools: readonly string[]): FixtureSource {
  const source = createFixtureSource(
    id,
    tools.map((tool) => toolOf(tool, `${tool} of ${id}`)),
  );
  source.onList = async () =>
    succeed({
      tools: source.tools,
      prompts: [{ name: "ask" }],
      resources: [{ uri: "data://one", name: "one" }],
      resourceTemplates: [{ uriTemplate: "data://{id}", name: "any" }],
    });
  return Object.assign(source, {
    request: async (method: string, params: JsonObject) => succeed({ from: id, method, params }),
  });
}

/** Kept, and written against a tool that a profile may hide. */
const digest: CapabilityDraft = {
  ...sum,
  namespace: "report",
  action: "digest",
  description: "Reads a file.",
  source: "return await mcp.files.read();",
  inputSchema: { type: "object" },
  outputSchema: null,
  toolsUsed: [],
};

export async function openProfileRig(): Promise<ProfileRig> {
  const home = temporaryFolder();
  const draftsFolder = join(home, "drafts");
  mkdirSync(draftsFolder);
  const store = await openSqliteStore({ home });
  onTestFinished(() => store.close());
  const registry = createRegistry();
  onTestFinished(() => registry.close());
  const [notes, files] = [serverOf("notes", ["list", "drop"]), serverOf("files", ["read"])];
  for (const source of [notes, files]) registry.add(source);
  await store.capabilities.save(sum);
  await store.capabilities.save(digest);
  const said = new Set<Parameters<GatewayDeps["serverNotified"]>[0]>();
  const deps: ProfiledDeps = {
    ...depsOf({ store, registry, draftsFolder, servers: () => ["files", "notes"] }),
    exposure: () => "full",
    findReach: createReachFinder({ runs: store.runs, capabilities: store.capabilities }),
    serverNotified(listener) {
      said.add(listener);
      return () => said.delete(listener);
    },
  };
  const core = createGateway(deps);
  await core.callTool("browse_components", {});
  return {
    core,
    deps,
    call: callerOf(core),
    store,
    registry,
    draftsFolder,
    notes,
    files,
    say: (...notification) => said.forEach((listener) => listener(...notification)),
    profile(rules) {
      const view = createProfileView("p", rules, registry.tools);
      const gateway = createProfileGateway({ core, deps, view: () => view });
      return { gateway, call: callerOf(gateway) };
    },
  };
}

function callerOf(gateway: Gateway): Call {
  return async (name, args = {}) => {
    const answer = await gateway.callTool(name, args);
    const text = (answer.content[0] as { readonly text: string }).text;
    return { isError: answer.isError ?? false, ...(answer.structuredContent ?? { text }) };
  };
}
