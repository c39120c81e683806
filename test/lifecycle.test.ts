import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bundle } from "../scripts/bundle.ts";
import { BIN, environmentOf, INITIALIZE, startGateway } from "./fixtures/gateway-process.ts";
import { eventually, temporaryFolder } from "./fixtures/temporary.ts";

async function startedGateway(options: Parameters<typeof startGateway>[0] = {}) {
  const gateway = startGateway(options);
  gateway.send(INITIALIZE);
  await gateway.answer("init");
  return gateway;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("leaving", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s exits with %i, and nothing is left", async (signal, code) => {
    const gateway = await startedGateway();
    gateway.child.kill(signal);
    expect(await gateway.exited()).toEqual({ code, signal: null });
    expect(isAlive(gateway.child.pid!)).toBe(false);
  });

  it("the end of stdin exits with 0", async () => {
    const gateway = await startedGateway();
    gateway.child.stdin.end();
    expect(await gateway.exited()).toEqual({ code: 0, signal: null });
  });

  it("works before the client has said a word, too", async () => {
    const gateway = startGateway();
    await eventually("the start", () => gateway.stderr().includes("gateway.started"));
    gateway.child.kill("SIGTERM");
    expect(await gateway.exited()).toEqual({ code: 143, signal: null });
    const silent = startGateway();
    silent.child.stdin.end();
    expect(await silent.exited()).toEqual({ code: 0, signal: null });
  });

  it("a client that stops reading cannot hold the gateway", async () => {
    const gateway = await startedGateway();
    gateway.child.stdout.pause();
    for (let id = 0; id < 2_000; id++) gateway.send({ jsonrpc: "2.0", id, method: "tools/list" });
    gateway.child.kill("SIGTERM");
    await eventually(
      "the process to be gone",
      () => !isAlive(gateway.child.pid!) || gateway.child.exitCode !== null,
    );
    expect(gateway.child.exitCode).toBe(143);
  });
});

it("a database that is not ours ends the start with what to do, and keeps every byte", async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "home"), { mode: 0o700 });
  const database = join(folder, "home", "repertoire.db");
  writeFileSync(database, "somebody else's");
  const gateway = startGateway({ folder });
  expect(await gateway.exited()).toEqual({ code: 1, signal: null });
  expect(gateway.stdout()).toBe("");
  expect(gateway.stderr()).toContain(database);
  expect(gateway.stderr()).toContain("move it aside");
  expect(readFileSync(database, "utf8")).toBe("somebody else's");
});

it("tells a person at a terminal what it waits for", () => {
  const folder = temporaryFolder();
  const command = `${process.execPath} ${BIN} serve --log-level error`;
  const { stdout } = spawnSync("/usr/bin/script", ["-qec", command, "/dev/null"], {
    encoding: "utf8",
    env: environmentOf(folder),
    input: "\u0004",
    timeout: 10_000,
  });
  expect(stdout).toContain("repertoire demo");
});

it("T013: a promise that a dependency forgot is logged, and the gateway goes on", async () => {
  const folder = temporaryFolder();
  const stray = join(folder, "stray.mjs");
  writeFileSync(stray, `setTimeout(() => Promise.reject(new Error("stray")), 2500);`);
  const gateway = startGateway({ folder, env: { NODE_OPTIONS: `--import=${stray}` } });
  gateway.send(INITIALIZE);
  await gateway.answer("init");
  await eventually("the report", () => gateway.stderr().includes("gateway.unhandled"));
  gateway.send({ jsonrpc: "2.0", id: 1, method: "ping" });
  expect(await gateway.answer(1)).toMatchObject({ result: {} });
});

it("keeps compiled code where only its owner can write", async () => {
  const caches = temporaryFolder();
  const gateway = await startedGateway({ env: { XDG_CACHE_HOME: caches } });
  gateway.child.stdin.end();
  await gateway.exited();
  const folder = join(caches, "repertoire/compiled");
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(globSync("**/*", { cwd: folder }).length).toBeGreaterThan(5);
});

describe("stdout", () => {
  it("carries nothing but the protocol, even if every module of every room prints", async () => {
    const rooms = new Set<string>();
    const folder = temporaryFolder();
    const outDir = join(folder, "dist");
    await bundle({
      outDir,
      console: false,
      plugins: [
        {
          name: "leak",
          transform(code, id) {
            const room = /\/src\/([^/]+)\//.exec(id)?.[1];
            // The two files that the bin loads before it has reserved stdout; they import nothing.
            if (room === undefined || /process\/(node-version|stdout)\.ts$/.test(id)) return null;
            rooms.add(room);
            const leak = JSON.stringify(`LEAK from ${room}`);
            return `${code}\nconsole.log(${leak});console.info(${leak});process.stdout.write(${leak} + "\\n");`;
          },
        },
      ],
    });
    writeFileSync(join(folder, "package.json"), `{"type": "module"}`);
    const all = globSync("*/", { cwd: join(import.meta.dirname, "../src") }).map((room) =>
      room.replace("/", ""),
    );
    expect([...rooms].sort()).toEqual(all.sort());

    const gateway = startGateway({ bin: join(outDir, "main.js") });
    gateway.send(INITIALIZE);
    gateway.send({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    gateway.send({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "browse_components" } });
    await gateway.answer(2);
    gateway.child.stdin.end();
    await gateway.exited();
    const lines = gateway.stdout().trimEnd().split("\n");
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
    // `api` is for programs that import the package; the command loads nothing of it.
    for (const room of all.filter((name) => name !== "api"))
      expect(gateway.stderr()).toContain(`LEAK from ${room}`);
  });
});
