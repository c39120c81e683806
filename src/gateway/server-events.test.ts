import { describe, expect, it } from "vitest";
import type { JsonObject } from "../core/json.ts";
import {
  createBareSubscriptions,
  createServerEvents,
  createTransparentEvents,
  maskEvents,
  type RunningServers,
  type ServerEvents,
} from "./server-events.ts";

/** Servers that speak when the test says so, and what they were told. */
function openServers() {
  const listeners = new Set<Parameters<RunningServers["notified"]>[0]>();
  const told: unknown[] = [];
  const servers: RunningServers = {
    notified(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    tell: (method, _params, _client, only) => void told.push([method, only]),
    setLogLevel: (level) => void told.push(level),
  };
  const say = (server: string, method: string, params: JsonObject) =>
    listeners.forEach((listener) => listener(server, method, params));
  return { servers, say, told };
}

function hear(events: ServerEvents) {
  const heard: unknown[] = [];
  const stop = events.notified((method, params) => heard.push([method, params]));
  return { heard, stop };
}

const MESSAGE = "notifications/message";
const UPDATED = "notifications/resources/updated";

describe("what servers say", () => {
  it("is heard with URIs as clients know them and the server's name, until the subscription ends", () => {
    const { servers, say } = openServers();
    const { heard, stop } = hear(createServerEvents(servers));
    say("one", MESSAGE, { data: "x" });
    say("one", UPDATED, { uri: "x://a" });
    stop();
    say("one", MESSAGE, { data: "y" });
    expect(heard).toEqual([
      [MESSAGE, { data: "x", logger: "one" }],
      [UPDATED, { uri: "repertoire://server/one/x://a" }],
    ]);
  });

  it("T033: is told under a server's own URI where a client subscribed by it, and of that server alone", () => {
    const { servers, say } = openServers();
    const bare = createBareSubscriptions();
    const { heard } = hear(createServerEvents(servers, { bare }));
    bare.note("one", "x://a");
    say("one", UPDATED, { uri: "x://a", extra: 1 });
    say("two", UPDATED, { uri: "x://a" });
    say("one", UPDATED, { uri: "x://b" });
    say("one", UPDATED, { uri: 7 });
    expect(heard).toEqual([
      [UPDATED, { uri: "repertoire://server/one/x://a", extra: 1 }],
      [UPDATED, { uri: "x://a", extra: 1 }],
      [UPDATED, { uri: "repertoire://server/two/x://a" }],
      [UPDATED, { uri: "repertoire://server/one/x://b" }],
      [UPDATED, { uri: "repertoire://server/one/" }],
    ]);
  });

  it("comes only from the servers that a profile shows", () => {
    const { servers, say } = openServers();
    const { heard } = hear(createServerEvents(servers, { shows: (id) => id === "notes" }));
    say("files", MESSAGE, { level: "info", data: "secret" });
    say("notes", MESSAGE, { level: "info", data: "hello" });
    expect(heard).toEqual([[MESSAGE, { level: "info", data: "hello", logger: "notes" }]]);
  });

  it("is told as the server told it in a transparent profile, and no other server's, while it is fronted", () => {
    const { servers, say, told } = openServers();
    let isFronted = true;
    const events = createTransparentEvents(servers, "one", () => isFronted);
    const { heard } = hear(events);
    say("two", MESSAGE, { data: "other" });
    say("one", MESSAGE, { data: "own" });
    say("one", UPDATED, { uri: "x://a" });
    events.tell("notifications/roots/list_changed", {});
    isFronted = false;
    say("one", MESSAGE, { data: "late" });
    events.tell("notifications/roots/list_changed", {});
    expect(heard).toEqual([
      [MESSAGE, { data: "own" }],
      [UPDATED, { uri: "x://a" }],
    ]);
    expect(told).toEqual([["notifications/roots/list_changed", "one"]]);
  });

  it("has no secret of the config in it", () => {
    const { servers, say, told } = openServers();
    const mask = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll("hunter2", "*")) as T;
    const events = maskEvents(createServerEvents(servers), () => ({ mask }));
    const { heard } = hear(events);
    say("one", MESSAGE, { logger: "l", data: "hunter2" });
    events.setLogLevel("debug");
    expect(heard).toEqual([[MESSAGE, { logger: "l", data: "*" }]]);
    expect(told).toEqual(["debug"]);
  });
});
