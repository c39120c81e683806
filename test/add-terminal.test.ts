/** `repertoire add` by name at a real terminal: what it asks for, and what it asks about. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SCRIPT, startTerminal } from "./fixtures/at-terminal.ts";
import { openFixtureRegistry, remoteEntry } from "./fixtures/server-registry.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";

const NAME = "io.github.acme/notes";
const HEADERS = [
  { name: "X-Plan", isRequired: true, choices: ["free", "paid"], description: "Which plan" },
  { name: "X-Key", isRequired: true, isSecret: true, description: "A key" },
  { name: "X-Size", isRequired: true, format: "number" },
];

async function start(names: readonly string[], name: string, headers: object[] = []) {
  const registry = await openFixtureRegistry(
    names.map((one) => remoteEntry(one, { url: "https://n.example/mcp", headers })),
  );
  const folder = temporaryFolder();
  const config = join(folder, "mine.json");
  writeFileSync(config, "{}");
  const terminal = startTerminal(folder, ["add", name, "--config", config], { env: registry.env });
  return { ...terminal, folder, read: () => readFileSync(config, "utf8") };
}

describe.skipIf(!existsSync(SCRIPT))("add by name at a terminal", () => {
  it("asks once for each thing that is required, asks again for what does not fit, and hides a secret", async () => {
    const terminal = await start([NAME], NAME, HEADERS);
    await terminal.shows("Which plan (X-Plan)");
    terminal.type("\r");
    await terminal.shows("A key (X-Key)");
    terminal.type("s3cr3t-of-mine\r");
    await terminal.shows("The input X-Size");
    terminal.type("many\r");
    await terminal.shows("must be a number");
    await terminal.shows("must be a number");
    terminal.type("7\r");
    await terminal.shows("Add it? [y/N]");
    expect(terminal.read()).toBe("{}");
    terminal.type("y\r");
    expect(await terminal.exited()).toEqual({ code: 0 });
    expect(terminal.shown()).not.toContain("s3cr3t");
    const { mcpServers } = JSON.parse(terminal.read()) as { mcpServers: Record<string, { headers: object }> };
    expect(mcpServers["notes"]!.headers).toEqual({
      "X-Plan": "free",
      "X-Key": "${input:notes-X-Key}",
      "X-Size": "7",
    });
    expect(readFileSync(join(terminal.folder, "home/secrets.json"), "utf8")).toContain("s3cr3t-of-mine");
  });

  it.each([
    ["n\r", 6],
    ["\u0003", 130],
  ])("writes nothing after %j", async (typed, code) => {
    const terminal = await start([NAME], NAME);
    await terminal.shows("Add it? [y/N]");
    terminal.type(typed);
    expect(await terminal.exited()).toEqual({ code });
    expect([terminal.read(), existsSync(join(terminal.folder, "home/secrets.json"))]).toEqual(["{}", false]);
  });

  it("T165: asks about a look-alike with both names", async () => {
    const asked = "io.github.acrne/notes";
    const terminal = await start([NAME, asked], asked);
    await terminal.shows("Add it all the same? [y/N]");
    expect(terminal.shown()).toContain(`"${asked}" is nearly called like "${NAME}"`);
    terminal.type("y\r");
    expect(await terminal.exited()).toEqual({ code: 0 });
    expect(terminal.read()).toContain(asked);
  });
});
