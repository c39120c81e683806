import { chmodSync, existsSync, lstatSync, readFileSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { editConfig } from "./edit.ts";
import { loadConfig } from "../load.ts";
import { createTempProject } from "../temp-project.testkit.ts";
import { trust } from "../trust.ts";

const GITHUB = { command: "npx", args: ["-y", "github"] };

interface ServerEdit {
  readonly key: string;
  readonly field?: string;
  readonly value: unknown;
}

function editServer(path: string, home: string, { key, field, value }: ServerEdit): void {
  editConfig(path, home, [{ path: ["mcpServers", key, ...(field === undefined ? [] : [field])], value }]);
}

describe("editing a server", () => {
  it("adds it to a file that is not there yet, for its owner's eyes only", () => {
    const { cwd, home } = createTempProject();
    const path = join(cwd, "deep/er/repertoire.json");
    editServer(path, home, { key: "github", value: GITHUB });
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ mcpServers: { github: GITHUB } });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("keeps comments, order, layout and the file's mode", () => {
    const { home, write } = createTempProject();
    const path = write(
      "project/repertoire.json",
      `{\n  // my servers\n  "mcpServers": {\n    "slack": { "command": "slack" }, // chat\n  },\n  "exposure": "lean"\n}\n`,
    );
    chmodSync(path, 0o640);
    editServer(path, home, { key: "github", value: GITHUB });
    editServer(path, home, { key: "slack", field: "enabled", value: false });
    const text = readFileSync(path, "utf8");
    for (const part of ["// my servers", "// chat", `"exposure": "lean"`]) expect(text).toContain(part);
    expect(statSync(path).mode & 0o777).toBe(0o640);
    const loaded = loadConfig({ configPath: path, home, env: {} });
    expect(loaded).toMatchObject({
      ok: true,
      config: { servers: [{ id: "github" }, { id: "slack", enabled: false }] },
    });
  });

  it("keeps a byte order mark, line endings, tabs, and a neighbour as it was laid out", () => {
    const { home, write } = createTempProject();
    const neighbour = `"slack": { "command": "a",   "args":["x"] } // chat`;
    const path = write(
      "project/repertoire.json",
      `\uFEFF{\r\n\t"mcpServers": {\r\n\t\t${neighbour}\r\n\t}\r\n}\r\n`,
    );
    editServer(path, home, { key: "b", value: { command: "b" } });
    expect(readFileSync(path, "utf8")).toBe(
      `\uFEFF{\r\n\t"mcpServers": {\r\n\t\t${neighbour.replace(" // chat", ", // chat")}\r\n\t\t"b": {\r\n\t\t\t"command": "b"\r\n\t\t}\r\n\t}\r\n}\r\n`,
    );
  });

  it("makes several changes at once, and the objects on the way", () => {
    const { home, write } = createTempProject();
    const path = write("project/repertoire.json", "// mine\n{}\n");
    editConfig(path, home, [
      { path: ["mcpServers", "a"], value: GITHUB },
      { path: ["inputs"], value: [{ id: "x", type: "promptString" }] },
      { path: ["mcpServers", "b"], value: GITHUB },
    ]);
    const text = readFileSync(path, "utf8");
    expect(text.startsWith("// mine\n")).toBe(true);
    expect(JSON.parse(text.slice(8))).toEqual({
      mcpServers: { a: GITHUB, b: GITHUB },
      inputs: [{ id: "x", type: "promptString" }],
    });
  });

  it("removes an entry, and a key of it", () => {
    const { home, write } = createTempProject();
    const path = write("project/repertoire.json", {
      mcpServers: { a: { ...GITHUB, enabled: false }, b: GITHUB },
    });
    editServer(path, home, { key: "a", field: "enabled", value: undefined });
    editServer(path, home, { key: "b", value: undefined });
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ mcpServers: { a: GITHUB } });
  });

  it("writes through a link, and leaves no other file", () => {
    const { home, cwd, write } = createTempProject();
    const real = write("elsewhere/real.json", "{}");
    const link = join(cwd, "repertoire.json");
    symlinkSync(real, link);
    editServer(link, home, { key: "github", value: GITHUB });
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, "utf8")).toContain("github");
    expect(readdirSync(dirname(real))).toEqual(["real.json"]);
  });

  it("keeps trust where there was trust, and gives none where there was not", () => {
    const { home, options, write } = createTempProject();
    const path = write("project/repertoire.json", { mcpServers: { a: GITHUB } });
    const trusted = () => {
      const loaded = loadConfig(options);
      return loaded.ok && loaded.config.servers.every((server) => server.trusted);
    };
    editServer(path, home, { key: "b", value: GITHUB });
    expect(trusted()).toBe(false);
    const loaded = loadConfig(options);
    trust(home, path, loaded.ok ? loaded.config.origin.sha256! : "");
    editServer(path, home, { key: "c", value: GITHUB });
    expect(trusted()).toBe(true);
  });

  it("changes nothing where the file cannot be read", () => {
    const { home, cwd } = createTempProject();
    expect(() => editServer(cwd, home, { key: "a", value: GITHUB })).toThrow("Cannot change");
    expect(existsSync(join(cwd, "repertoire.json"))).toBe(false);
  });

  it.each([
    ['{"mcpServers": {', "Cannot change"],
    ["[]", "the file is not an object"],
    ['{"mcpServers": []}', "mcpServers is not an object"],
    ['{"mcpServers": {"a": "text"}}', "mcpServers.a is not an object"],
  ])("leaves %s as it is, and says why", (text, message) => {
    const { home, write } = createTempProject();
    const path = write("project/repertoire.json", text);
    const edit = (): void => editServer(path, home, { key: "a", field: "enabled", value: false });
    expect(edit).toThrow(message);
    // N7: the file can be written, and is not what has to be checked.
    expect(edit).toThrow(expect.objectContaining({ hint: "Nothing was changed. Correct the file first." }));
    expect(readFileSync(path, "utf8")).toBe(text);
  });
});
