import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { beforeEach, describe, expect, it } from "vitest";
import { copyClientsHome, createClientsHome, type ClientsHome } from "../../clients/clients-home.testkit.ts";
import { loadConfigWithInputs, openInputs } from "../../secrets/inputs.ts";
import { connect } from "../connect/connect.ts";
import { EXIT } from "../terminal/exit-code.ts";
import { init } from "./init.ts";
import type { InitOptions, InitEnvironment } from "./init-options.ts";

const ENV = { GITHUB_TOKEN: "set", MAPS_API_KEY: "set" };
/** Every plain secret of the fixture begins with this. */
const SECRET = "fake-token-for-tests";

let said = "";
let data = "";
beforeEach(() => {
  said = data = "";
});

function open(home: ClientsHome, ask?: InitEnvironment["ask"]) {
  const { place } = home;
  const own = {
    platform: place.platform,
    script: "/opt/repertoire/dist/main.js",
    execPath: "/usr/bin/node",
    searchPath: "",
    realPathOf: (path: string) => path,
  };
  // Colours depend on where the test runs.
  const note = (line: string) => (said += `${stripVTControlCharacters(line)}\n`);
  const print = (line: string) => {
    data += `${line}\n`;
    note(line);
  };
  const dataFolder = join(place.homedir, "data");
  const config = join(place.homedir, ".config/repertoire/repertoire.json");
  return {
    place,
    config,
    dataFolder,
    own,
    run: (options: InitOptions = {}) =>
      init({ home: dataFolder, ...options }, { place, own, print, note, tell: note, ...(ask && { ask }) }),
    load: () => {
      const { env, homedir, cwd } = place;
      return loadConfigWithInputs({ env, homedir, cwd, home: dataFolder });
    },
    read: () => JSON.parse(readFileSync(config, "utf8")) as Written,
    snapshot: () => snapshotOf(place.homedir),
  };
}

interface Written {
  readonly mcpServers: Record<string, Record<string, unknown>>;
  readonly inputs: readonly { readonly id: string }[];
}

/** Every file outside of the data folder, to the byte, with its mode. */
function snapshotOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(
    paths
      .filter((path) => !path.includes("/data/"))
      .map((path) => [path, `${statSync(path).mode} ${readFileSync(path).toString("base64")}`]),
  );
}

describe("init", () => {
  it("takes over the servers of all clients, names duplicates and conflicts, and the config is sound", async () => {
    const { run, load, read } = open(copyClientsHome(ENV));
    expect(await run({ yes: true })).toBe(EXIT.ok);
    const { mcpServers } = read();
    expect(Object.keys(mcpServers)).toEqual(
      expect.arrayContaining([
        "github",
        "filesystem",
        "linear",
        "linear_cursor",
        "stripe",
        "figma",
        "build",
        "maps",
      ]),
    );
    const loaded = await load();
    expect(loaded).toMatchObject({ ok: true });
    expect(said).toContain("= filesystem of Claude Desktop is the same as filesystem");
    expect(said).toContain("It is added as linear_cursor, because another server has its name.");
    expect(said).toContain("- repertoire of Claude Code: It is Repertoire itself.");
    expect(said).toContain("- broken of Claude Desktop: It is not a server.");
    expect(said).toMatch(/added \d+ servers to .*repertoire\.json, \d+ of them disabled\./);
  });

  it("T170: adds what a project brought and nobody approved switched off", async () => {
    const { run, read } = open(copyClientsHome(ENV));
    await run({ yes: true });
    expect(read().mcpServers).toMatchObject({
      "shop-new": { enabled: false },
      "shop-lint": { enabled: false },
      "shop-search": { enabled: false },
    });
  });

  it("changes nothing the second time", async () => {
    const { run, snapshot } = open(copyClientsHome(ENV));
    await run({ yes: true });
    const before = snapshot();
    expect(await run({ yes: true })).toBe(EXIT.ok);
    expect(snapshot()).toEqual(before);
    expect(said).toContain("Nothing to add");
  });

  it("moves secrets out of plain text when told to, and shows none in any case", async () => {
    const { run, load, config, dataFolder } = open(copyClientsHome(ENV));
    expect(await run({ yes: true, moveSecrets: true })).toBe(EXIT.ok);
    expect(readFileSync(config, "utf8")).not.toContain(SECRET);
    expect(said).not.toContain(SECRET);
    expect(statSync(join(dataFolder, "secrets.json")).mode & 0o777).toBe(0o600);
    const loaded = await load();
    const linear = loaded.ok ? loaded.config.servers.find(({ id }) => id === "linear") : undefined;
    expect(linear?.transport).toMatchObject({
      headers: { Authorization: expect.stringMatching(`^Bearer ${SECRET}`) },
    });
  });

  it("says that secrets stand in plain text where they were not moved, and how to move them", async () => {
    const { run } = open(copyClientsHome(ENV));
    await run({ yes: true });
    expect(said).toMatch(
      /\d secrets of these servers are in plain text\. To move them: repertoire init --undo/,
    );
    expect(said).not.toContain(SECRET);
  });

  it("--undo restores every byte, and forgets the values that it had moved", async () => {
    const { run, snapshot, dataFolder } = open(copyClientsHome(ENV));
    const before = snapshot();
    await run({ yes: true, moveSecrets: true });
    expect(snapshot()).not.toEqual(before);
    expect(await run({ undo: true })).toBe(EXIT.ok);
    expect(snapshot()).toEqual(before);
    expect(openInputs({ home: dataFolder }).list()).toEqual([]);
    expect(await run({ undo: true })).toBe(EXIT.failed);
  });

  it("with --connect, every client gets the gateway; --undo of each and of init restores every byte", async () => {
    const home = copyClientsHome(ENV);
    const { run, place, own, dataFolder, snapshot } = open(home);
    const before = snapshot();
    await run({ yes: true, connect: true });
    expect(readFileSync(join(place.homedir, ".codex/config.toml"), "utf8")).toContain(
      "[mcp_servers.repertoire]",
    );
    expect(readFileSync(join(place.homedir, ".cursor/mcp.json"), "utf8")).toContain(
      "// Shared by all projects.",
    );
    expect(readFileSync(join(place.homedir, ".cursor/mcp.json"), "utf8")).toContain('"repertoire"');
    said = "";
    await run({ yes: true });
    expect(said).not.toContain("Connect your clients");
    for (const client of ["claude-desktop", "cursor", "vscode", "windsurf", "codex", "gemini"]) {
      const environment = { place, home: dataFolder, own };
      expect({ client, code: await connect(client, { home: dataFolder, undo: true }, environment) }).toEqual({
        client,
        code: EXIT.ok,
      });
    }
    expect(await run({ undo: true })).toBe(EXIT.ok);
    expect(snapshot()).toEqual(before);
  });

  it("keeps the comments of a config that is there, and adds beside its servers", async () => {
    const home = copyClientsHome(ENV);
    const mine =
      '{\n  // mine\n  "mcpServers": {\n    "github": { "command": "my-own" } // keep\n  },\n  "inputs": [\n    { "id": "region", "type": "promptString" } // asked for\n  ]\n}\n';
    home.write(".config/repertoire/repertoire.json", mine);
    const { run, config, load } = open(home);
    await run({ yes: true, moveSecrets: true });
    const text = readFileSync(config, "utf8");
    for (const part of ["// mine", '"github": { "command": "my-own" }, // keep', "// asked for"])
      expect(text).toContain(part);
    expect(text).toContain('"github_claude"');
    expect(await load()).toMatchObject({ ok: true });
  });

  it("asks once, and takes no for an answer", async () => {
    const asked: [string, number][] = [];
    const answers: ("no" | "move")[] = ["no", "move"];
    const { run, config } = open(copyClientsHome(ENV), async (...question) => {
      asked.push(question);
      return answers.shift()!;
    });
    expect(await run()).toBe(EXIT.refused);
    expect(existsSync(config)).toBe(false);
    expect(await run()).toBe(EXIT.ok);
    expect(readFileSync(config, "utf8")).toContain("${input:linear-Authorization}");
    expect(asked).toEqual([
      [expect.stringMatching(/^Add these \d+ servers to /), 4],
      [expect.stringMatching(/^Add these \d+ servers to /), 4],
    ]);
  });

  it("changes nothing where nobody can be asked, in a dry run, and over a config with mistakes", async () => {
    const home = copyClientsHome(ENV);
    const { run, snapshot } = open(home);
    const before = snapshot();
    expect(await run()).toBe(EXIT.usage);
    expect(said).toContain("run: repertoire init --yes");
    expect(await run({ yes: true, dryRun: true })).toBe(EXIT.ok);
    expect(await run({ yes: true, from: ["curser"] })).toBe(EXIT.usage);
    expect(said).toContain("Did you mean cursor?");
    expect(snapshot()).toEqual(before);
    home.write(".config/repertoire/repertoire.json", '{ "mcpServer": {} }');
    await expect(run({ yes: true })).rejects.toThrow("the config is not valid");
  });

  it("C7: --only adds the servers that are named, and refuses a name that is none", async () => {
    const home = createClientsHome();
    home.write(".cursor/mcp.json", { mcpServers: { a: { command: "x" }, b: { command: "y" } } });
    const { run, read } = open(home);
    expect(await run({ yes: true, only: ["bb"] })).toBe(EXIT.usage);
    expect(said).toContain('there is no new server "bb"');
    expect(await run({ yes: true, only: ["b"] })).toBe(EXIT.ok);
    expect(read().mcpServers).toEqual({ b: { command: "y" } });
  });

  it("C6: a ${X} that its client does not fill in stays as it is written, and is not kept as a secret", async () => {
    const home = createClientsHome();
    home.write(".cursor/mcp.json", { mcpServers: { a: { command: "x", env: { TOKEN: "${X}" } } } });
    home.write(".claude.json", { mcpServers: { b: { command: "y", env: { TOKEN: "${X:-d}" } } } });
    const { run, read, dataFolder } = open(home);
    expect(await run({ yes: true, moveSecrets: true })).toBe(EXIT.ok);
    expect(read().mcpServers).toEqual({
      b: { command: "y", env: { TOKEN: "${X:-d}" } },
      a: { command: "x", env: { TOKEN: "$${X}" } },
    });
    expect(openInputs({ home: dataFolder }).list()).toEqual([]);
  });

  it("finds nothing on a new machine and says what to do", async () => {
    const { run, config } = open(createClientsHome());
    expect(await run({ yes: true })).toBe(EXIT.ok);
    expect(said).toContain("repertoire add NAME -- COMMAND");
    expect(existsSync(config)).toBe(false);
  });

  it("takes only from the clients that it is told, and says all of it as JSON", async () => {
    const { run, read } = open(copyClientsHome(ENV));
    await run({ yes: true, from: ["codex"], json: true });
    expect(Object.keys(read().mcpServers)).toEqual(["filesystem", "figma-remote", "build", "shop-deploy"]);
    const told = JSON.parse(data) as Record<string, unknown>;
    expect(Object.keys(told)).toEqual([
      "file",
      "changed",
      "moved",
      "read",
      "problems",
      "added",
      "duplicates",
      "conflicts",
      "skipped",
    ]);
  });
});
