/**
 * The profiles of the config as gateways: each is made when it is first asked for, and is that of the config as it is
 * now. A client stays with the one that it connected to. Where its profile is gone or has become another kind, it sees
 * nothing any more.
 */
import type { ProfileConfig } from "../config/config.ts";
import type { ConfigSource } from "../config/source.ts";
import type { Redactors } from "../text/redactors.ts";
import { createAskedCalls } from "../gateway/asked-call.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { maskGateway } from "../gateway/masked-gateway.ts";
import {
  createServerEvents,
  createTransparentEvents,
  maskEvents,
  type RunningServers,
  type ServerEvents,
} from "../gateway/server-events.ts";
import { createProfileGateway } from "../gateway/profiles/profile-gateway.ts";
import type { ProfiledDeps } from "../gateway/profiles/profile-forwarding.ts";
import { closedView, createProfileView, type ProfileView } from "../gateway/profiles/profile-view.ts";
import { createTransparentGateway } from "../gateway/profiles/transparent-gateway.ts";

export interface ProfilesDeps {
  readonly config: Pick<ConfigSource, "current">;
  /** The gateway without a profile, and what it was made of. */
  readonly core: Gateway;
  readonly deps: ProfiledDeps;
  /** Knows the secrets of the config: no gateway shows them to a client. */
  readonly redactors: Pick<Redactors, "current">;
  readonly servers: RunningServers;
}

interface FoundGateway {
  readonly gateway: Gateway;
  readonly events: ServerEvents;
  /** Whether it shows one server unchanged. */
  readonly isTransparent: boolean;
}

/** The gateway of a profile, or the one without; undefined where there is no such profile. */
export type FindGateway = (profile: string | undefined) => FoundGateway | undefined;

export function createProfiles(profiled: ProfilesDeps): FindGateway {
  const { config, core, deps, redactors, servers } = profiled;
  const made = new Map<string, FoundGateway>();
  const masked = (gateway: Gateway, events: ServerEvents, isTransparent: boolean): FoundGateway => ({
    gateway: maskGateway(gateway, redactors.current),
    events: maskEvents(events, redactors.current),
    isTransparent,
  });
  const asked = createAskedCalls(deps);
  const whole = masked(core, createServerEvents(servers, { bare: deps.bareSubscriptions }), false);
  const rulesOf = (profile: string) => config.current().profiles[profile];

  /** The same view for as long as the rules are the same: with a new one, what it lists is decided again. */
  function createViewReader(profile: string): () => ProfileView {
    const closed = closedView(profile);
    let last: { readonly rules: ProfileConfig; readonly view: ProfileView } | undefined;
    return () => {
      const rules = rulesOf(profile);
      if (rules === undefined || rules.transparent !== undefined) return closed;
      if (last?.rules === rules) return last.view;
      const isSame = last !== undefined && JSON.stringify(last.rules) === JSON.stringify(rules);
      last = { rules, view: isSame ? last!.view : createProfileView(profile, rules, deps.registry.tools) };
      return last.view;
    };
  }

  function make(profile: string, server: string | undefined): FoundGateway {
    if (server === undefined) {
      const view = createViewReader(profile);
      const gateway = createProfileGateway({ core, deps, view });
      const shows = (id: string) => view().allowsServer(id);
      const events = createServerEvents(servers, { shows, bare: deps.bareSubscriptions });
      return masked(gateway, events, false);
    }
    const isFronted = () => rulesOf(profile)?.transparent === server;
    const gateway = createTransparentGateway({ ...deps, asked, profile, server, isFronted });
    return masked(gateway, createTransparentEvents(servers, server, isFronted), true);
  }

  return (profile) => {
    if (profile === undefined) return whole;
    const rules = rulesOf(profile);
    if (rules === undefined) return undefined;
    const key = JSON.stringify([profile, rules.transparent]);
    const found = made.get(key) ?? make(profile, rules.transparent);
    made.set(key, found);
    return found;
  };
}
