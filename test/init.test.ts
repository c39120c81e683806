/** The servers of six clients, taken over by the program that users get, and used right after. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { copyClientsHome } from "../src/clients/clients-home.testkit.ts";
import { BIN, runCli } from "./fixtures/gateway-process.ts";

it("init takes over a home with six clients, and a call works right after", () => {
  const { place, write } = copyClientsHome();
  const folder = place.homedir;
  const notes = { command: process.execPath, args: [BIN, "demo-server"] };
  write(".cursor/mcp.json", { mcpServers: { diary: notes } });
  const options = { folder, env: { XDG_CONFIG_HOME: join(folder, ".config") } };
  const taken = runCli(["init", "--yes", "--move-secrets"], options);
  expect(taken).toMatchObject({ status: 0, stderr: expect.stringMatching(/added \d+ servers/) });
  expect(taken.stdout).toContain("+ diary");
  expect(readFileSync(join(folder, ".config/repertoire/repertoire.json"), "utf8")).not.toContain(
    "fake-token",
  );
  const called = runCli(["call", "diary.add", "text=hello"], options);
  expect(called).toMatchObject({ status: 0, stdout: expect.stringContaining("hello") });
});
