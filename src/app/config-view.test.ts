import { expect, it } from "vitest";
import { explainAbsent } from "./config-view.ts";
import type { Config } from "../config/config.ts";

it("AG9: a server that is between two configs is told as starting, and not as a tool that nobody has", () => {
  const server = { id: "notes", enabled: true, trusted: true, problems: [] };
  const config = { servers: [server] } as unknown as Config;
  expect(explainAbsent(config, "notes")).toMatchObject({
    error: { code: "TOOL_UNAVAILABLE", retryable: true, reason: "starting" },
  });
  expect(explainAbsent(config, "other")).toBeUndefined();
});
