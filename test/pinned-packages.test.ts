/** Packages that are pinned, against a registry on loopback and the npm of this machine. */
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { BIN, environmentOf } from "./fixtures/gateway-process.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";

const COUNTER = join(import.meta.dirname, "fixtures/counter-server.mjs");
const NAME = "@acme/notes-server";
const integrityOf = (letter: string) => `sha512-${letter.repeat(86)}==`;

/** A registry that has one package, and what it says can be changed. */
async function openRegistry() {
  const versions: Record<string, string> = { "1.0.0": integrityOf("a"), "1.1.0": integrityOf("b") };
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    if (decodeURIComponent(request.url ?? "") !== `/${NAME}`) return void response.writeHead(404).end("{}");
    const latest = Object.keys(versions).at(-1);
    const described = Object.entries(versions).map(([version, integrity]) => [
      version,
      { name: NAME, version, dist: { tarball: `http://127.0.0.1/${version}.tgz`, shasum: "0", integrity } },
    ]);
    const body = { name: NAME, "dist-tags": { latest }, versions: Object.fromEntries(described) };
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(async () => {
    if (server.listening) await close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, versions, asked, close };
}

/**
 * A folder with a config in which `notes` is started by a program called npx. It is our own, so that nothing is downloaded:
 * it writes down that it was started, and is a server.
 */
async function openPlace(args: readonly string[] = ["-y", NAME]) {
  const registry = await openRegistry();
  const folder = temporaryFolder();
  const npx = join(folder, "bin/npx");
  const started = join(folder, "started.txt");
  mkdirSync(join(folder, "bin"));
  writeFileSync(
    npx,
    `#!/bin/sh\necho "$@" >> "${started}"\nexec "${process.execPath}" "${COUNTER}" "${folder}/log"\n`,
  );
  chmodSync(npx, 0o755);
  writeFileSync(started, "");
  const file = join(folder, "mine.json");
  const env = { npm_config_registry: registry.url, npm_config_cache: join(folder, "npm") };
  writeFileSync(file, JSON.stringify({ mcpServers: { notes: { command: npx, args, env } } }));
  const entry = () =>
    (JSON.parse(readFileSync(file, "utf8")) as { mcpServers: Record<string, Record<string, unknown>> })
      .mcpServers["notes"]!;
  const cli = (...words: string[]) => runAside(folder, [words[0]!, "--config", file, ...words.slice(1)], env);
  /** npm answers from what it has seen before, as long as it has that. */
  const goOffline = async () => {
    await registry.close();
    rmSync(env.npm_config_cache, { recursive: true, force: true });
  };
  return { registry, folder, npx, file, entry, cli, goOffline, starts: () => readFileSync(started, "utf8") };
}

/** Not synchronous: the registry answers in this process. */
function runAside(folder: string, args: readonly string[], env: Record<string, string>) {
  return new Promise<{ status: number | null; stdout: string; stderr: string }>((resolve) => {
    const child = spawn(process.execPath, [BIN, ...args], {
      cwd: folder,
      env: { ...environmentOf(folder), ...env },
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (part: Buffer) => (stdout += part.toString()));
    child.stderr.on("data", (part: Buffer) => (stderr += part.toString()));
    child.on("close", (status) => resolve({ status, stdout, stderr }));
  });
}

describe("T163: repertoire pin", () => {
  it("writes the newest version and its integrity, and the server starts with it", async () => {
    const { cli, entry, starts } = await openPlace();
    const pinned = await cli("pin", "notes");
    expect(pinned.stderr).toContain(`pinned notes to ${NAME}@1.1.0`);
    expect(entry()).toMatchObject({ args: ["-y", `${NAME}@1.1.0`], integrity: integrityOf("b") });
    const called = await cli("call", "notes__get", "n=2");
    expect([called.status, called.stdout]).toEqual([0, expect.stringContaining("4")]);
    expect(starts()).toBe(`-y ${NAME}@1.1.0\n`);
  });

  it("keeps a version that is written, and takes the newest of a range", async () => {
    const exact = await openPlace(["-y", `${NAME}@1.0.0`]);
    await exact.cli("pin", "notes");
    expect(exact.entry()).toMatchObject({ args: ["-y", `${NAME}@1.0.0`], integrity: integrityOf("a") });
    const range = await openPlace(["-y", `${NAME}@^1.0.0`]);
    await range.cli("pin", "notes");
    expect(range.entry()).toMatchObject({ args: ["-y", `${NAME}@1.1.0`] });
  });

  it("changes nothing with --dry-run, for an unknown package, or without a registry", async () => {
    const { cli, file, goOffline } = await openPlace();
    const before = readFileSync(file, "utf8");
    expect((await cli("pin", "notes", "--dry-run")).stdout).toContain(integrityOf("b"));
    const absent = await openPlace(["-y", "@acme/no-such"]);
    expect(await absent.cli("pin", "notes")).toMatchObject({
      status: 7,
      stderr: expect.stringContaining("The registry has no package @acme/no-such") as string,
    });
    await goOffline();
    const offline = await cli("pin", "notes", "--json");
    expect(JSON.parse(offline.stdout)).toMatchObject({ success: false, error: { code: "TOOL_UNAVAILABLE" } });
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  it("says how other packages are pinned, and which servers have none", async () => {
    const { cli, file } = await openPlace();
    const servers = {
      py: { command: "uvx", args: ["some-server"] },
      image: { command: "docker", args: ["run", "-i", "some/server"] },
      own: { command: "node", args: ["server.js"] },
    };
    writeFileSync(file, JSON.stringify({ mcpServers: servers }));
    expect((await cli("pin", "py")).stderr).toContain("some-server==VERSION");
    expect((await cli("pin", "image")).stderr).toContain("some/server@sha256:");
    expect((await cli("pin", "own")).stderr).toContain("no package that could be pinned");
    expect(await cli("pin", "pi")).toMatchObject({
      status: 7,
      stderr: expect.stringContaining("py") as string,
    });
  });
});

describe("T163: a pinned server", () => {
  it("is not started when the registry has other bytes under its version", async () => {
    const { cli, registry, starts } = await openPlace();
    await cli("pin", "notes");
    registry.versions["1.1.0"] = integrityOf("x");
    const called = await cli("call", "notes__get", "n=2");
    expect(called.status).not.toBe(0);
    expect(called.stderr).toContain(`${NAME}@1.1.0 was pinned with ${integrityOf("b")}`);
    const told = JSON.parse((await cli("call", "notes__get", "n=2", "--json")).stdout) as { error: object };
    expect(told.error).toMatchObject({ code: "TOOL_UNAVAILABLE", reason: "integrity_changed" });
    const [view] = JSON.parse((await cli("servers", "--check", "--json")).stdout) as [{ cause: string }];
    expect(view.cause).toBe("integrity_changed");
    expect((await cli("doctor", "--servers", "notes")).stdout).toContain("repertoire pin notes");
    delete registry.versions["1.1.0"];
    expect((await cli("call", "notes__get", "n=2")).stderr).toContain("has no such version any more");
    expect(starts()).toBe("");
  });

  it("is not started when its version was edited and its integrity was not", async () => {
    const { cli, file, entry, starts } = await openPlace();
    await cli("pin", "notes");
    const edit = (args: readonly string[]) =>
      writeFileSync(file, JSON.stringify({ mcpServers: { notes: { ...entry(), args } } }));
    for (const args of [
      ["-y", `${NAME}@1.0.0`],
      ["-y", NAME],
      ["-y", "./own"],
    ]) {
      edit(args);
      expect((await cli("call", "notes__get", "n=2")).status).not.toBe(0);
    }
    expect(starts()).toBe("");
  });

  it("is started when the registry does not answer, and the log says so", async () => {
    const { cli, goOffline, starts } = await openPlace();
    await cli("pin", "notes");
    await goOffline();
    const called = await cli("call", "notes__get", "n=2", "--log-level", "warn");
    expect([called.status, starts()]).toEqual([0, `-y ${NAME}@1.1.0\n`]);
    expect(called.stderr).toContain("integrity");
  });
});

describe("T163: a package without an exact version", () => {
  it("is told by servers and doctor in one line, with the cure, until it is pinned", async () => {
    const { cli } = await openPlace();
    expect((await cli("servers")).stdout).toMatch(/^notes: without an exact version.*repertoire pin notes/m);
    expect(JSON.parse((await cli("servers", "--json")).stdout)).toMatchObject([{ unpinned: NAME }]);
    expect((await cli("doctor")).stdout).toMatch(/notes runs packages without an exact version/);
    await cli("pin", "notes");
    expect((await cli("servers")).stdout).not.toContain("exact version");
    expect((await cli("doctor")).stdout).not.toContain("exact version");
  });

  it("is told by add, which pins it with --pin", async () => {
    const { cli, file, npx } = await openPlace();
    const added = await cli("add", "two", "--", npx, "-y", NAME);
    expect(added.stderr).toMatch(
      /warning two: @acme\/notes-server is started with no version.*repertoire pin two/,
    );
    const pinned = await cli("add", "three", "--pin", "--json", "--", npx, "-y", NAME);
    expect(JSON.parse(pinned.stdout)).toMatchObject({
      added: "three",
      server: { args: ["-y", `${NAME}@1.1.0`], integrity: integrityOf("b") },
    });
    expect(pinned.stdout).not.toContain("warnings");
    const refused = await cli("add", "four", "--pin", "--", "node", "server.js");
    expect(refused.status).not.toBe(0);
    expect(readFileSync(file, "utf8")).not.toContain("four");
  });
});

describe("add", () => {
  it("T165: warns of a package that is nearly called like a well-known one, with both names", async () => {
    const { cli } = await openPlace();
    const { status, stderr } = await cli(
      "add",
      "gh",
      "--",
      "npx",
      "-y",
      "@modelcontextprotocol/server-githb@1.0.0",
    );
    expect(status).toBe(0);
    expect(stderr).toContain(
      "@modelcontextprotocol/server-githb is nearly called like @modelcontextprotocol/server-github",
    );
  });

  it("T166: shows what a pasted entry really starts, whole and flagged, and no shell reads it", async () => {
    const { cli, folder, file } = await openPlace();
    const mark = join(folder, "evil");
    const args = ["run", "--privileged", "-v", "/:/h", `some/server\u001b[2J`, `$(touch ${mark})`];
    const pasted = { mcpServers: { evil: { command: "docker", args, env: { A: `$(touch ${mark})` } } } };
    const { status, stderr } = await cli("add", JSON.stringify(pasted));
    expect(status).toBe(0);
    expect(stderr).toContain('"docker" "run" "--privileged" "-v" "/:/h"');
    expect(stderr).toMatch(/--privileged": it may do everything/);
    expect(stderr).toMatch(/-v \/:\/h": it gets at every file/);
    expect(stderr).toContain(`A=$(touch ${mark})`);
    expect(stderr).not.toContain("\u001b[2J");
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ mcpServers: { evil: { args } } });
    expect(() => readFileSync(mark)).toThrow("ENOENT");
    const json = await cli("add", JSON.stringify(pasted), "--force", "--json");
    expect((JSON.parse(json.stdout) as { warnings: string[] }).warnings.length).toBeGreaterThan(3);
  });
});

describe("init", () => {
  it("T165: T166: shows what is unusual about the servers of other clients, with the whole command", async () => {
    const { cli, folder, file } = await openPlace();
    const long = "x".repeat(200);
    mkdirSync(join(folder, ".cursor"));
    const mcpServers = {
      box: { command: "docker", args: ["run", "-v", "/:/h", "some/server", long, "last-word"] },
      near: { command: "npx", args: ["-y", "mcp-remot"] },
      usual: { command: "npx", args: ["-y", "some-server"] },
    };
    writeFileSync(join(folder, ".cursor/mcp.json"), JSON.stringify({ mcpServers }));
    writeFileSync(file, "{}");
    const { added } = JSON.parse((await cli("init", "--dry-run", "--json")).stdout) as {
      added: { key: string; warnings: string[] }[];
    };
    const warningsOf = (key: string) => added.find((one) => one.key === key)?.warnings.join(" ");
    expect(warningsOf("box")).toMatch(/-v \/:\/h": it gets at every file.*last-word/);
    expect(warningsOf("near")).toContain("mcp-remot is nearly called like mcp-remote");
    expect(warningsOf("usual")).toBe("");
  });
});
