/**
 * What a client is told unasked: that a list has changed, that a resource which it subscribed to has, and what
 * servers log. Each client hears what concerns it: its own subscriptions, its own log level, and never what a server
 * said to another one.
 */
import type { Server } from "@modelcontextprotocol/server";
import type { JsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import type { ToolResult } from "../core/result.ts";
import type { ClientHandle } from "../core/tool.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { ForwardedMethod } from "../gateway/forwarding.ts";
import type { ServerEvents } from "../gateway/server-events.ts";
import type { Listed } from "./mcp-server.ts";

const LOG_LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

export interface NoticesDeps {
  readonly gateway: Gateway;
  readonly events: ServerEvents;
  readonly server: Server;
  readonly log: Log;
  readonly handle: () => ClientHandle | undefined;
  readonly listed: Listed;
}

export interface Notices {
  setLevel(level: string): void;
  /** Carries out a request, and notes what it means for what the client wants to hear. */
  follow(
    method: ForwardedMethod,
    params: JsonObject,
    forward: () => Promise<ToolResult<JsonObject>>,
  ): Promise<ToolResult<JsonObject>>;
  close(): void;
}

export function createNotices({ gateway, events, server, log, handle, listed }: NoticesDeps): Notices {
  const uris = new Set<unknown>();
  let level: string | undefined;

  const send = (method: string, params: JsonObject): void => {
    server
      .notification({ method, params })
      .catch((error: unknown) => log.debug("server.notification.failed", { method, error }));
  };
  const tell = (what: "tools" | "resources" | "prompts"): void => {
    // A change behind a list that does not show it, or one that the client has seen already, is no news.
    if (what === "tools" && watch.toolsVersion() === listed.version) return;
    send(`notifications/${what}/list_changed`, {});
  };
  const concerns = (method: string, params: JsonObject): boolean => {
    // A modern connection has one long request that names what it wants; the SDK keeps to it.
    if (handle() === undefined) return true;
    if (method === "notifications/resources/updated") return uris.has(params["uri"]);
    if (method === "notifications/message" && level !== undefined) return isAtLeast(params["level"], level);
    return true;
  };
  const watch = gateway.watch(tell);
  listed.version ??= watch.toolsVersion();
  const stop = events.notified((method, params, client) => {
    if (client !== undefined && client !== handle()) return;
    if (concerns(method, params)) send(method, params);
  });
  return {
    setLevel: (wanted) => (level = wanted),
    async follow(method, params, forward) {
      // Before the request: the first update may come with its answer.
      if (method === "resources/subscribe") uris.add(params["uri"]);
      if (method === "resources/unsubscribe") uris.delete(params["uri"]);
      return forward();
    },
    close() {
      watch.stop();
      stop();
    },
  };
}

function isAtLeast(level: unknown, wanted: string): boolean {
  const at = LOG_LEVELS.indexOf(String(level));
  return at === -1 || at >= LOG_LEVELS.indexOf(wanted);
}
