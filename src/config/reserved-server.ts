/**
 * A config in which one server id means nothing, because in this process something else has that name. Everything that
 * asks for the config sees none of it: no start, no effects, no trust of that server.
 */
import type { Config } from "./config.ts";
import type { ConfigSource } from "./source.ts";

export function reserveServer(source: ConfigSource, id: string): ConfigSource {
  let last: { readonly of: Config; readonly config: Config } | undefined;

  /** The same object for the same config: what is made of a config is remembered by it. */
  function without(config: Config): Config {
    if (last?.of !== config) last = { of: config, config: withoutServer(config, id) };
    return last.config;
  }

  return {
    ...source,
    current: () => without(source.current()),
    subscribe: (listener) =>
      source.subscribe((event) =>
        listener(event.kind === "changed" ? { ...event, config: without(event.config) } : event),
      ),
  };
}

function withoutServer(config: Config, id: string): Config {
  if (!config.servers.some((server) => server.id === id)) return config;
  return Object.freeze({ ...config, servers: config.servers.filter((server) => server.id !== id) });
}
