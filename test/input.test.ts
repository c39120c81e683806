/** `repertoire input` and `${input:ID}` as users meet them: given once, kept, used, forgotten, and shown nowhere. */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runCliHere } from "./fixtures/cli-in-process.ts";
import { BIN, runCli } from "./fixtures/gateway-process.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";

it("an input is given over stdin, kept for its owner alone, used by its server, listed and forgotten", async () => {
  const folder = temporaryFolder();
  const canary = ["canary", "of", "this", "test"].join("-");
  const notes = {
    command: process.execPath,
    args: [BIN, "demo-server"],
    env: { NOTES_KEY: "${input:notes-key}" },
  };
  writeFileSync(join(folder, "repertoire.json"), JSON.stringify({ mcpServers: { notes } }));
  const config = ["--config", join(folder, "repertoire.json")];
  const here = (...args: string[]) => runCliHere([...args, ...config], { folder });

  const before = await here("call", "notes.list");
  expect(before.status).toBe(4);
  expect(before.stdout + before.stderr).toContain("repertoire input set notes-key");

  expect(runCli(["input", "set", "notes-key", ...config], { folder, input: `${canary}\n` })).toMatchObject({
    status: 0,
  });
  expect(statSync(join(folder, "home/secrets.json")).mode & 0o777).toBe(0o600);
  expect(await here("call", "notes.add", "text=kept")).toMatchObject({ status: 0 });

  const list = await here("input", "list", "--json");
  expect(JSON.parse(list.stdout)).toMatchObject([{ id: "notes-key", servers: ["notes"] }]);
  const shown = [list, await here("servers"), await here("config", "check"), await here("doctor")];
  for (const { stdout, stderr } of shown) expect(stdout + stderr).not.toContain(canary);

  const given = await here("input", "set", "notes-key", canary);
  expect(given.status).not.toBe(0);
  expect(given.stdout + given.stderr).not.toContain(canary);
  const empty = await runCliHere(["input", "set", "notes-key", ...config], { folder, input: "\n" });
  expect(empty.status).not.toBe(0);

  expect(await here("input", "forget", "notes-key")).toMatchObject({ status: 0 });
  expect(readFileSync(join(folder, "home/secrets.json"), "utf8")).not.toContain(canary);
  expect((await here("input", "forget", "notes-kye")).stderr).toContain("repertoire input list");
  expect((await here("call", "notes.list")).status).toBe(4);
});
