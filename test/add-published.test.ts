/** `repertoire add io.github.acme/notes`: against a registry on loopback that is honest, lies, or is gone. */
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { bundleOf, sha256Of } from "./fixtures/bundle.ts";
import { runCliHere } from "./fixtures/cli-in-process.ts";
import { BIN, environmentOf } from "./fixtures/gateway-process.ts";
import {
  openFixtureRegistry,
  packageEntry,
  remoteEntry,
  type RegistryEntry,
} from "./fixtures/server-registry.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";

const NAME = "io.github.acme/notes";
const INTEGRITY = `sha512-${"a".repeat(86)}==`;
const OFF = { REPERTOIRE_KEYRING: "off" };

type Entry = Record<string, unknown> & {
  readonly installed: Record<string, string>;
  readonly args: string[];
};

/** A registry of servers, and an npm that has every package. */
async function openPlace(entries: RegistryEntry[] = [packageEntry(NAME, {})]) {
  const registry = await openFixtureRegistry(entries);
  const folder = temporaryFolder();
  const npm = join(folder, "bin/npm");
  mkdirSync(join(folder, "bin"));
  writeFileSync(
    npm,
    `#!/bin/sh\nv="\${2##*@}"\nprintf '{"version":"%s","dist.integrity":"${INTEGRITY}"}' "$v"\n`,
  );
  chmodSync(npm, 0o755);
  const config = join(folder, "mine.json");
  writeFileSync(config, "{}");
  const env = { ...OFF, ...registry.env, PATH: `${join(folder, "bin")}:${process.env["PATH"] ?? ""}` };
  const cli = (...words: string[]) =>
    runCliHere([words[0]!, "--config", config, ...words.slice(1)], { folder, env });
  const read = () =>
    JSON.parse(readFileSync(config, "utf8")) as { mcpServers?: Record<string, Entry>; inputs?: object[] };
  return { registry, folder, config, env, cli, read, entry: (key = "notes") => read().mcpServers![key]! };
}

async function refusedWith(place: Awaited<ReturnType<typeof openPlace>>, name = NAME, ...words: string[]) {
  const before = readFileSync(place.config, "utf8");
  const { status, stderr } = await place.cli("add", name, "--yes", ...words);
  expect(readFileSync(place.config, "utf8")).toBe(before);
  expect(existsSync(join(place.folder, "home/bundles"))).toBe(false);
  return { status, stderr };
}

const named = (name: string, value?: string) => ({
  type: "named",
  name,
  ...(value !== undefined && { value }),
});
const positional = (value: string) => ({ type: "positional", value });

describe("add by name", () => {
  it("writes an npm package with its exact version and integrity, held", async () => {
    const { cli, entry, registry } = await openPlace([
      packageEntry(NAME, {}),
      packageEntry(NAME, {}, "1.2.0"),
    ]);
    const { status, stderr } = await cli("add", NAME, "--yes");
    expect([status, stderr]).toEqual([0, expect.stringContaining("added notes")]);
    expect(stderr).toContain('starts    "npx" "-y" "@acme/notes@1.2.0"');
    expect(entry()).toEqual({
      command: "npx",
      args: ["-y", "@acme/notes@1.2.0"],
      integrity: INTEGRITY,
      trust: "ask",
      installed: { name: NAME, version: "1.2.0", registry: `${registry.url}/v0` },
    });
    await cli("add", `${NAME}@1.0.0`, "--yes", "--as", "old");
    expect(entry("old").args).toEqual(["-y", "@acme/notes@1.0.0"]);
    expect((await cli("config", "check")).status).toBe(0);
  });

  it("fills arguments, variables and defaults in, and keeps secrets out of the config", async () => {
    const fields = {
      packageArguments: [
        positional("serve"),
        { type: "positional", valueHint: "folder", isRequired: true, isRepeated: true, format: "filepath" },
        { type: "named", name: "--mode", choices: ["fast", "safe"], default: "safe" },
        { type: "named", name: "--port", format: "number" },
        { ...named("--region", "eu-{zone}"), variables: { zone: { isRequired: true } } },
        named("--verbose"),
      ],
      environmentVariables: [
        { name: "API_KEY", isRequired: true, isSecret: true, description: "A key" },
        { name: "LEVEL", default: "$${HOME} ${SECRET_OF_MINE}" },
        { name: "EXTRA" },
        { name: "FIXED", value: "{no} {zone}", variables: { zone: { value: "{HOME}" } } },
        { name: "SPLIT", value: "${a}", variables: { a: { value: "${PATH}" } } },
      ],
    };
    const { cli, entry, read } = await openPlace([packageEntry(NAME, fields)]);
    const words = ["--input", "folder=/a", "--input", "folder=/b", "--input", "zone=1"];
    const { status, stderr } = await cli("add", NAME, "--yes", ...words);
    expect([status, stderr]).toEqual([0, expect.stringContaining("repertoire input set notes-API_KEY")]);
    expect(entry().args.slice(2)).toEqual("serve /a /b --mode safe --region eu-1 --verbose".split(" "));
    expect(entry()["env"]).toEqual({
      API_KEY: "${input:notes-API_KEY}",
      LEVEL: "$$${HOME} $${SECRET_OF_MINE}",
      FIXED: "{no} {HOME}",
      SPLIT: "$${PATH}",
    });
    expect(read().inputs).toEqual([
      { id: "notes-API_KEY", type: "promptString", description: "API_KEY of notes: A key", password: true },
    ]);
    const [view] = JSON.parse((await cli("servers", "--json")).stdout) as [{ state: string }];
    expect(view.state).toBe("needs_input");
    const shown = JSON.parse((await cli("config", "check", "--json")).stdout) as object;
    expect(JSON.stringify(shown)).not.toContain("is not set");
  });

  it("writes a Python package, an image and a remote server", async () => {
    const digest = `ghcr.io/acme/notes@sha256:${"b".repeat(64)}`;
    const { cli, entry } = await openPlace([
      packageEntry("io.github.acme/py", {
        registryType: "pypi",
        identifier: "acme-notes",
        fileSha256: "c".repeat(64),
      }),
      packageEntry("io.github.acme/box", {
        registryType: "oci",
        identifier: digest,
        version: undefined,
        runtimeArguments: [positional("run"), named("-i"), named("--rm"), named("-e", "API_KEY")],
        environmentVariables: [{ name: "API_KEY", isSecret: true, isRequired: true }],
      }),
      packageEntry("io.github.acme/tagged", {
        registryType: "oci",
        identifier: "docker.io/acme/notes:1.0.0",
      }),
      remoteEntry("io.github.acme/far", {
        url: "https://{tenant}.notes.example/mcp",
        variables: { tenant: { isRequired: true } },
        headers: [
          {
            name: "Authorization",
            value: "Bearer {token}",
            variables: { token: { isSecret: true, isRequired: true } },
          },
          { name: "X-Plan", value: "free" },
        ],
      }),
    ]);
    for (const name of ["py", "box", "tagged"])
      expect((await cli("add", `io.github.acme/${name}`, "--yes")).status).toBe(0);
    expect(entry("py")).toMatchObject({
      command: "uvx",
      args: ["acme-notes==1.0.0"],
      installed: { sha256: "c".repeat(64) },
    });
    expect(entry("box")).toMatchObject({
      command: "docker",
      args: ["run", "-i", "--rm", "-e", "API_KEY", digest],
      env: { API_KEY: "${input:box-API_KEY}" },
    });
    expect(entry("tagged").args).toEqual(["run", "-i", "--rm", "docker.io/acme/notes:1.0.0"]);
    const far = await cli("add", "io.github.acme/far", "--yes", "--input", "tenant=acme");
    expect(far.stderr).toContain('address   "https://acme.notes.example/mcp"');
    expect(entry("far")).toMatchObject({
      type: "http",
      url: "https://acme.notes.example/mcp",
      headers: { Authorization: "Bearer ${input:far-token}", "X-Plan": "free" },
      trust: "ask",
    });
  });

  it("takes the kind that is wanted, and says which there are", async () => {
    const remotes = [
      { type: "sse", url: "https://notes.example/sse" },
      { type: "streamable-http", url: "https://notes.example/mcp" },
    ];
    const both = packageEntry(NAME, {});
    const { cli, entry } = await openPlace([{ server: { ...both.server, remotes } }]);
    await cli("add", NAME, "--yes", "--kind", "remote");
    expect(entry()).toMatchObject({ type: "http", url: "https://notes.example/mcp" });
    const { status, stderr } = await cli("add", NAME, "--yes", "--kind", "pypi", "--as", "x");
    expect([status, stderr]).toEqual([2, expect.stringContaining('It has "npm", "remote"')]);
  });

  it("shows what it would write, and writes nothing, with --dry-run and without a yes", async () => {
    const place = await openPlace();
    const dry = await place.cli("add", NAME, "--dry-run");
    expect([dry.status, dry.stdout]).toEqual([0, expect.stringContaining("@acme/notes@1.0.0")]);
    expect(place.read()).toEqual({});
    const { status, stderr } = await place.cli("add", NAME);
    expect([status, stderr]).toEqual([2, expect.stringContaining("give --yes")]);
    expect(place.read()).toEqual({});
  });

  it("names what is near, the newest version, and a name that is taken", async () => {
    const place = await openPlace();
    expect(await refusedWith(place, "io.github.acme/nots")).toMatchObject({
      status: 7,
      stderr: expect.stringContaining(`Did you mean ${NAME}?`) as string,
    });
    expect((await refusedWith(place, `${NAME}@9.9.9`)).stderr).toContain("the newest is 1.0.0");
    expect((await refusedWith(place, `${NAME}@^1`)).stderr).toContain("is not exactly one version");
    await place.cli("add", NAME, "--yes");
    expect((await refusedWith(place)).stderr).toContain("--as NAME gives this one another name");
  });

  it("leaves every other form of add as it was", async () => {
    const { cli, entry, registry } = await openPlace();
    expect((await cli("add", NAME, "--", "node", "x.js")).status).toBe(0);
    expect((await cli("add", "two", "io.github.acme/tool")).status).toBe(0);
    expect(entry("two")).toEqual({ command: "io.github.acme/tool" });
    expect((await cli("add", "three", "./notes.mcpb")).status).toBe(0);
    expect((await cli("add", "four")).stderr).toContain("give the program to start");
    expect(registry.asked).toEqual([]);
  });

  it("of two at once writes both", async () => {
    const other = "io.github.acme/tasks";
    const place = await openPlace([
      packageEntry(NAME, {}),
      packageEntry(other, { identifier: "acme-tasks" }),
    ]);
    const codes = await Promise.all(
      [NAME, other, NAME].map((name, i) => addAside(place, name, i === 2 ? ["--as", "more"] : [])),
    );
    expect(codes).toEqual([0, 0, 0]);
    expect(Object.keys(place.read().mcpServers!).sort()).toEqual(["more", "notes", "tasks"]);
  });
});

function addAside(
  { folder, config, env }: Awaited<ReturnType<typeof openPlace>>,
  name: string,
  words: string[],
) {
  return new Promise<number | null>((resolve) => {
    const args = [BIN, "add", "--config", config, name, "--yes", ...words];
    const child = spawn(process.execPath, args, {
      cwd: folder,
      env: environmentOf(folder, env),
      stdio: "ignore",
    });
    child.on("close", resolve);
  });
}

describe("T165: a name that is nearly that of another server", () => {
  it.each([
    [
      "a well-known one",
      "io.github.githup/github-mcp-server",
      "io.github.github/github-mcp-server",
      "well known",
    ],
    ["one of the registry", "io.github.acrne/notes", NAME, "the registry has too"],
  ])("is refused with both names: %s", async (_, asked, known, why) => {
    const place = await openPlace([packageEntry(asked, {}), packageEntry(NAME, {})]);
    const { status, stderr } = await refusedWith(place, asked);
    expect(status).toBe(6);
    expect(stderr).toContain(`"${asked}" is nearly called like "${known}"`);
    expect(stderr).toContain(why);
    expect(stderr).toContain("give --allow lookalike");
    expect((await place.cli("add", asked, "--yes", "--allow", "lookalike")).status).toBe(0);
  });

  it("is refused where the other one is configured, also in another namespace", async () => {
    const place = await openPlace([packageEntry("io.github.evil/notes", {}), packageEntry(NAME, {})]);
    await place.cli("add", NAME, "--yes");
    const { stderr } = await refusedWith(place, "io.github.evil/notes", "--as", "other");
    expect(stderr).toContain("which your config has already");
  });

  it("is told where letters only look like those of a name", async () => {
    const place = await openPlace();
    const { status, stderr } = await refusedWith(place, "io.github.аcme/notes");
    expect(status).toBe(6);
    expect(stderr).toContain('it has U+0430, and only looks like "io.github.acme/notes"');
    expect(place.registry.asked).toEqual([]);
  });
});

const npm = (fields: Record<string, unknown>) => packageEntry(NAME, fields);
const image = (fields: Record<string, unknown>) =>
  npm({ registryType: "oci", identifier: "docker.io/acme/notes:1.0.0", ...fields });
const variable = (name: string, value: string) => ({ environmentVariables: [{ name, value }] });

describe("T166: an entry is refused, whatever is allowed, with", () => {
  it.each<[what: string, entry: RegistryEntry, words: string]>([
    [
      "spaces in the identifier",
      npm({ identifier: "@acme/notes --registry http://evil" }),
      "is no name of an npm package",
    ],
    ["a flag as the identifier", npm({ identifier: "--call=id" }), "is no name of an npm package"],
    ["a path as the identifier", npm({ identifier: "../notes" }), "is no name of an npm package"],
    ["a git address", npm({ identifier: "git+https://evil.example/x" }), "is no name of an npm package"],
    ["a shell in the identifier", npm({ identifier: "notes;id" }), "is no name of an npm package"],
    [
      "a flag as a Python package",
      npm({ registryType: "pypi", identifier: "-r=x" }),
      "is no name of a Python package",
    ],
    ["a range", npm({ version: "^1.0.0" }), "which is not exactly one"],
    ["the newest", npm({ version: "latest" }), "which is not exactly one"],
    ["no version", npm({ version: undefined }), "has no version"],
    ["another npm registry", npm({ registryBaseUrl: "https://npm.evil.example" }), "its package is not on"],
    ["an image that moves", image({ identifier: "docker.io/acme/notes:latest" }), "which is not exactly one"],
    [
      "an image without a tag",
      image({ identifier: "docker.io/acme/notes", version: undefined }),
      "has no version",
    ],
    ["a flag as an image", image({ identifier: "--privileged" }), "is no name of an image"],
    [
      "a line break in an argument",
      npm({ packageArguments: [positional("a\nb")] }),
      "has control characters",
    ],
    [
      "an escape in a default",
      npm({ environmentVariables: [{ name: "A", default: "\u001b[2J" }] }),
      "has control characters",
    ],
    ["a variable that is none", npm(variable("A B", "x")), "is no name of a variable"],
    ["a prototype as a variable", npm(variable("__proto__", "x")), "is no name of a variable"],
    [
      "a header that is none",
      remoteEntry(NAME, { url: "https://e.example", headers: [{ name: "A: b", value: "x" }] }),
      "is no name of a header",
    ],
    [
      "a remote server without TLS",
      remoteEntry(NAME, { url: "http://notes.example/mcp" }),
      "is reached without TLS",
    ],
    ["a metadata service", remoteEntry(NAME, { url: "https://169.254.169.254/mcp" }), "is not reached"],
    [
      "an address that is none",
      remoteEntry(NAME, { url: "{all}", variables: { all: { default: "https://x" } } }),
      "is no address of a server",
    ],
    [
      "a bundle without a hash",
      npm({ registryType: "mcpb", identifier: "http://127.0.0.1/x.mcpb" }),
      "no SHA-256",
    ],
    [
      "a bundle of a file",
      npm({ registryType: "mcpb", identifier: "file:///etc/passwd", fileSha256: "a".repeat(64) }),
      "is no address of a bundle",
    ],
  ])("%s", async (_, entry, words) => {
    const place = await openPlace([entry]);
    const all = ["reach", "shell", "lookalike", "deprecated"].flatMap((kind) => ["--allow", kind]);
    const { status, stderr } = await refusedWith(place, NAME, ...all);
    expect([status, stderr]).toEqual([6, expect.stringContaining(words)]);
    expect(stderr).not.toContain("\u001b[2J");
  });

  it("a version that was deleted, or another server in the answer", async () => {
    const deleted = await openPlace([{ ...npm({}), status: "deleted" }]);
    expect(await refusedWith(deleted)).toMatchObject({
      status: 6,
      stderr: expect.stringContaining("was deleted") as string,
    });
    const lying = await openPlace();
    lying.registry.answer = (_, response) => {
      response.end(JSON.stringify({ server: { ...npm({}).server, name: "io.github.evil/notes" } }));
      return true;
    };
    expect((await refusedWith(lying)).stderr).toContain('answered with "io.github.evil/notes"');
  });
});

describe("T166: an entry is flagged, shown in full, and refused unless it is allowed, with", () => {
  it.each<[what: string, entry: RegistryEntry, kind: string, words: string]>([
    ["--privileged", image({ runtimeArguments: [named("--privileged")] }), "reach", "it may do everything"],
    ["the whole disk", image({ runtimeArguments: [named("-v", "/:/h")] }), "reach", "it gets at every file"],
    [
      "the whole disk in one word",
      image({ runtimeArguments: [positional("--volume=/:/h")] }),
      "reach",
      "--volume=/:/h",
    ],
    [
      "the host's network",
      image({ runtimeArguments: [named("--network", "host")] }),
      "reach",
      "is not apart",
    ],
    [
      "a mount of what is asked",
      image({ runtimeArguments: [{ ...named("--mount", "src={p}"), variables: { p: { default: "/x" } } }] }),
      "reach",
      "what the container gets at",
    ],
    [
      "a variable for the container",
      image({ runtimeArguments: [named("-e", "LD_PRELOAD=/x")] }),
      "reach",
      "LD_PRELOAD",
    ],
    [
      "another registry for npx",
      npm({ runtimeArguments: [named("--registry", "http://evil")] }),
      "reach",
      "where the package comes from",
    ],
    [
      "a shell for npx",
      npm({ runtimeArguments: [named("-c", "id")] }),
      "reach",
      "is an argument of npx itself",
    ],
    ["a loader", npm(variable("NODE_OPTIONS", "--import x")), "reach", "other code loaded"],
    [
      "a registry in a variable",
      npm(variable("npm_config_registry", "http://evil")),
      "reach",
      "decides what is fetched",
    ],
    [
      "a command in a default",
      npm({ environmentVariables: [{ name: "A", default: "$(touch /tmp/x)" }] }),
      "shell",
      "$(touch /tmp/x)",
    ],
    ["a command in an argument", npm({ packageArguments: [positional("`id`")] }), "shell", "`id`"],
    [
      "a warning of its own registry",
      { ...npm({}), status: "deprecated" },
      "deprecated",
      'is "deprecated" in the registry',
    ],
  ])("%s", async (_, entry, kind, words) => {
    const place = await openPlace([entry]);
    const { status, stderr } = await refusedWith(place);
    expect([status, stderr]).toEqual([6, expect.stringContaining(words)]);
    expect(stderr).toContain(`--allow ${kind}`);
    const dry = await place.cli("add", NAME, "--dry-run", "--json");
    expect([dry.status, JSON.parse(dry.stdout)]).toMatchObject([
      6,
      { changed: false, refused: { reason: kind } },
    ]);
    expect((await place.cli("add", NAME, "--yes", "--allow", kind)).status).toBe(0);
  });

  it("words of a thousand characters are shown to their end", async () => {
    const long = `${"x".repeat(1500)}-the-end`;
    const { cli } = await openPlace([npm({ packageArguments: [positional(long)] })]);
    expect((await cli("add", NAME, "--dry-run")).stderr).toContain("-the-end");
  });
});

describe("a bundle of the registry", () => {
  it("is downloaded, compared with its hash, held, approved and called", async () => {
    const place = await openPlace([]);
    const bundle = bundleOf();
    place.registry.files.set("/notes.mcpb", bundle);
    const fields = {
      registryType: "mcpb",
      identifier: `${place.registry.url}/notes.mcpb`,
      fileSha256: sha256Of(bundle),
    };
    place.registry.entries.push(npm(fields));
    expect((await place.cli("add", NAME, "--yes")).status).toBe(0);
    expect(place.entry().installed).toMatchObject({ name: NAME, version: "1.0.0", sha256: sha256Of(bundle) });
    expect((await place.cli("call", "notes__settings")).status).toBe(6);
    expect((await place.cli("approve", "notes", "--yes")).status).toBe(0);
    expect((await place.cli("call", "notes__settings")).status).toBe(0);
  });

  it("T166: is refused where its bytes are others, by the registry's hash and by a person's", async () => {
    const place = await openPlace([]);
    place.registry.files.set("/notes.mcpb", bundleOf());
    const address = `${place.registry.url}/notes.mcpb`;
    place.registry.entries.push(
      npm({ registryType: "mcpb", identifier: address, fileSha256: "d".repeat(64) }),
    );
    expect((await refusedWith(place)).stderr).toContain(`and ${"d".repeat(64)} was announced`);
    expect((await refusedWith(place, address)).stderr).toContain("Give --sha256 HASH");
    expect((await refusedWith(place, address, "--sha256", "e".repeat(64))).stderr).toContain("was announced");
    const added = await place.cli("add", address, "--yes", "--sha256", sha256Of(bundleOf()));
    expect(added.status).toBe(0);
  });
});

it("a remote server of the registry is held, approved and called through the gateway", async () => {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part: Buffer) => (body += part.toString()));
    request.on("end", () => answerMcp(body, request.headers["x-key"], response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const place = await openPlace([
    remoteEntry(NAME, { url, headers: [{ name: "X-Key", value: "plain ${HOME}" }] }),
  ]);
  expect((await place.cli("add", NAME, "--yes")).status).toBe(0);
  expect((await place.cli("call", "notes__key")).status).toBe(6);
  expect((await place.cli("approve", "notes", "--yes")).status).toBe(0);
  expect((await place.cli("call", "notes__key")).stdout).toContain("plain ${HOME}");
});

function answerMcp(body: string, key: unknown, response: ServerResponse) {
  const { id, method, params } = JSON.parse(body || "{}") as {
    id?: number;
    method?: string;
    params?: { protocolVersion?: string };
  };
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "far", version: "1" },
    },
    "tools/list": { tools: [{ name: "key", inputSchema: { type: "object" } }] },
    "tools/call": { content: [{ type: "text", text: String(key) }] },
  };
  if (id === undefined) return void response.writeHead(202).end();
  const result = results[method ?? ""];
  const answer = result === undefined ? { error: { code: -32601, message: "no" } } : { result };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
}

it("a registry that is gone changes nothing, and the error says what to do", async () => {
  const place = await openPlace();
  await place.registry.close();
  const { status, stderr } = await refusedWith(place);
  expect(status).toBe(4);
  expect(stderr).toContain("Nothing was changed");
  expect(stderr).toContain("repertoire add NAME -- COMMAND");
});

it("a registry that goes between two questions changes nothing", async () => {
  const place = await openPlace();
  place.registry.answer = (request, response) => {
    if (request.url?.includes("search=") !== true) return false;
    response.destroy();
    return true;
  };
  expect((await refusedWith(place)).status).toBe(4);
});
