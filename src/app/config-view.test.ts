import { expect, it } from "vitest";
import { explainAbsent, isUnderAuto, serversMarkOf } from "./config-view.ts";
import type { Config } from "../config/config.ts";

it("AG9: a server whose config is being replaced is reported as starting, and its tools not as unknown", () => {
  const server = { id: "notes", enabled: true, trusted: true, problems: [] };
  const config = { servers: [server] } as unknown as Config;
  expect(explainAbsent(config, "notes")).toMatchObject({
    error: { code: "TOOL_UNAVAILABLE", retryable: true, reason: "starting" },
  });
  expect(explainAbsent(config, "other")).toBeUndefined();
});

function configOf(part: object): Config {
  const server = { id: "notes", enabled: true, trusted: true, problems: [], tools: {}, transport: {} };
  return { servers: [server], exposure: "auto", profiles: {}, ...part } as unknown as Config;
}

it("asks a server early only where auto decides by it", () => {
  expect(isUnderAuto(configOf({}), "notes", undefined)).toBe(true);
  expect(isUnderAuto(configOf({ exposure: "lean" }), "notes", undefined)).toBe(false);
  const profiles = {
    other: { servers: ["files"], exposure: "auto" },
    full: { exposure: "full" },
    alone: { transparent: "notes" },
  };
  const config = configOf({ exposure: "lean", profiles });
  expect(isUnderAuto(config, "notes", undefined)).toBe(false);
  expect(isUnderAuto(config, "files", undefined)).toBe(true);
  expect(isUnderAuto(config, "files", "full")).toBe(false);
  expect(isUnderAuto(config, "notes", "alone")).toBe(false);
});

it("marks what of the servers decides which tools there are", () => {
  const mark = serversMarkOf(configOf({}));
  expect(serversMarkOf(configOf({ exposure: "lean" }))).toBe(mark);
  const server = { id: "notes", enabled: true, trusted: true, problems: [], transport: {} };
  expect(serversMarkOf(configOf({ servers: [{ ...server, tools: { deny: ["drop"] } }] }))).not.toBe(mark);
});
