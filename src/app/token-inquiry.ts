/**
 * Answers what a token can do, profile by profile, from what is known: no server is asked. And when tokens were last
 * used.
 */
import type { ProfileConfig } from "../config/config.ts";
import type { StorePlace } from "../config/locate-store.ts";
import type { Guard } from "../core/guard.ts";
import type { ToolView } from "../core/tool.ts";
import { everyTool, type ListedTools } from "../registry/catalogue.ts";
import { createProfileView } from "../gateway/profiles/profile-view.ts";
import { principalOf } from "../server/auth/token-principals.ts";
import type { TokenEntry } from "../server/auth/token.ts";
import { openConfiguredStore } from "./store/configured-store.ts";
import type { TokenInquiry, TokenReach } from "./contract.ts";
import type { Foundation } from "./foundation.ts";
import type { RunsHalf } from "./runs-half.ts";
import { describeReach } from "./token-reach.ts";
import type { ToolsHalf } from "./tools-half.ts";
import { join } from "node:path";
import type { Store } from "../core/store.ts";
import { isPresent } from "../store/sqlite/database-file.ts";
import { DATABASE_NAME } from "../store/sqlite/home.ts";

export function createTokenInquiry(
  { config }: Pick<Foundation, "config">,
  { registry }: Pick<ToolsHalf, "registry">,
  { freshenLibrary }: Pick<RunsHalf, "freshenLibrary">,
  guard: Guard,
): TokenInquiry {
  const decide: Guard["decide"] = (...call) => guard.decide(...call);
  async function reachBy(profile: string | null, entry: TokenEntry): Promise<TokenReach> {
    const rules = profile === null ? undefined : config.current().profiles[profile];
    if (profile !== null && rules === undefined) return { profile, isMissing: true, tools: [], pending: [] };
    const { pending } = registry.catalogue();
    const components = everyTool(registry.tools());
    const view =
      profile === null || rules === undefined ? undefined : viewOf(profile, rules, registry.tools());
    const principal = principalOf(entry, new AbortController().signal);
    return {
      profile,
      tools: await describeReach(principal, { components, view, decide }),
      pending: pending.filter((server) => view?.allowsServer(server) !== false),
    };
  }

  return {
    async describeToken(entry) {
      await freshenLibrary();
      const profiles: readonly (string | null)[] = entry.profiles ?? [null];
      return Promise.all(profiles.map((profile) => reachBy(profile, entry)));
    },
  };
}

/** What a profile lets its clients see, as the config and the catalogue are now. */
export function viewOf(profile: string, rules: ProfileConfig, tools: ListedTools): ToolView {
  const { transparent: server } = rules;
  if (server === undefined) return createProfileView(profile, rules, () => tools);
  const names = new Map(
    everyTool(tools)
      .filter(({ source }) => source === server)
      .map((one) => [one.name, one.definition.name]),
  );
  return {
    profile,
    allows: (tool) => names.has(tool),
    allowsServer: (id) => id === server,
    nameOf: (tool) => names.get(tool) ?? tool,
    descriptionOf: () => undefined,
  };
}

/** When tokens were last used, as the store has it: in ms since 1970, by the name of the token. */
export type LastUses = ReadonlyMap<string, number>;

const NONE: LastUses = new Map();

export async function lastUsesOf(store: Store): Promise<LastUses> {
  return store.tokenUses.list();
}

/** The same for a command that needs no gateway. A list of tokens is worth showing without it, so it never throws. */
export async function readLastUses(place: StorePlace): Promise<LastUses> {
  if (place.store.url === undefined && !isPresent(join(place.home, DATABASE_NAME))) return NONE;
  try {
    const store = await openConfiguredStore(place);
    try {
      return await lastUsesOf(store);
    } finally {
      await store.close();
    }
  } catch {
    return NONE;
  }
}
