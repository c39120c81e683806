import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { expect, it } from "vitest";
import type { TokenReport } from "../src/app/app.ts";
import { runCli } from "./fixtures/gateway-process.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";

const COUNTER = join(import.meta.dirname, "fixtures/counter-server.mjs");

it("the bundle counts with its own thread, and says what each mode costs", () => {
  const folder = temporaryFolder();
  const counter = { command: process.execPath, args: [COUNTER, join(folder, "log")] };
  writeFileSync(join(folder, "mine.json"), JSON.stringify({ mcpServers: { counter } }));
  const args = ["tokens", "--config", join(folder, "mine.json"), "--start", "--tools", "--json"];
  const { status, stdout } = runCli(args, { folder });
  const report = JSON.parse(stdout) as TokenReport;
  // An estimate would be another number.
  const add =
    '{"description":"","input_schema":{"properties":{"delay_ms":{"type":"integer"},"n":{"type":"integer"}},' +
    '"required":["n"],"type":"object"},"name":"counter__add"}';
  expect(status).toBe(0);
  expect(report.servers).toMatchObject([{ id: "counter", toolCount: 3 }]);
  expect(report.servers[0]!.tools).toContainEqual({ name: "counter__add", tokens: countTokens(add) });
  expect(report.faces).toMatchObject([{ profile: null, exposure: "auto", mode: "full", toolCount: 3 }]);
});
