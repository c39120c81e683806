/** A server in a sandbox of the operating system gets no further than its rules say, whatever it tries. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer, type AddressInfo, type ListenOptions } from "node:net";
import { basename, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { connect, runCli } from "./fixtures/gateway-process.ts";
import { groupIsGone, livingMembers } from "./fixtures/process-group.ts";
import { eventually, eventuallyAsync, temporaryFolder } from "./fixtures/temporary.ts";
import {
  ESCAPING,
  HAS_BUBBLEWRAP,
  makeUser,
  OPEN,
  rulesOf,
  startIsolated,
  type Tried,
} from "./rig/isolated-gateway.ts";

const FILESYSTEM_SERVER = join(
  import.meta.dirname,
  "../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js",
);
const REFUSED: Tried = { refused: expect.any(String) as string };

async function listen(on: ListenOptions): Promise<number> {
  const server = createServer((socket) => socket.end("here"));
  await new Promise<void>((resolve) => server.listen(on, resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function startWeb(): Promise<string> {
  const server = createHttpServer((request, response) => response.end(`web ${request.url}`));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe.skipIf(!HAS_BUBBLEWRAP)("the files of an isolated server", () => {
  it("reads what is not denied, and writes nothing", async () => {
    const { attempt, folder } = await startIsolated();
    expect(await attempt("read", { path: join(folder, "notes/today.txt") })).toEqual({ done: "dentist" });
    expect(await attempt("read", { path: "/etc/hostname" })).toHaveProperty("done");
    for (const path of ["notes/today.txt", "new.txt", "project/new.txt"]) {
      expect(await attempt("write", { path: join(folder, path) })).toEqual(REFUSED);
    }
    expect(readFileSync(join(folder, "notes/today.txt"), "utf8")).toBe("dentist");
  });

  it("does not see credentials, nor what the gateway keeps, nor its config", async () => {
    const { attempt, folder, file } = await startIsolated();
    for (const path of [".ssh/id_ed25519", ".aws/credentials"]) {
      expect(await attempt("read", { path: join(folder, path) })).toEqual({ refused: "ENOENT" });
    }
    expect(await attempt("read", { path: join(folder, ".netrc") })).toEqual(REFUSED);
    expect(existsSync(join(folder, "home/repertoire.db"))).toBe(true);
    expect(await attempt("list", { path: join(folder, "home") })).toEqual({ done: [] });
    expect(await attempt("read", { path: file })).toEqual(REFUSED);
    expect(await attempt("write", { path: join(folder, "home/new") })).toEqual(REFUSED);
  });

  it("writes what the rules allow, but nothing that they deny within it", async () => {
    const { attempt, folder } = await startIsolated({
      sandbox: {
        filesystem: {
          allowRead: ["~"],
          allowWrite: ["."],
          denyWrite: ["hooks"],
          denyRead: ["~/notes/private"],
        },
      },
    });
    const at = (path: string) => join(folder, path);
    expect(await attempt("write", { path: at("project/new.txt"), text: "new" })).toEqual({ done: "written" });
    expect(readFileSync(at("project/new.txt"), "utf8")).toBe("new");
    expect(await attempt("write", { path: at("project/hooks/pre-commit") })).toEqual(REFUSED);
    expect(await attempt("rename", { path: at("project/hooks"), to: at("project/old") })).toEqual(REFUSED);
    expect(await attempt("remove", { path: at("project/hooks") })).toEqual(REFUSED);
    expect(await attempt("list", { path: at("notes/private") })).toEqual({ done: [] });
    expect(await attempt("read", { path: at("notes/today.txt") })).toEqual({ done: "dentist" });
    expect(readFileSync(at("project/hooks/pre-commit"), "utf8")).toBe("check");
  });

  it("cannot move a protected place away with the folder around it", async () => {
    const { attempt, folder } = await startIsolated({
      sandbox: { filesystem: { allowRead: ["~"], allowWrite: ["~"], denyWrite: ["hooks"] } },
    });
    const at = (path: string) => join(folder, path);
    expect(await attempt("rename", { path: at("project"), to: at("moved") })).toEqual(REFUSED);
    expect(await attempt("rename", { path: at("home"), to: at("moved") })).toEqual(REFUSED);
    expect(await attempt("rename", { path: at(".ssh"), to: at("moved") })).toEqual(REFUSED);
    expect(await attempt("list", { path: at("home") })).toEqual({ done: [] });
  });

  it("is not led out by a link in a folder that it may write", async () => {
    const { attempt, folder } = await startIsolated({
      sandbox: { filesystem: { allowWrite: ["."], denyRead: ["~/notes"] } },
    });
    const at = (path: string) => join(folder, path);
    symlinkSync(at("notes/today.txt"), at("project/link"));
    expect(await attempt("read", { path: at("project/link") })).toEqual(REFUSED);
    expect(await attempt("write", { path: at("project/link") })).toEqual(REFUSED);
    expect(await attempt("link", { path: at(".ssh/id_ed25519"), to: at("project/key") })).toEqual(REFUSED);
    expect(await attempt("link", { path: "/etc/hostname", to: at("project/name") })).toHaveProperty("done");
    expect(await attempt("write", { path: at("project/name") })).toEqual(REFUSED);
    expect(await attempt("hardLink", { path: "/etc/hostname", to: at("project/hard") })).toEqual(REFUSED);
    expect(readFileSync(at("notes/today.txt"), "utf8")).toBe("dentist");
  });

  it("may write everywhere, and still sees no other process and no credential", async () => {
    const { attempt, folder, pid } = await startIsolated({ sandbox: { filesystem: { allowWrite: ["/"] } } });
    // The folder is below /tmp, which is the server's own.
    await attempt("write", { path: join(folder, "new.txt") });
    expect(existsSync(join(folder, "new.txt"))).toBe(false);
    expect(await attempt("read", { path: `/proc/${pid}/environ` })).toEqual(REFUSED);
    expect((await attempt("processes")).done).toBeLessThan(5);
    expect(await attempt("read", { path: join(folder, ".ssh/id_ed25519") })).toEqual(REFUSED);
    expect(await attempt("list", { path: "/run" })).toEqual({ done: [] });
  });

  it("has a /tmp and a /run of its own", async () => {
    const { attempt, folder } = await startIsolated();
    expect(await attempt("list", { path: "/run" })).toEqual({ done: [] });
    expect(await attempt("write", { path: "/run/new" })).toEqual(REFUSED);
    expect(await attempt("write", { path: "/tmp/of-a-server", text: "x" })).toEqual({ done: "written" });
    expect(existsSync("/tmp/of-a-server")).toBe(false);
    const { done: listed } = await attempt("list", { path: "/tmp" });
    expect(listed).toEqual(expect.arrayContaining(["of-a-server", basename(folder)]));
    expect(listed).not.toContain(basename(temporaryFolder()));
    const { done } = (await attempt("environment")) as { done: Record<string, string> };
    expect(done["TMPDIR"]).toBe("/tmp");
    expect(done["XDG_RUNTIME_DIR"]).toBeUndefined();
  });

  it("sees no credential that is saved or made while it runs", async () => {
    const { attempt, folder, write } = await startIsolated();
    expect(await attempt("read", { path: join(folder, ".netrc") })).toEqual(REFUSED);
    write(".netrc.new", "new password");
    renameSync(join(folder, ".netrc.new"), join(folder, ".netrc"));
    write(".pgpass", "new secret");
    write(".kube/config", "new cluster");
    for (const path of [".netrc", ".pgpass", ".kube/config"]) {
      expect(await attempt("read", { path: join(folder, path) })).toEqual(REFUSED);
    }
    expect(await attempt("read", { path: join(folder, "notes/today.txt") })).toEqual({ done: "dentist" });
  });

  it("is started again when a config file is replaced, which it does not see then either", async () => {
    const { attempt, file, stderr } = await startIsolated();
    expect(await attempt("read", { path: file })).toEqual(REFUSED);
    const text = readFileSync(file, "utf8");
    writeFileSync(`${file}.new`, `${text}\n`);
    renameSync(`${file}.new`, file);
    await eventually("the new config", () => stderr().includes("config.reloaded"));
    // A call meets the server while it is replaced, and is told so.
    const tried = await eventuallyAsync("the server", () =>
      attempt("read", { path: file }).catch(() => undefined),
    );
    expect(tried).toEqual(REFUSED);
  });

  it("is started again when its sandbox changes, with what it may do then", async () => {
    const { attempt, file, folder } = await startIsolated();
    const path = join(folder, "project/new.txt");
    expect(await attempt("write", { path })).toEqual(REFUSED);
    const config = JSON.parse(readFileSync(file, "utf8")) as { mcpServers: { out: { sandbox: object } } };
    config.mcpServers.out.sandbox = rulesOf({ filesystem: { allowWrite: ["."] } });
    writeFileSync(file, JSON.stringify(config));
    await eventuallyAsync("the new sandbox", async () => {
      const tried = await attempt("write", { path }).catch(() => undefined);
      return tried?.done === "written";
    });
    expect(readFileSync(path, "utf8")).toBe("written");
  });

  it("sees what it is given back by allowRead", async () => {
    const { attempt, folder } = await startIsolated({
      sandbox: { filesystem: { allowRead: ["~/.aws"], denyRead: ["~/notes"] } },
    });
    expect(await attempt("read", { path: join(folder, ".aws/credentials") })).toEqual({ done: "aws secret" });
    expect(await attempt("read", { path: join(folder, ".ssh/id_ed25519") })).toEqual(REFUSED);
  });
});

describe.skipIf(!HAS_BUBBLEWRAP)("the network of an isolated server", () => {
  it("is empty where no domain is allowed: no loopback, no abstract socket, no socket in a folder", async () => {
    const { attempt, folder } = await startIsolated();
    const port = await listen({ host: "127.0.0.1", port: 0 });
    const abstract = `\0repertoire-${process.pid}-${Date.now()}`;
    await listen({ path: abstract });
    const path = join(folder, "service.sock");
    await listen({ path });
    for (const way of [{ host: "127.0.0.1", port }, { path: abstract }, { path }]) {
      expect(await attempt("connect", way)).toEqual(REFUSED);
    }
    expect(await attempt("connect", { host: "1.1.1.1", port: 443 })).toEqual({ refused: "ENETUNREACH" });
    expect(await attempt("resolve", { host: "example.com" })).toEqual(REFUSED);
  });

  it("leads to what is named, and nowhere else", async () => {
    const web = await startWeb();
    const other = await startWeb();
    const { attempt, stderr } = await startIsolated({
      sandbox: { ...OPEN, network: { allowedDomains: ["127.0.0.1"], deniedDomains: ["localhost"] } },
    });
    expect(await attempt("fetch", { url: `${web}/a` })).toEqual({ done: { status: 200, text: "web /a" } });
    expect(await attempt("fetch", { url: `${other}/b` })).toMatchObject({ done: { status: 200 } });
    for (const url of [other.replace("127.0.0.1", "localhost"), "http://127.0.0.2:1/", "http://[::1]:1/"]) {
      const { done } = (await attempt("fetch", { url })) as { done?: { status: number } };
      expect(done?.status).not.toBe(200);
    }
    expect(await attempt("connect", { host: "127.0.0.1", port: Number(new URL(web).port) })).toEqual(REFUSED);
    await eventually("the refusal in the log", () => stderr().includes("isolation.refused"));
  });

  it("is all of it with *", async () => {
    const web = await startWeb();
    const { attempt } = await startIsolated({ sandbox: { ...OPEN, network: { allowedDomains: ["*"] } } });
    expect(await attempt("fetch", { url: `${web}/a` })).toMatchObject({ done: { text: "web /a" } });
  });
});

describe.skipIf(!HAS_BUBBLEWRAP)("the processes of an isolated server", () => {
  it("are the only ones that it sees and can end", async () => {
    const { attempt, pid } = await startIsolated();
    expect(await attempt("kill", { pid })).toEqual({ refused: "ESRCH" });
    expect(await attempt("kill", { pid: process.pid })).toEqual({ refused: "ESRCH" });
    const { done } = await attempt("processes");
    expect(done).toBeLessThan(5);
    expect((await attempt("self")).done).toMatch(/CapEff:\t0+\n[^]*NoNewPrivs:\t1\n/);
    expect(await attempt("run", { command: "mount", args: ["-t", "tmpfs", "x", "/mnt"] })).not.toMatchObject({
      done: { status: 0 },
    });
  });

  it("may start others, whose output comes back", async () => {
    const { attempt } = await startIsolated();
    expect(await attempt("run", { command: "echo", args: ["hello"] })).toMatchObject({
      done: { stdout: "hello\n" },
    });
  });

  it("have the variables of their config, which reach nothing outside of the sandbox", async () => {
    const library = "/nonexistent/library.so";
    const { attempt, client } = await startIsolated({ env: { LD_PRELOAD: library, MINE: "a value" } });
    const { done } = (await attempt("environment")) as { done: Record<string, string> };
    expect(done).toMatchObject({ LD_PRELOAD: library, MINE: "a value" });
    const outside = processesNamed("bwrap").map(environmentAt);
    expect(outside.length).toBeGreaterThan(0);
    expect(outside.filter((text) => text.includes(library))).toEqual([]);
    expect(processesNamed("bwrap").some((pid) => commandAt(pid).includes("a value"))).toBe(false);
    await client.close();
  });

  it("end in the way that is reported", async () => {
    const { call } = await startIsolated();
    expect((await call("exit", { code: 3 })).text).toContain("exited with code 3");
    expect((await call("exit", { signal: "SIGKILL" })).text).toMatch(/SIGKILL/);
  });

  it("T077 leave nothing behind when the gateway is killed", async () => {
    const mark = `${process.pid}-${Date.now()}`;
    const { attempt, pid, folder } = await startIsolated({ env: { STAYS: mark } });
    await attempt("run", { command: "sh", args: ["-c", "setsid sleep 1000 >/dev/null 2>&1 & echo started"] });
    expect(processesWith(mark).length).toBeGreaterThan(1);
    const group = processesNamed("bwrap").find((one) => folderOf(one) === join(folder, "project"));
    // The watcher, and bwrap outside of the sandbox.
    expect(livingMembers(Number(group))).toHaveLength(2);
    process.kill(pid, "SIGKILL");
    await eventually("the end of all", () => processesWith(mark).length === 0);
    await groupIsGone(Number(group));
  });

  it("are asked to end, by SIGTERM too, before they are killed", async () => {
    const { client, folder } = await startIsolated({
      env: { STAYS: "yes", ENDED_FILE: "ended.txt" },
      sandbox: { filesystem: { allowWrite: ["."] } },
    }).then(async (started) => (await started.attempt("processes"), started));
    await client.close();
    await eventually("its last words", () => existsSync(join(folder, "project/ended.txt")));
  });
});

/** The processes that have a mark in their environment. */
function processesWith(mark: string): string[] {
  return readdirSync("/proc").filter(
    (pid) => /^\d+$/.test(pid) && environmentAt(pid).includes(`STAYS=${mark}`),
  );
}

/** By the name of their program. */
function processesNamed(name: string): string[] {
  return readdirSync("/proc").filter(
    (pid) => /^\d+$/.test(pid) && textAt(`/proc/${pid}/comm`) === `${name}\n`,
  );
}

function folderOf(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

function commandAt(pid: string): string {
  return textAt(`/proc/${pid}/cmdline`);
}

function environmentAt(pid: string): string {
  return textAt(`/proc/${pid}/environ`);
}

function textAt(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

describe.skipIf(!HAS_BUBBLEWRAP)("the real filesystem server, whose own roots are everything", () => {
  it("reads and writes where its sandbox lets it, and is refused by the sandbox elsewhere", async () => {
    const { client, folder } = await startIsolated({
      entry: { args: [FILESYSTEM_SERVER, "/"] },
      sandbox: { filesystem: { allowRead: ["~"], allowWrite: ["."] } },
    });
    const call = async (name: string, args: Record<string, unknown>) => {
      const answer = await client.callTool({ name: `out__${name}`, arguments: args });
      return `${String(answer.isError ?? false)} ${(answer.content as { text: string }[])[0]!.text}`;
    };
    const at = (path: string) => join(folder, path);
    expect(await call("read_text_file", { path: at("notes/today.txt") })).toBe("false dentist");
    expect(await call("write_file", { path: at("project/a.txt"), content: "a" })).toMatch(/^false/);
    expect(readFileSync(at("project/a.txt"), "utf8")).toBe("a");
    expect(await call("write_file", { path: at("notes/a.txt"), content: "a" })).toMatch(/^true .*EROFS/);
    expect(await call("read_text_file", { path: at(".ssh/id_ed25519") })).toMatch(
      /^true .*(?:ENOENT|does not exist)/,
    );
    expect(await call("list_directory", { path: at("home") })).toBe("false ");
    expect(existsSync(at("notes/a.txt"))).toBe(false);
  });
});

/** Of the gateway: everything but what isolates servers. */
function pathWithoutBubblewrap(folder: string): string {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, "node"));
  return bin;
}

describe("a machine that cannot isolate a server", () => {
  function makePlace(sandbox: Record<string, unknown>) {
    const { folder, write } = makeUser();
    const started = join(folder, "started.txt");
    const program = write(
      "server.sh",
      `#!/bin/sh\necho started > ${started}\nexec ${process.execPath} ${ESCAPING}\n`,
    );
    const config = { mcpServers: { out: { command: "/bin/sh", args: [program], ...sandbox } } };
    const file = write("gateway.json", JSON.stringify(config));
    const env = { PATH: pathWithoutBubblewrap(folder) };
    const cli = (...args: string[]) => runCli([...args, "--config", file], { folder, env });
    return { cli, folder, file, env, wasStarted: () => existsSync(started) };
  }

  it("does not start it, and tells a caller, the list of servers and doctor what is missing", async () => {
    const { cli, folder, file, env, wasStarted } = makePlace({ sandboxEnabled: true });
    const { client } = await connect("2025-11-25", { folder, args: ["--config", file], env });
    const answer = await client.callTool({ name: "out__list", arguments: { path: "/" } });
    expect(answer).toMatchObject({ isError: true });
    expect(JSON.stringify(answer.content)).toMatch(
      /bubblewrap \(bwrap\) is not in PATH.*apt install bubblewrap/,
    );
    const told = JSON.parse(cli("call", "out__list", "path=/", "--json").stdout) as { error: object };
    expect(told.error).toMatchObject({ code: "TOOL_UNAVAILABLE", reason: "no_isolation" });
    const [view] = JSON.parse(cli("servers", "--check", "--json").stdout) as [Record<string, string>];
    expect(view).toMatchObject({
      cause: "no_isolation",
      state: "failed",
      sandbox: "files: writes nothing; network: none",
    });
    const doctor = cli("doctor");
    expect(doctor.status).toBe(1);
    expect(doctor.stdout).toContain(
      "bubblewrap (bwrap) is not in PATH, so these servers are not started: out",
    );
    expect(doctor.stdout).toContain("sudo apt install bubblewrap");
    expect(wasStarted()).toBe(false);
  });

  it("asks nothing of it for a server without a sandbox", () => {
    const { cli, wasStarted } = makePlace({ sandboxEnabled: false, sandbox: {} });
    expect(cli("call", "out__list", "path=/etc").status).toBe(0);
    expect(cli("doctor").stdout).not.toContain("bubblewrap");
    expect(wasStarted()).toBe(true);
  });
});

describe.skipIf(!HAS_BUBBLEWRAP)("rules that cannot be held", () => {
  it.each([
    [
      "a place to write that is not there",
      { allowWrite: ["~/nowhere"] },
      "allowWrite names ~/nowhere, which does not exist",
    ],
    [
      "a denied name that the server could make",
      { allowWrite: ["."], denyWrite: ["later"] },
      "later is denied within",
    ],
    ["a link that the server could replace", { allowWrite: ["."], denyRead: ["link"] }, "is a link"],
    ["the gateway's own home", { allowRead: ["~/home"] }, "which no server may use"],
    ["a working folder that is hidden", { denyRead: ["."] }, "the working folder"],
  ])("keep it from being started: %s", async (_what, filesystem, reason) => {
    const { call, folder } = await startIsolated({ sandbox: { filesystem } }).then((started) => {
      symlinkSync(join(started.folder, "notes"), join(started.folder, "project/link"));
      return started;
    });
    const { isError, text } = await call("list", { path: folder });
    expect(isError).toBe(true);
    expect(text).toContain(reason);
  });

  it("are told of by doctor before anything is started", () => {
    const { folder, write } = makeUser();
    const entry = {
      command: process.execPath,
      args: [ESCAPING],
      sandbox: { filesystem: { allowWrite: ["~/nowhere"] } },
    };
    const file = write("gateway.json", JSON.stringify({ mcpServers: { out: entry } }));
    const { stdout, status } = runCli(["doctor", "--config", file], { folder });
    expect(status).toBe(1);
    expect(stdout).toContain("allowWrite names ~/nowhere");
    expect(stdout).toContain('Correct "sandbox" of out');
  });
});
