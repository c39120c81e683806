/** `repertoire doctor --fix`: what it repairs, what it asks first, and how each repair is undone. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createOwner } from "../src/runs/journal/owner.ts";
import { runCliHere } from "./fixtures/cli-in-process.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";

const modeOf = (path: string) => statSync(path).mode & 0o777;
const CANARY = "CANARY7qZx9LmN2";

async function brokenPlace() {
  const folder = temporaryFolder();
  const home = join(folder, "home");
  const file = join(folder, "mine.json");
  const text = `{
  // mine
  "exposur": "lean",
  "mcpServers": {
    "a": { "command": "${process.execPath}", "enabled": "false", "env": { "API_TOKEN": "${CANARY}" } },
  },
}
`;
  writeFileSync(file, text);
  const cli = (...args: string[]) =>
    runCliHere([...args, "--config", file], { folder, env: { REPERTOIRE_KEYRING: "off" } });
  await runCliHere(["runs"], { folder });
  mkdirSync(join(home, "live"), { recursive: true, mode: 0o700 });
  const { pid } = spawnSync(process.execPath, ["--version"]);
  const [place] = createOwner().split("|");
  writeFileSync(join(home, "live/1-gone.json"), JSON.stringify({ owner: `${place}|${pid}||x`, pid }));
  writeFileSync(join(home, "tokens.json"), '{"tokens": []}');
  chmodSync(join(home, "tokens.json"), 0o644);
  chmodSync(home, 0o755);
  return { folder, home, file, text, cli };
}

describe("doctor --fix", () => {
  it("C7: --dry-run and a missing answer change nothing; --yes repairs everything, and each repair can be undone", async () => {
    const { home, file, text, cli } = await brokenPlace();
    const isUntouched = () => ({
      text: readFileSync(file, "utf8") === text,
      mode: modeOf(home),
      live: readdirSync(join(home, "live")).length,
    });
    const untouched = { text: true, mode: 0o755, live: 1 };
    const planned = await cli("doctor", "--fix", "--dry-run");
    expect(planned.stderr).toMatch(/^would fix only you can read .*home now \(it was 755\)$/m);
    expect(planned.stderr).toMatch(/^-.*"exposur": "lean"/m);
    expect(planned.stderr).toMatch(/^\+.*"exposure": "lean"/m);
    expect(planned.status).toBe(1);
    expect(isUntouched()).toEqual(untouched);

    const unasked = await cli("doctor", "--fix");
    expect(unasked).toMatchObject({ status: 2, stderr: expect.stringContaining("--yes") });
    expect(isUntouched()).toEqual(untouched);

    const fixed = await cli("doctor", "--fix", "--yes", "--json");
    expect(fixed.status).toBe(0);
    expect(`${planned.stderr}${planned.stdout}${fixed.stdout}${fixed.stderr}`).not.toContain(CANARY);
    const { ok, fixes } = JSON.parse(fixed.stdout) as {
      ok: boolean;
      fixes: { what: string; undo?: string; done: boolean }[];
    };
    expect({ ok, done: fixes.every(({ done }) => done) }).toEqual({ ok: true, done: true });
    expect(modeOf(home)).toBe(0o700);
    expect(modeOf(join(home, "tokens.json"))).toBe(0o600);
    expect(readdirSync(join(home, "live"))).toEqual([]);
    const after = readFileSync(file, "utf8");
    expect(after).toContain("// mine");
    expect(after).not.toContain(CANARY);
    expect((await cli("config", "check", "--json")).stdout).toContain('"ok": true');
    expect(readFileSync(join(home, "secrets.json"), "utf8")).toContain(CANARY);

    expect((await cli("doctor", "--fix")).stderr).toContain("There is nothing that --fix can fix.");
    const undo = fixes.find(({ what }) => what.startsWith("changed"))!.undo!.split(" && ");
    execFileSync("/bin/sh", ["-c", undo[0]!]);
    expect(readFileSync(file, "utf8")).toBe(text);
    expect(undo.slice(1)).toEqual([expect.stringMatching(/^repertoire input forget a-API_TOKEN --home /)]);
  });
});
