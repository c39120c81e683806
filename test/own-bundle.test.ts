/** Repertoire as a bundle: the one that `npm run bundle:mcpb` makes is read by our own reader, unpacked, started and asked. */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Ajv } from "ajv";
import { expect, it, onTestFinished } from "vitest";
import { packBundle } from "../scripts/mcpb.ts";
import { META_TOOL_NAMES } from "../src/core/meta-tool-names.ts";
import { readPublishedServer } from "../src/published/server-json.ts";
import { sha256Of } from "./fixtures/bundle.ts";
import { BIN, environmentOf, runCli } from "./fixtures/gateway-process.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";

/** What people download to try it out. */
const BUNDLE_BYTES_MAX = 16 * 1024 * 1024;

it("C11: our own bundle is read, added, and its server lists the five tools", async () => {
  const folder = temporaryFolder();
  const { file, sha256, entry } = await packBundle({ dist: dirname(BIN), outDir: join(folder, "release") });
  expect(statSync(file).size).toBeLessThan(BUNDLE_BYTES_MAX);
  expect(sha256).toBe(sha256Of(readFileSync(file)));
  const schema = JSON.parse(
    readFileSync(
      join(import.meta.dirname, "../node_modules/@anthropic-ai/mcpb/dist/mcpb-manifest-v0.3.schema.json"),
      "utf8",
    ),
  ) as object;

  const config = join(folder, "mine.json");
  writeFileSync(config, "{}");
  const added = runCli(["add", "--config", config, file, "--yes", "--as", "inner", "--json"], { folder });
  expect([added.status, added.stderr]).toEqual([0, ""]);
  const { server } = JSON.parse(added.stdout) as { server: { command: string; args: string[] } };
  const unpacked = join(dirname(server.args[0]!), "..");
  const manifest = JSON.parse(readFileSync(join(unpacked, "manifest.json"), "utf8")) as Record<
    string,
    unknown
  >;
  const isValid = new Ajv({ strict: false, validateFormats: false }).compile(schema);
  isValid(manifest);
  expect(isValid.errors).toBeNull();
  const own = JSON.parse(readFileSync(join(import.meta.dirname, "../package.json"), "utf8")) as {
    version: string;
  };
  expect(manifest).toMatchObject({ name: "repertoire", version: own.version });

  const client = new Client({ name: "test", version: "1" });
  const env = environmentOf(join(folder, "other"));
  await client.connect(new StdioClientTransport({ ...server, env, cwd: folder, stderr: "ignore" }));
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(META_TOOL_NAMES);
  const answer = await client.callTool({ name: "execute", arguments: { code: "1 + 1" } });
  expect(answer.structuredContent).toMatchObject({ outputs: 2 });

  // The entry for the registry is one that we could add ourselves.
  const published = readPublishedServer({ server: entry });
  expect(published?.packages?.map(({ registryType, version }) => [registryType, version])).toEqual([
    ["npm", own.version],
    ["mcpb", own.version],
  ]);
  expect(published?.packages?.[1]?.fileSha256).toBe(sha256);
}, 120_000);
