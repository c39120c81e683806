import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { eventuallyAsync } from "../../../test/fixtures/temporary.ts";
import { startOAuthServer } from "../../../test/rig/oauth-server.ts";
import { fixture, openOperator } from "../access.testkit.ts";

/** A server that writes to stderr before it begins. */
function chatty(lines: number, file = "shelf-server.mjs", ...args: string[]) {
  const { command, args: words } = fixture(file, ...args);
  const code = `for (let i = 1; i <= ${lines}; i++) console.error("line " + i + " " + (process.env.TOKEN ?? "")); import(process.argv[1])`;
  return { command, args: ["-e", code, ...words], env: { TOKEN: "hunter2-hunter2-hunter2" } };
}

describe("servers", () => {
  it("are listed without being started", async () => {
    const { ask } = await openOperator({
      mcpServers: { shelf: fixture("shelf-server.mjs"), off: { command: "x", enabled: false } },
    });
    const { servers } = await ask("listServers");
    expect(servers.map(({ id, state }) => [id, state])).toEqual([
      ["off", "disabled"],
      ["shelf", "idle"],
    ]);
  });

  it("one is shown with its tools, its memory, its calls and the last 200 lines of its stderr, without secrets", async () => {
    const { ask, app } = await openOperator({ mcpServers: { shelf: chatty(300) } });
    await app.gateway.callTool("shelf__echo", { text: "hello" });
    await app.gateway.callTool("shelf__complain", {});
    await eventuallyAsync(
      "both calls are in the log",
      async () => (await ask("getServer", { params: { server: "shelf" } })).calls.length === 2,
    );
    const server = await ask("getServer", { params: { server: "shelf" } });
    expect(server).toMatchObject({
      id: "shelf",
      state: "ready",
      transport: "stdio",
      enabled: true,
      trust: "allow",
      login: "none",
      latency: { call_count: 2, error_count: 1 },
    });
    expect(server.tools.map(({ name }) => name)).toContain("shelf.echo");
    expect(server.tools.find(({ tool }) => tool === "shelf__echo")!.signature).toContain("text: string");
    expect(server.tokens).toBeGreaterThan(10);
    expect(server.stderr).toHaveLength(200);
    expect(server.stderr!.at(-1)).toMatch(/^line 300 /);
    expect(JSON.stringify(server)).not.toContain("hunter2");
    if (process.platform === "linux") expect(server.memory_bytes).toBeGreaterThan(10_000_000);
  });

  it("one that failed says why and when it is tried again", async () => {
    const { ask, app } = await openOperator({
      mcpServers: {
        broken: { command: process.execPath, args: ["-e", "console.error('no luck'); process.exit(3)"] },
      },
    });
    for (let at = 0; at < 6; at++) await app.gateway.callTool("broken__x", {});
    const server = await ask("getServer", { params: { server: "broken" } });
    expect(server).toMatchObject({
      state: "failed",
      error: expect.stringContaining("3"),
      stderr: ["no luck"],
    });
    expect(server.retry_in_ms).toBeGreaterThan(0);
    expect([server.memory_bytes, server.latency?.call_count ?? 0, server.tokens]).toEqual([
      undefined,
      0,
      null,
    ]);
  });

  it("one is started again as another process", async () => {
    const { ask, app } = await openOperator({ mcpServers: { shelf: fixture("shelf-server.mjs") } });
    const first = await ask("restartServer", { params: { server: "shelf" } });
    const second = await ask("restartServer", { params: { server: "shelf" } });
    expect([first.state, second.state]).toEqual(["ready", "ready"]);
    expect(second.pid).not.toBe(first.pid);
    expect(() => process.kill(first.pid!, 0)).toThrow();
    expect(await app.gateway.callTool("shelf__echo", { text: "x" })).toMatchObject({
      structuredContent: { length: 1 },
    });
  });

  it("one that is disabled is not started again", async () => {
    const { refused } = await openOperator({ mcpServers: { off: { command: "x", enabled: false } } });
    expect(await refused("restartServer", { params: { server: "off" } })).toMatchObject({
      reason: "disabled",
    });
  });

  it("are disabled, enabled and removed in their file, and the gateway follows", async () => {
    const { ask, refused, configPath } = await openOperator({
      mcpServers: { shelf: fixture("shelf-server.mjs") },
    });
    const params = { server: "shelf" };
    expect(await ask("disableServer", { params })).toEqual({ disabled: "shelf", file: configPath });
    expect((await ask("listServers")).servers[0]!.state).toBe("disabled");
    expect(await ask("enableServer", { params })).toEqual({ enabled: "shelf", file: configPath });
    expect((await ask("listServers")).servers[0]!.state).toBe("idle");
    expect(await ask("removeServer", { params })).toEqual({ removed: "shelf", file: configPath });
    expect((await ask("listServers")).servers).toEqual([]);
    expect(JSON.parse(readFileSync(configPath, "utf8"))).toEqual({ mcpServers: {} });
    expect(await refused("removeServer", { params })).toMatchObject({ code: "TOOL_NOT_FOUND" });
  });

  it("what was changed is on the audit trail under the name of the token", async () => {
    const { ask, app, viewerOf } = await openOperator({ mcpServers: { shelf: fixture("shelf-server.mjs") } });
    await ask("disableServer", { params: { server: "shelf" }, viewer: viewerOf() });
    const [entry] = await app.store.audit.newest({ limit: 1 });
    expect(entry).toMatchObject({ actor: "token:bot", action: "server.disabled", subject: "shelf" });
  });

  it("those that a profile does not show are not there", async () => {
    const { ask, refused, viewerOf } = await openOperator({
      mcpServers: { shelf: fixture("shelf-server.mjs"), secret: fixture("shelf-server.mjs") },
      profiles: { triage: { servers: ["shelf"] } },
    });
    const viewer = viewerOf({ profiles: new Set(["triage"]) });
    expect((await ask("listServers", { viewer })).servers.map(({ id }) => id)).toEqual(["shelf"]);
    const hidden = await refused("getServer", { params: { server: "secret" }, viewer });
    const missing = await refused("getServer", { params: { server: "absent" }, viewer });
    expect({ ...hidden, message: hidden.message.replace("secret", "absent"), nearest: [] }).toEqual({
      ...missing,
      nearest: [],
    });
    expect(hidden.nearest).not.toContain("secret");
  });
});

it("a limited token sees of a server what is about its own tools, and not what the server writes", async () => {
  const { ask, app, viewerOf } = await openOperator({
    mcpServers: { shelf: chatty(3) },
    profiles: { triage: { tools: { allow: ["shelf__echo"] } } },
  });
  await app.viewServers(true);
  const whole = await ask("getServer", { params: { server: "shelf" } });
  const viewer = viewerOf({ profiles: new Set(["triage"]) });
  const part = await ask("getServer", { params: { server: "shelf" }, viewer });
  expect(part).toMatchObject({ toolCount: 1, rejected: [], tools: [{ tool: "shelf__echo" }] });
  expect(part.stderr).toBeUndefined();
  expect(whole.stderr).toHaveLength(3);
  expect(whole.toolCount).toBeGreaterThan(1);
  expect(part.tokens).toBeLessThan(whole.tokens!);
});

describe("the login to a server", () => {
  it("of a program is refused", async () => {
    const { refused } = await openOperator({ mcpServers: { shelf: fixture("shelf-server.mjs") } });
    expect(await refused("loginServer", { params: { server: "shelf" } })).toMatchObject({
      message: expect.stringContaining("needs no login"),
    });
  });

  it("is begun with a page, and ends when the browser comes back", async () => {
    const rig = await startOAuthServer({});
    const { ask } = await openOperator({ mcpServers: { box: { url: rig.url } } });
    const params = { server: "box" };
    expect((await ask("restartServer", { params })).cause).toBe("auth_required");
    expect((await ask("getServer", { params })).login).toBe("needed");
    const { url, command } = await ask("loginServer", { params });
    expect(command).toMatch(/^repertoire login box /);
    const response = await fetch(await rig.follow(new URL(url!)));
    expect(response.status).toBe(200);
    const { login } = await eventuallyAsync("the tools behind the login", async () => {
      const server = await ask("getServer", { params });
      return server.toolCount === undefined ? undefined : server;
    });
    expect(login).toBe("done");
  });

  it("is begun again in place of the one before, whose page is good for nothing any more", async () => {
    const rig = await startOAuthServer({});
    const { ask } = await openOperator({ mcpServers: { box: { url: rig.url } } });
    const params = { server: "box" };
    const first = await ask("loginServer", { params });
    const second = await ask("loginServer", { params });
    expect(second.url).not.toBe(first.url);
    const late = await rig.follow(new URL(first.url!));
    const answered = await fetch(late).then(
      ({ status }) => status,
      () => "nobody listens",
    );
    expect(["nobody listens", 400]).toContain(answered);
    const response = await fetch(await rig.follow(new URL(second.url!)));
    expect(response.status).toBe(200);
  });

  it("is only told as a command where other machines reach the gateway", async () => {
    const { ask } = await openOperator({
      mcpServers: { far: { url: "https://far.example/mcp" } },
      http: { host: "0.0.0.0" },
    });
    const login = await ask("loginServer", { params: { server: "far" } });
    expect(login).toEqual({ server: "far", command: expect.stringMatching(/^repertoire login far /) });
  });
});

describe("the value of an input", () => {
  it("goes to the secrets, starts what waited for it, and is shown nowhere", async () => {
    const { ask } = await openOperator({
      mcpServers: { shelf: { ...fixture("shelf-server.mjs"), env: { TOKEN: "${input:shelf-token}" } } },
    });
    expect((await ask("listServers")).servers[0]).toMatchObject({
      state: "needs_input",
      missingInputs: ["shelf-token"],
    });
    const set = await ask("setInput", {
      params: { input: "shelf-token" },
      body: { value: "hunter2-hunter2" },
    });
    expect(set).toMatchObject({ input: "shelf-token", set: "shelf-token", servers: ["shelf"] });
    expect(JSON.stringify(set)).not.toContain("hunter2");
    expect((await ask("listServers")).servers[0]!.state).toBe("idle");
  });

  it.each([
    ["an id that is none", "../x", "value", "This is not a valid id"],
    ["no value", "a", "", "must not be empty"],
  ])("%s is refused", async (_, input, value, words) => {
    const { refused } = await openOperator({});
    const error = await refused("setInput", { params: { input }, body: { value } });
    expect(error.message).toContain(words);
  });
});
