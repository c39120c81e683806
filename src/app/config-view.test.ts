import { expect, it } from "vitest";
import { explainAbsent } from "./config-view.ts";
import type { Config } from "../config/config.ts";

it("AG9: a server whose config is being replaced is reported as starting, and its tools not as unknown", () => {
  const server = { id: "notes", enabled: true, trusted: true, problems: [] };
  const config = { servers: [server] } as unknown as Config;
  expect(explainAbsent(config, "notes")).toMatchObject({
    error: { code: "TOOL_UNAVAILABLE", retryable: true, reason: "starting" },
  });
  expect(explainAbsent(config, "other")).toBeUndefined();
});
