/** Attacks on the processes of the sandbox, by their numbers: what a runner is given, what leaves it, and how it ends. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { eventually } from "../../test/fixtures/temporary.ts";
import { findNetworkFence } from "./runner/runner-process.ts";
import {
  createAttackedSandbox,
  createTestSandbox,
  isRunning,
  launchLiar,
  valueOf,
} from "./sandbox.testkit.ts";

const IS_LINUX = process.platform === "linux";

const { run, sandbox, servedBy, grownMb } = createAttackedSandbox();

describe.skipIf(!IS_LINUX)("T023 a runner is given nothing", () => {
  const inspectors = (pid: number) =>
    readFileSync(`/proc/${pid}/net/tcp`, "utf8")
      .split("\n")
      .filter((line) => / 0A /.test(line) && /:240D /.test(line));

  test("T023 no environment, a folder for temporary files, and its three streams", () => {
    expect(sandbox.pids().length).toBeGreaterThan(0);
    for (const pid of sandbox.pids()) {
      expect(readFileSync(`/proc/${pid}/environ`, "utf8")).toBe("");
      expect(readlinkSync(`/proc/${pid}/cwd`)).toBe(realpathSync(tmpdir()));
      const others = readdirSync(`/proc/${pid}/fd`).filter((fd) => Number(fd) > 2);
      const opened = others.map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
      expect(opened.filter((name) => !/^(anon_inode:|pipe:|\/dev\/null$)/.test(name))).toEqual([]);
    }
  });

  test("T023 and no inspector: SIGUSR1 opens no port, and the runner lives", async () => {
    await run("return 1;");
    const pid = servedBy.at(-1)!;
    // A Node that would open its inspector catches this signal; whether the port is seen in time proves less.
    const [, caught] = /SigCgt:\s*(\w+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))!;
    expect(BigInt(`0x${caught}`) & (1n << BigInt(constants.signals.SIGUSR1 - 1))).toBe(0n);
    process.kill(pid, "SIGUSR1");
    await run("return 1;");
    expect(isRunning(pid)).toBe(true);
    expect(inspectors(pid)).toEqual([]);
    expect(readFileSync(`/proc/${pid}/cmdline`, "utf8")).not.toContain("--inspect");
  });

  test("T023 and the permission model: it may start nothing, write nothing, and read its own program alone", () => {
    for (const pid of sandbox.pids()) {
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      expect(words).toContain("--permission");
      expect(words).toContain("--disable-sigusr1");
      expect(words).toContain("--disallow-code-generation-from-strings");
      expect(
        words.filter((word) => word.startsWith("--allow-") && !/^--allow-fs-read=\/.+/.test(word)),
      ).toEqual([]);
    }
  });
});

describe("T024 nothing leaves a runner", () => {
  test("T024 the guest has no means to reach a port of this machine", async () => {
    let connectionCount = 0;
    const server = createServer((socket) => {
      connectionCount++;
      socket.destroy();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const outcome = await run(`
      const url = "http://127.0.0.1:${port}/";
      const ways = [() => fetch(url), () => new WebSocket(url), () => new XMLHttpRequest().open("GET", url), () => new EventSource(url),
        () => navigator.sendBeacon(url), () => import(url), () => import("node:net"), () => import("node:dns"), () => importScripts(url),
        () => Function("return fetch")()(url), () => new Worker(url), () => require("net").connect(${port}), () => std.urlGet(url)];
      const seen = [];
      for (const way of ways) try { await way(); seen.push("WORKED"); } catch (error) { seen.push(error.name); }
      return [...new Set(seen)];`);
    expect(valueOf(outcome)).toEqual(["ReferenceError"]);
    expect(connectionCount).toBe(0);
  });

  test("T024 nor is there a network in its process, where the system can take it away", async ({ skip }) => {
    const fence = await findNetworkFence();
    if (fence.length === 0) return skip("this system has no unshare, or does not allow it");
    const own = readlinkSync("/proc/self/ns/net");
    const theirs = sandbox.pids().map((pid) => readlinkSync(`/proc/${pid}/ns/net`));
    expect(theirs).not.toContain(own);
    for (const pid of sandbox.pids()) {
      const devices = readFileSync(`/proc/${pid}/net/dev`, "utf8").split("\n").slice(2).filter(Boolean);
      expect(devices.every((line) => line.trim().startsWith("lo:"))).toBe(true);
    }
  });
});

describe("processes", () => {
  test("T008 a runner that is killed from outside during a run gives crashed", async () => {
    const outcome = await run(`console.log("here"); while (true) {}`, {
      onLog: () => process.kill(servedBy.at(-1)!, "SIGKILL"),
    });
    expect(outcome).toMatchObject({ kind: "crashed", reason: expect.stringContaining("SIGKILL") });
  });

  /** Runs a program of its own that has a sandbox. */
  function startGateway(body: string) {
    const source = (name: string) => JSON.stringify(join(import.meta.dirname, name));
    const program = `
      import { createSandbox } from ${source("sandbox.ts")};
      import { launch } from ${source("../process/launch.ts")};
      const sandbox = createSandbox({ launch, memoryMb: () => 64 });
      const run = (code, options) => sandbox.run({ script: "(async () => {" + code + "})", args: {}, functions: [], call: async () => ({}), seed: "",
        clockAt: 0, timeoutMs: 60_000, callsMax: 1, callsAtOnceMax: 1, signal: new AbortController().signal, level: 0, owner: "", ...options });
      ${body}`;
    const gateway = spawn(process.execPath, ["--input-type=module", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void gateway.kill("SIGKILL"));
    return gateway;
  }

  test("close ends every runner and every run, and leaves no handle and no listener", async () => {
    const gateway = startGateway(`
      void [process.stdout, process.stderr];
      const left = () => [process.getActiveResourcesInfo().sort(), process.eventNames().length];
      const before = left();
      const stop = new AbortController();
      await Promise.all([run("return 1"), run("for (;;);", { timeoutMs: 300 }),
        run("console.log(1); for (;;);", { signal: stop.signal, onLog: () => stop.abort() })]);
      const pids = new Set();
      const underWay = await run("console.log(1); for (;;);", { onLog: () => { sandbox.pids().forEach((pid) => pids.add(pid)); void sandbox.close(); } });
      await sandbox.close();
      const alive = [...pids].filter((pid) => { try { return process.kill(pid, 0); } catch { return false; } });
      const late = await run("return 1");
      for (let i = 0; i < 1000 && String(left()) !== String(before); i++) await new Promise((resolve) => setImmediate(resolve));
      setImmediate(() => console.log(JSON.stringify({ before, after: left(), underWay: underWay.kind, pids: pids.size > 0, alive, late: late.kind, known: sandbox.pids() })));`);
    const [[chunk], [code]] = await Promise.all([once(gateway.stdout, "data"), once(gateway, "exit")]);
    const told = JSON.parse(String(chunk)) as Record<string, unknown>;
    expect(told["after"]).toEqual(told["before"]);
    expect(told).toMatchObject({ pids: true, alive: [], late: "busy", known: [] });
    expect(["crashed", "cancelled"]).toContain(told["underWay"]);
    expect(code).toBe(0);
  });

  test.skipIf(process.platform === "win32")("a gateway that is killed with -9 leaves no runner", async () => {
    const gateway = startGateway(
      `void run("console.log(1); while (true) {}", { onLog: () => console.log(JSON.stringify(sandbox.pids())) });`,
    );
    const [chunk] = (await once(gateway.stdout, "data")) as [Buffer];
    const pids = JSON.parse(chunk.toString()) as number[];
    expect(pids.length).toBeGreaterThan(0);
    expect(pids.every(isRunning)).toBe(true);
    gateway.kill("SIGKILL");
    await eventually("the end of its runners", () => !pids.some(isRunning));
  });
});

describe("a runner that lies", () => {
  const DONE = '"unhandled":[],"unhandledCount":0,"consoleDropped":{"lines":0,"bytes":0},"memoryBytes":1';
  const frames = (...lines: string[]) => JSON.stringify(`${lines.join("\n")}\n`);

  test.each([
    ["ends with no object", frames("D null")],
    ["ends with nothing said", frames("D {}")],
    ["ends with what is no JSON", frames("D {")],
    ["ends in a way that there is not", frames(`D {"kind":"escaped",${DONE}}`)],
    ["tells rejections that are no list", frames('D {"kind":"returned","unhandled":5,"memoryBytes":1}')],
    ["returns what is no JSON", frames("V {", `D {"kind":"returned",${DONE}}`)],
    ["calls what was not granted", frames("C 1 7 {}")],
    ["counts its calls wrong", frames("C 9 0 {}")],
    ["prints at a level that there is not", frames('L loud 1 "a"')],
    ["writes a line without end", '"x".repeat(3e6)'],
  ])("that %s spoils its own run alone", async (_, answer) => {
    const liar = createTestSandbox({ launch: launchLiar(answer) });
    const outcome = await liar.run("return 1;", { timeoutMs: 1000 });
    expect(["crashed", "threw"]).toContain(outcome.kind);
    await liar.sandbox.close();
  });

  test("that says it is done and then says more is not given to the next run", async () => {
    const answer = frames(`D {"kind":"returned",${DONE}}`, 'L info 1 "a"');
    const liar = createTestSandbox({ launch: launchLiar(answer) });
    await liar.run("return 1;");
    const [pid] = liar.servedBy;
    await eventually("the end of the liar", () => !liar.sandbox.pids().includes(pid!));
    await liar.sandbox.close();
  });
});

test("all of these attacks have cost this process no memory to speak of", () => {
  expect(grownMb()).toBeLessThan(128);
});
