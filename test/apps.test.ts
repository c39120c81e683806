/** Apps of real servers behind the gateway, shown in a real browser by the bridge that hosts use. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { UI_EXTENSION, UI_SETTINGS } from "../src/core/declared.ts";
import { ERAS, runCli } from "./fixtures/gateway-process.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";
import { openAppHost } from "./rig/app-host.ts";
import { endBrowserAfterAll } from "./rig/browser.ts";
import { programOf } from "./rig/client-program.ts";
import { openHttpGateway } from "./rig/http-gateway.ts";

endBrowserAfterAll();

const VANILLA = {
  command: process.execPath,
  args: [programOf("@modelcontextprotocol/server-basic-vanillajs", "mcp-server-basic-vanillajs"), "--stdio"],
};

const BOARD = join(import.meta.dirname, "fixtures/board-server.mjs");

async function openGateway(config: object = {}, boards: readonly string[] = ["board"]) {
  const folder = temporaryFolder();
  const logOf = (id: string) => join(folder, `${id}.log`);
  const servers = boards.map((id) => [id, { command: process.execPath, args: [BOARD, logOf(id)] }] as const);
  const mcpServers = { time: VANILLA, ...Object.fromEntries(servers) };
  const written = { mcpServers, exposure: "full", ...config };
  const gateway = await openHttpGateway({ config: written });
  const movesOf = (id: string) =>
    existsSync(logOf(id)) ? readFileSync(logOf(id), "utf8").trim().split("\n") : [];
  return { gateway, config: written, movesOf };
}

describe.each(ERAS)("a host of Apps that speaks %s, at an endpoint of several servers", (era) => {
  it("shows the App of server-basic-vanillajs, whose own call arrives at its server", async () => {
    const { gateway } = await openGateway();
    const host = await openAppHost(gateway, era);
    const { tools } = await host.client.listTools();
    const tool = tools.find(({ name }) => name === "time__get-time");
    expect(tool?._meta).toMatchObject({ ui: { resourceUri: "ui://time+get-time/mcp-app.html" } });
    const app = await host.show("time__get-time");
    const time = app.locator("#server-time");
    await expect.poll(() => time.textContent()).toMatch(/^\d{4}-.*Z$/);
    const before = await time.textContent();
    await app.locator("#get-time-btn").click();
    await expect.poll(() => time.textContent()).not.toBe(before);
    expect(await time.textContent()).toMatch(/^\d{4}-.*Z$/);
  });

  it("T148: shows an App without an origin, under the policy that its server declared", async () => {
    const { gateway, movesOf } = await openGateway();
    const host = await openAppHost(gateway, era);
    const app = await host.show("board__show_board");
    await expect.poll(() => app.locator("#shown").textContent()).toBe("the mark is at 0");
    await expect
      .poll(() => app.locator("#reached").textContent())
      .toBe("host kept, storage kept, origin null, connect-src kept");
    expect(movesOf("board")).toEqual([]);
    await app.locator("#move").click();
    await expect.poll(() => app.locator("#moved").textContent()).toBe("the mark is at 2");
    expect(movesOf("board")).toEqual(['{"place":2}']);
    await app.locator("#read").click();
    await expect.poll(() => app.locator("#moved").textContent()).toBe("read ui://board/page.html");
  });

  it("hears that there are Apps, and is listed no tool that is for them alone", async () => {
    const { gateway } = await openGateway();
    // What a server has is known once it was read.
    await (await openAppHost(gateway, era)).client.listTools();
    const { client } = await openAppHost(gateway, era);
    expect(client.getServerCapabilities()?.extensions).toHaveProperty([UI_EXTENSION], UI_SETTINGS);
    const { tools } = await client.listTools();
    const board = tools.filter(({ name }) => name.startsWith("board__"));
    const page = "ui://board+board/page.html";
    expect(board).toMatchObject([
      { name: "board__show_board", _meta: { ui: { resourceUri: page }, "ui/resourceUri": page } },
    ]);
    const { contents } = await client.readResource({ uri: page });
    expect(contents[0]).toMatchObject({
      uri: page,
      _meta: { ui: { csp: { connectDomains: ["https://declared.example"] }, prefersBorder: true } },
    });
  });
});

it("people see the tools that are for Apps alone, and types for code do not have them", () => {
  const folder = temporaryFolder();
  const file = join(folder, "config.json");
  const args = [BOARD, join(folder, "log")];
  writeFileSync(file, JSON.stringify({ mcpServers: { board: { command: process.execPath, args } } }));
  const run = (...command: string[]) => runCli([...command, "--config", file], { folder }).stdout;
  expect(run("tools", "--json")).toContain("board__move");
  const types = run("types");
  expect(types).toContain("show_board");
  expect(types).not.toContain("move");
});

const [LEGACY] = ERAS;

it("a process that starts again knows the Apps of its servers before it asks them", async () => {
  const { gateway, config } = await openGateway();
  await (await openAppHost(gateway, LEGACY!)).client.listTools();
  await gateway.stop();
  const again = await openHttpGateway({ config: { ...config, exposure: "lean" }, home: gateway.home });
  const { client } = await openAppHost(again, LEGACY!);
  expect(client.getServerCapabilities()?.extensions).toHaveProperty([UI_EXTENSION]);
  expect(await client.callTool({ name: "move", arguments: {} })).toMatchObject({
    content: [{ text: "the mark is at 1" }],
  });
});

describe("the call of an App", () => {
  const profiles = { one: { servers: ["first", "time"], exposure: "full", names: "bare" } };

  it("T148: is refused where two servers with Apps have its tool, and made in a profile that shows one", async () => {
    const { gateway, movesOf } = await openGateway({ profiles }, ["first", "second"]);
    const host = await openAppHost(gateway, LEGACY!);
    const app = await host.show("first__show_board");
    await app.locator("#move").click();
    await expect
      .poll(() => app.locator("#moved").textContent())
      .toContain("Name one of them: first__move, second__move");
    expect([movesOf("first"), movesOf("second")]).toEqual([[], []]);

    const other = await openAppHost(gateway, LEGACY!, "one");
    const { tools } = await other.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["get-time", "show_board"]));
    const alone = await other.show("show_board");
    await alone.locator("#move").click();
    await expect.poll(() => alone.locator("#moved").textContent()).toBe("the mark is at 2");
    expect([movesOf("first"), movesOf("second")]).toEqual([['{"place":2}'], []]);
  });

  it("T148: passes the rules under its exposed name, and is on record", async () => {
    const rules = [{ tool: "board__move", do: "refuse", why: "No moves." }];
    const { gateway, movesOf } = await openGateway({ rules });
    const host = await openAppHost(gateway, LEGACY!);
    const app = await host.show("board__show_board");
    await app.locator("#move").click();
    await expect.poll(() => app.locator("#moved").textContent()).toContain("No moves.");
    expect(movesOf("board")).toEqual([]);
    await gateway.stop();
    const { stdout } = runCli(["calls", "--json"], { env: { REPERTOIRE_HOME: gateway.home } });
    const { calls } = JSON.parse(stdout) as { calls: { kind: string; tool: string; decision: string }[] };
    expect(calls.toReversed().map(({ kind, tool, decision }) => [kind, tool, decision])).toEqual([
      ["resource", "ui://board+board/page.html", "allow"],
      ["tool", "board__show_board", "allow"],
      ["tool", "board__move", "refuse"],
    ]);
  });

  it("T148: waits for a person where a rule asks, though no code may make it", async () => {
    const rules = [{ tool: "board__move", do: "ask" }];
    const { gateway, movesOf } = await openGateway({ rules });
    const host = await openAppHost(gateway, LEGACY!);
    const app = await host.show("board__show_board");
    await app.locator("#move").click();
    await expect.poll(() => app.locator("#moved").textContent()).toContain("repertoire approve");
    expect(movesOf("board")).toEqual([]);
  });
});
