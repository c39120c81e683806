import { expect, it } from "vitest";
import { createClientsHome } from "../../clients/clients-home.testkit.ts";
import { checkClients } from "./machine-checks.ts";

it("C6: warns about a connected client whose command is gone or is a bare name, and of no other", () => {
  const { place, write } = createClientsHome();
  const script = import.meta.filename;
  const entry = (command: string, ...args: string[]) => ({ mcpServers: { repertoire: { command, args } } });
  write(".cursor/mcp.json", entry("/gone/node", "/gone/repertoire/dist/main.js", "serve"));
  write(".claude.json", entry("repertoire", "serve"));
  write(".gemini/settings.json", entry(process.execPath, "/gone/repertoire/dist/main.js", "serve"));
  write(".codeium/windsurf/mcp_config.json", {
    mcpServers: { ...entry("npx", "-y", "repertoire").mcpServers, other: { command: "/gone/other" } },
  });
  write(".config/Claude/claude_desktop_config.json", entry(process.execPath, script, "serve"));
  const checks = checkClients(place, {});
  expect(
    checks.map(({ state, message, cure }) => [state, message.replaceAll(place.homedir, "~"), cure]),
  ).toEqual([
    [
      "warning",
      "Claude Code cannot start Repertoire: its entry runs `repertoire` without a path, which desktop programs do not find (~/.claude.json)",
      "repertoire connect claude",
    ],
    [
      "warning",
      "Cursor cannot start Repertoire: /gone/node no longer exists (~/.cursor/mcp.json)",
      "repertoire connect cursor",
    ],
    [
      "warning",
      "Gemini CLI cannot start Repertoire: /gone/repertoire/dist/main.js no longer exists (~/.gemini/settings.json)",
      "repertoire connect gemini",
    ],
  ]);
});
