import { readFileSync, globSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { connect, ERAS } from "./fixtures/gateway-process.ts";
import { eventually, temporaryFolder } from "./fixtures/temporary.ts";

/** Every secret is a marker; afterwards everything that was written is searched for it. */
it.each(ERAS)("no secret of the config reaches log, answers or home (%s)", async (era) => {
  const folder = temporaryFolder();
  const file = join(folder, "config.json");
  const write = (extra: object) =>
    writeFileSync(
      file,
      JSON.stringify({
        mcpServers: {
          a: { command: "x", args: ["--token=${ARG_TOKEN}"], env: { API_TOKEN: "CANARY-env-literal" } },
          b: {
            url: "https://b.example/mcp?api_key=CANARY-in-query",
            headers: { "X-Api-Key": "${HEADER_KEY}" },
          },
        },
        log: { level: "debug" },
        ...extra,
      }),
    );
  write({});
  const env = { ARG_TOKEN: "CANARY-arg-token", HEADER_KEY: "CANARY-header-key", B_API_KEY: "CANARY-api-key" };
  const { client, stderr } = await connect(era, { folder, args: ["--config", file], env });
  const answers: unknown[] = [await client.listTools()];
  for (const name of [
    "browse_components",
    "list_library",
    "execute",
    "save_to_library",
    "nope",
    "CANARY-arg-token",
  ]) {
    answers.push(await client.callTool({ name, arguments: { query: "b" } }));
  }
  write({ exposure: "lean" });
  await eventually("the reload", () => stderr().includes("config.reloaded"));
  write({ exposure: "CANARY-arg-token", unknown: "CANARY-env-literal" });
  await eventually("the complaint", () => stderr().includes("config.reload.failed"));
  await client.close();

  // The one answer that repeats what the client itself sent is left out.
  expect(JSON.stringify(answers.slice(0, -1))).not.toContain("CANARY");
  expect(stderr()).not.toContain("CANARY");
  const files = globSync("home/**", { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(0);
  for (const entry of files) {
    expect(readFileSync(join(entry.parentPath, entry.name), "latin1")).not.toContain("CANARY");
  }
});
