/** `repertoire search` against a registry on loopback that is honest, lies, or is gone. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCliHere } from "./fixtures/cli-in-process.ts";
import { openFixtureRegistry, packageEntry, remoteEntry } from "./fixtures/server-registry.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";

const ENTRIES = [
  packageEntry("io.github.acme/notes", {}, "1.0.0"),
  packageEntry("io.github.acme/notes", {}, "1.2.0"),
  { ...packageEntry("io.github.acme/old-notes", { registryType: "pypi" }), status: "deprecated" },
  remoteEntry("com.example/weather", { url: "https://weather.example/mcp" }),
];

interface Found {
  readonly servers: { readonly name: string; readonly description: string }[];
  readonly more: boolean;
  readonly unreadable: number;
}

describe("search", () => {
  it("lists name, version, kind, status and description of what the registry has", async () => {
    const { env, url, asked } = await openFixtureRegistry(ENTRIES);
    const { status, stdout, stderr } = await runCliHere(["search", "notes"], { env });
    expect(status).toBe(0);
    expect(stdout).toMatch(/^NAME +VERSION +KIND +STATUS +DESCRIPTION/);
    expect(stdout).toMatch(/io\.github\.acme\/notes +1\.2\.0 +npm +About io\.github\.acme\/notes\./);
    expect(stdout).toMatch(/io\.github\.acme\/old-notes +1\.0\.0 +pypi +deprecated/);
    expect(stdout).not.toContain("weather");
    expect(stderr).toContain("repertoire add io.github.acme/notes");
    expect(asked[0]).toContain("version=latest");
    const json = await runCliHere(["search", "weather", "--json"], { env });
    expect(JSON.parse(json.stdout)).toEqual({
      registry: `${url}/v0`,
      servers: [
        {
          name: "com.example/weather",
          version: "1.0.0",
          description: "About com.example/weather.",
          kinds: ["remote"],
          status: "active",
        },
      ],
      unreadable: 0,
      more: false,
    });
  });

  it("reads further pages up to the limit, and stops at a cursor that repeats itself", async () => {
    const many = Array.from({ length: 25 }, (_, i) => packageEntry(`io.github.acme/n${i}`, {}));
    const registry = await openFixtureRegistry(many);
    registry.pageLength.value = 10;
    const search = async (...words: string[]) =>
      JSON.parse(
        (await runCliHere(["search", "acme", "--json", ...words], { env: registry.env })).stdout,
      ) as Found;
    expect((await search("--limit", "15")).servers).toHaveLength(15);
    expect(await search("--limit", "100")).toMatchObject({ more: false, servers: { length: 25 } });
    registry.asked.length = 0;
    registry.answer = (_, response) => {
      const body = { servers: [{ server: many[0]!.server }], metadata: { nextCursor: "again" } };
      response.end(JSON.stringify(body));
      return true;
    };
    expect((await search()).servers).toHaveLength(1);
    expect(registry.asked).toHaveLength(2);
  });

  it("takes the registry of the config, and the variable before it", async () => {
    const { env, url } = await openFixtureRegistry(ENTRIES);
    const folder = temporaryFolder();
    const file = join(folder, "mine.json");
    writeFileSync(file, JSON.stringify({ registry: { url: `${url}/v0/` } }));
    const found = await runCliHere(["search", "notes", "--config", file], { folder });
    expect(found.status).toBe(0);
    writeFileSync(file, JSON.stringify({ registry: { url: "http://127.0.0.1:9" } }));
    expect((await runCliHere(["search", "notes", "--config", file], { folder, env })).status).toBe(0);
    const bad = await runCliHere(["search", "notes"], { env: { REPERTOIRE_REGISTRY_URL: "nowhere" } });
    expect([bad.status, bad.stderr]).toEqual([
      2,
      expect.stringContaining("REPERTOIRE_REGISTRY_URL is not a URL"),
    ]);
  });

  it("names what is near when nothing is found", async () => {
    const { env } = await openFixtureRegistry(ENTRIES);
    const { status, stderr } = await runCliHere(["search", "wether"], { env });
    expect(status).toBe(7);
    expect(stderr).toContain("Did you mean com.example/weather?");
    expect(stderr).toContain("repertoire tools WORD");
  });
});

describe("T166: a registry that lies", () => {
  it("has entries that cannot be used left out and counted, and hidden text written out", async () => {
    const hostile = [
      null,
      7,
      { server: { ...ENTRIES[0]!.server, name: "no-namespace" } },
      { server: { ...ENTRIES[0]!.server, name: "io.github.acme/../../etc" } },
      { server: { ...ENTRIES[0]!.server, version: "^1.0.0" } },
      { server: { ...ENTRIES[0]!.server, packages: Array.from({ length: 101 }, () => ({})) } },
      { server: { ...ENTRIES[0]!.server, description: { a: 1 } } },
      { server: { ...ENTRIES[0]!.server, description: "a\u001b[2Jb\u202ec\nd" } },
    ];
    const registry = await openFixtureRegistry();
    registry.answer = (_, response) => {
      response.end(JSON.stringify({ servers: hostile, metadata: {} }));
      return true;
    };
    const { stdout, stderr } = await runCliHere(["search", "notes"], { env: registry.env });
    expect(stdout).toContain("a\\u{1b}[2Jb\\u{202e}c d");
    expect(stdout).not.toMatch(/[\u001b\u202e]/);
    expect(stderr).toContain("left out 7 entries");
    const json = await runCliHere(["search", "notes", "--json"], { env: registry.env });
    expect(json.stdout).not.toMatch(/[\u001b\u202e]/);
  });

  it.each<
    [what: string, status: number, body: string, headers: Record<string, string>, code: number, words: string]
  >([
    ["no JSON", 200, "<html>", {}, 5, "is not used"],
    ["another shape", 200, '{"servers": "many"}', {}, 5, "its list of servers cannot be read"],
    ["deep nesting", 200, `${"[".repeat(1000)}${"]".repeat(1000)}`, {}, 5, "is not used"],
    ["too much", 200, `"${"x".repeat(5 * 1024 * 1024)}"`, {}, 5, "more than 4194304 bytes"],
    ["an error", 503, "", {}, 4, "answers with the status 503"],
    ["a redirect to itself", 302, "", { location: "/v0/servers" }, 5, "redirects more than"],
    [
      "a redirect to a metadata service",
      302,
      "",
      { location: "http://169.254.169.254/" },
      6,
      "may not lead to",
    ],
    ["a redirect to a file", 302, "", { location: "file:///etc/passwd" }, 5, "must begin with http"],
  ])("answers with %s, and is refused with its reason", async (_, status, body, headers, code, words) => {
    const registry = await openFixtureRegistry(ENTRIES);
    registry.answer = (_request, response) => {
      response.writeHead(status, headers).end(body);
      return true;
    };
    const told = await runCliHere(["search", "notes"], { env: registry.env });
    expect([told.status, told.stderr]).toEqual([code, expect.stringContaining(words)]);
  });

  it("is gone, and the error says what to do", async () => {
    const { env, close } = await openFixtureRegistry();
    await close();
    const { status, stderr } = await runCliHere(["search", "notes"], { env });
    expect(status).toBe(4);
    expect(stderr).toContain("does not answer (ECONNREFUSED)");
    expect(stderr).toContain("REPERTOIRE_REGISTRY_URL");
  });
});
