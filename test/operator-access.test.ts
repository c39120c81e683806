/** `--json` of the command line and the API answer from the same functions: on one home they say the same. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openApp } from "../src/app/app.ts";
import type { ToolResult } from "../src/core/result.ts";
import { libraryHandlers } from "../src/operator/library.ts";
import type { Viewer } from "../src/operator/operator.ts";
import { pinHandlers } from "../src/operator/access/pins.ts";
import { ruleHandlers } from "../src/operator/access/rules.ts";
import { serverHandlers } from "../src/operator/servers/servers.ts";
import { tokenHandlers } from "../src/operator/access/tokens.ts";
import { toolHandlers } from "../src/operator/tools/tools.ts";
import { localViewer, viewerOf } from "../src/operator/viewer.ts";
import { openConfigSource } from "../src/secrets/inputs.ts";
import { createLog } from "../src/telemetry/log.ts";
import { runCliHere } from "./fixtures/cli-in-process.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");

/** A home with two servers, two versions in the library, a token, rules, a changed tool and some calls. */
async function makeHome() {
  const folder = temporaryFolder();
  const file = join(folder, "mine.json");
  const home = join(folder, "kept");
  mkdirSync(home, { mode: 0o700 });
  const offer = join(folder, "offer.json");
  const offerTool = (description: string) =>
    writeFileSync(
      offer,
      JSON.stringify({
        tools: [{ name: "send", description, inputSchema: { type: "object", properties: {} } }],
      }),
    );
  offerTool("Sends a letter.");
  const node = (name: string, ...args: string[]) => ({
    command: process.execPath,
    args: [join(FIXTURES, name), ...args],
  });
  writeFileSync(
    file,
    JSON.stringify({
      mcpServers: {
        shelf: node("shelf-server.mjs"),
        desk: { ...node("changing-server.mjs", offer, join(folder, "effects")), trust: "ask" },
        off: { command: "npx", args: ["some-server"], enabled: false },
      },
      profiles: { triage: { servers: ["shelf"], capabilities: { deny: ["*"] } } },
      rules: [{ tool: "shelf__paint", do: "ask", why: "paint is dear" }],
    }),
  );
  const place = ["--config", file, "--home", home];
  const run = (...words: string[]) => runCliHere([...words, ...place], { folder });
  const json = async (...words: string[]): Promise<unknown> => {
    const { stdout, stderr } = await run(...words, "--json");
    if (stdout === "") throw new Error(stderr);
    return JSON.parse(stdout);
  };
  await json("tools");
  await json("approve", "desk", "--yes");
  offerTool("Sends a letter, also to the press.");
  await json("servers", "--check");
  for (const text of ["four", "fourteen"]) {
    writeFileSync(
      join(folder, "code.ts"),
      `return { n: (await mcp.shelf.echo({ text: "${text}" })).length }`,
    );
    const ran = (await json("run", "code.ts")) as { draft: string };
    await json("save", ran.draft, "words:count", "--description", "Counts.", "--overwrite");
  }
  await json("token", "create", "ci", "--effects", "read", "--profile", "triage");
  return { folder, file, home, json };
}

async function openOn({ file, home }: { readonly file: string; readonly home: string }) {
  const opened = await openConfigSource({ configPath: file, home, isWatched: false });
  if (!opened.ok) throw new Error("the config is broken");
  const log = createLog({ level: "silent", secrets: [] });
  const app = await openApp({ config: opened.source, log });
  onTestFinished(async () => {
    opened.source.close();
    await app.close();
    await log.close();
  });
  const deps = { app, config: opened.source, place: { configPath: file, home } };
  const self = localViewer(app, { signal: new AbortController().signal });
  return { app, deps, self };
}

const NOTHING = { params: {}, query: {}, body: {} };

async function dataOf<T>(answer: Promise<ToolResult<T>>): Promise<T> {
  const told = await answer;
  if (!told.success) throw new Error(JSON.stringify(told.error));
  // As it goes over the wire.
  return JSON.parse(JSON.stringify(told.data)) as T;
}

it("the views of the command line are those of the API", async () => {
  const place = await makeHome();
  const { json } = place;
  const { deps, self } = await openOn(place);

  const { servers } = await dataOf(serverHandlers.listServers(deps, self, NOTHING));
  expect(await json("servers")).toEqual(servers);
  expect(servers.map(({ id }) => id)).toEqual(["desk", "off", "shelf"]);

  const { tools } = await dataOf(toolHandlers.listTools(deps, self, NOTHING));
  const listed = (await json("tools")) as { name: string; description?: string; kind: string }[];
  const common = ({
    name,
    kind,
    signature,
    listed: isListed,
    server,
    description,
  }: (typeof tools)[number]) => ({
    name,
    kind,
    signature,
    listed: isListed,
    server,
    description,
  });
  const printed = listed.map((tool) => ({ description: "", ...tool })) as typeof tools;
  expect(printed.map(common)).toEqual(tools.map(common));

  for (const tool of ["shelf.echo", "shelf__paint", "words:count", "execute"]) {
    const shown = await json("describe", tool);
    const answer =
      tool === "words:count"
        ? libraryHandlers.getItem(deps, self, { ...NOTHING, params: { name: tool } })
        : toolHandlers.getTool(deps, self, { ...NOTHING, params: { tool } });
    expect(shown).toEqual(await dataOf<unknown>(answer));
  }

  expect(await json("library")).toEqual(await dataOf(libraryHandlers.listLibrary(deps, self, NOTHING)));
  const query = { before: "words:count@1", after: "words:count@2" };
  expect(await json("diff", query.before, query.after)).toEqual(
    await dataOf(libraryHandlers.compareVersions(deps, self, { ...NOTHING, query })),
  );
  expect(await json("test", "words:count")).toEqual(
    await dataOf(libraryHandlers.testItem(deps, self, { ...NOTHING, params: { name: "words:count" } })),
  );

  const { pins } = await dataOf(pinHandlers.listPins(deps, self, NOTHING));
  expect(await json("pins")).toEqual({ pins });
  expect(pins).toMatchObject([{ server: "desk", name: "send", status: "held" }]);
  const all = { ...NOTHING, query: { server: "desk", all: "true" as const } };
  expect(await json("pins", "desk", "--all")).toEqual(await dataOf(pinHandlers.listPins(deps, self, all)));

  const { tokens } = await dataOf(tokenHandlers.listTokens(deps, self, NOTHING));
  expect(await json("token", "list")).toEqual(tokens);
  expect(await json("token", "show", "ci")).toEqual(
    await dataOf(tokenHandlers.getToken(deps, self, { ...NOTHING, params: { token: "ci" } })),
  );

  expect(await json("rules")).toEqual(await dataOf(ruleHandlers.listRules(deps, self, NOTHING)));
  const body = { tool: "shelf.paint", args: { coats: 2 }, who: ["ci"] };
  expect(
    await json("rules", "explain", body.tool, "--args", JSON.stringify(body.args), "--who", "ci"),
  ).toEqual(await dataOf(ruleHandlers.explainCall(deps, self, { ...NOTHING, body })));

  const declared = await dataOf(toolHandlers.declareTools(deps, self, NOTHING));
  expect(await json("types")).toEqual(declared);
});

it("a server has in the API all that the command line prints of it", async () => {
  const place = await makeHome();
  const printed = (await place.json("describe", "shelf")) as Record<string, unknown>;
  const { deps, self } = await openOn(place);
  const server = await dataOf(
    serverHandlers.getServer(deps, self, { ...NOTHING, params: { server: "shelf" } }),
  );
  // The command has started it and ended it again; the API only looks.
  expect(Object.keys(printed)).toEqual(expect.arrayContaining(Object.keys(server)));
  for (const key of ["kind", "name", "tools", "tokens", "target", "login", "trust", "calls"] as const) {
    expect(printed[key]).toEqual(server[key]);
  }
});

it("a limited token sees its part of the same home, and nothing says that there is more", async () => {
  const place = await makeHome();
  const { app, deps } = await openOn(place);
  const viewer = limitedViewer(app);
  const seen = {
    ...(await dataOf(serverHandlers.listServers(deps, viewer, NOTHING))),
    ...(await dataOf(toolHandlers.listTools(deps, viewer, NOTHING))),
    ...(await dataOf(libraryHandlers.listLibrary(deps, viewer, NOTHING))),
    ...(await dataOf(
      toolHandlers.searchTools(deps, viewer, { ...NOTHING, query: { query: "send count echo", limit: 20 } }),
    )),
    echo: await dataOf(toolHandlers.getTool(deps, viewer, { ...NOTHING, params: { tool: "shelf__echo" } })),
    declared: await dataOf(toolHandlers.declareTools(deps, viewer, NOTHING)),
  };
  expect(seen.servers.map(({ id }) => id)).toEqual(["shelf"]);
  expect(seen.echo).toMatchObject({ calls: [], used_by: [] });
  expect(JSON.stringify(seen)).not.toMatch(/desk|words|some-server/);
});

function limitedViewer(app: Awaited<ReturnType<typeof openOn>>["app"]): Viewer {
  const viewer = viewerOf(app, {
    principal: {
      id: "token:ci",
      name: "ci",
      permissions: new Set(["read"]),
      profiles: new Set(["triage"]),
      revoked: new AbortController().signal,
    },
    signal: new AbortController().signal,
  });
  if (!viewer.success) throw new Error(viewer.error.message);
  return viewer.data;
}
