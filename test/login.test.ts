import { spawn } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { BIN, connect, environmentOf } from "./fixtures/gateway-process.ts";
import { eventually, temporaryFolder } from "./fixtures/temporary.ts";
import { startOAuthServer, type OAuthRig, type OAuthScript } from "./rig/oauth-server.ts";

const ENV = { REPERTOIRE_KEYRING: "off" };

/** A folder with a config that has the protected server, and commands in it. */
async function openPlace(script: OAuthScript = {}) {
  const rig = await startOAuthServer(script);
  const folder = temporaryFolder();
  const file = join(folder, "mine.json");
  const servers = {
    box: { url: rig.url },
    local: { command: "node" },
    keyed: { url: rig.url, headers: { Authorization: "Bearer x" } },
  };
  writeFileSync(file, JSON.stringify({ mcpServers: servers }));
  const start = (...args: string[]) => startCli(folder, [...args, "--config", file]);
  return { rig, folder, file, start, secretsFile: join(folder, "home/secrets.json") };
}

function startCli(folder: string, args: readonly string[]) {
  const child = spawn(process.execPath, [BIN, ...args], { cwd: folder, env: environmentOf(folder, ENV) });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [stdout, stderr] = ["", ""];
  let status: number | null | undefined;
  child.stdout.on("data", (chunk) => (stdout += String(chunk)));
  child.stderr.on("data", (chunk) => (stderr += String(chunk)));
  child.on("close", (code) => (status = code));
  const ended = async () => {
    await eventually(`the end of ${args.join(" ")} (${stderr})`, () => status !== undefined, 20_000);
    return { status, stdout, stderr };
  };
  const page = () =>
    eventually(
      `the page (${stderr})`,
      () => {
        const url = /^ {2}(http\S+)$/m.exec(stderr)?.[1];
        return url === undefined ? undefined : new URL(url);
      },
      20_000,
    );
  return { child, ended, page };
}

type Started = ReturnType<typeof startCli>;

async function agree(rig: OAuthRig, login: Started): Promise<string> {
  const callback = await rig.follow(await login.page());
  return (await fetch(callback)).text();
}

const TIME = { timeout: 60_000 };

describe("login and logout", () => {
  it(
    "T090, T136: the whole way: a call that needs a login, the login, calls, a renewed token, the logout",
    TIME,
    async () => {
      const { rig, start, secretsFile, file, folder } = await openPlace({ withIdToken: true });
      const before = await start("call", "box__echo", "--json").ended();
      expect(before.stdout).toContain("auth_required");
      expect(before.stdout).toContain("repertoire login box");
      const login = start("login", "box", "--no-browser");
      expect(await agree(rig, login)).toContain("close this page");
      const { status, stderr } = await login.ended();
      expect(stderr).toContain("to box as ada@example.com, 1 tool");
      expect(status).toBe(0);
      expect(statSync(secretsFile).mode & 0o777).toBe(0o600);

      const { client } = await connect("2025-11-25", { folder, args: ["--config", file], env: ENV });
      const call = () => client.callTool({ name: "box__echo", arguments: {} });
      expect(await call()).toMatchObject({ content: [{ text: "hello" }] });
      rig.expireTokens();
      rig.seen.length = 0;
      const answers = await Promise.all(Array.from({ length: 10 }, call));
      for (const answer of answers) expect(answer).toMatchObject({ content: [{ text: "hello" }] });
      expect(rig.at("/token")).toHaveLength(1);

      const { refresh_token: token } = tokensIn(secretsFile);
      const logout = await start("logout", "box").ended();
      expect([logout.status, logout.stderr]).toEqual([0, expect.stringContaining("logged out")]);
      expect(rig.at("/revoke")[0]!.body).toContain(token);
      rig.expireTokens();
      expect(await call()).toMatchObject({
        isError: true,
        structuredContent: { error: { code: "TOOL_UNAVAILABLE", reason: "auth_required" } },
      });
      // A login elsewhere is seen by the gateway that runs.
      const again = start("login", "box", "--no-browser", "--json");
      await agree(rig, again);
      expect(JSON.parse((await again.ended()).stdout)).toMatchObject({
        server: "box",
        needed: true,
        toolCount: 1,
        storedIn: "file",
      });
      expect(await call()).toMatchObject({ content: [{ text: "hello" }] });
    },
  );

  it("S18: another page that calls back first does not end the login", TIME, async () => {
    const { rig, start } = await openPlace();
    const login = start("login", "box", "--no-browser");
    const callback = await rig.follow(await login.page());
    const forged = new URL(callback);
    forged.searchParams.set("state", "x".repeat(43));
    forged.searchParams.set("code", "stolen");
    const bare = new URL(callback.pathname, callback);
    for (const wrong of [forged, bare]) expect((await fetch(wrong)).status).toBe(400);
    expect(await (await fetch(callback)).text()).toContain("close this page");
    expect((await login.ended()).status).toBe(0);
    expect(
      rig
        .at("/token")
        .map(({ body }) => body)
        .join(),
    ).not.toContain("stolen");
  });

  it("without a browser, the address is pasted", TIME, async () => {
    const { rig, start } = await openPlace();
    const login = start("login", "box", "--paste");
    login.child.stdin.end(`${(await rig.follow(await login.page())).href}\n`);
    expect((await login.ended()).status).toBe(0);
    const wrong = start("login", "box", "--paste");
    await wrong.page();
    wrong.child.stdin.end("http://127.0.0.1:33418/callback?code=x&state=y\n");
    const { status, stderr } = await wrong.ended();
    expect([status, stderr]).toEqual([3, expect.stringContaining("state")]);
  });

  it.each([
    ["local", "is a program on this machine"],
    ["keyed", "has an Authorization header of its own"],
    ["bax", 'There is no server "bax"'],
  ])("%s cannot be logged in to: it %s", TIME, async (server, words) => {
    const { start } = await openPlace();
    for (const command of ["login", "logout"]) {
      const { status, stderr } = await start(command, server).ended();
      expect(stderr).toContain(words);
      expect(status).not.toBe(0);
    }
  });
});

function tokensIn(file: string): { refresh_token: string } {
  const { secrets } = JSON.parse(readFileSync(file, "utf8")) as {
    secrets: Record<string, { value: string }>;
  };
  const [entry] = Object.values(secrets);
  return (JSON.parse(entry!.value) as { tokens: { refresh_token: string } }).tokens;
}
