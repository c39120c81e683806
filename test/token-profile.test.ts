/**
 * A token that is bound to a profile sees nothing else, by any route: everything that a client can ask is asked for what
 * the profile hides and for what is not there, and the two answers are the same.
 */
import { API_PREFIX, ROUTES as API_ROUTES } from "../src/operator/routes.ts";
import { request as httpRequest } from "node:http";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PERMISSIONS } from "../src/core/principal.ts";
import { operatorRoutes, type OperatorDeps } from "../src/server/http/operator-routes.ts";
import { openSession, readEvents, send } from "../src/server/http/http.testkit.ts";
import {
  createPlace,
  messageOf,
  startHttp,
  type Headers,
  type HttpProcess,
  type Place,
} from "./rig/http-process.ts";
import { modernAs, until } from "./rig/http-stand.ts";

const LEDGER = join(import.meta.dirname, "fixtures/ledger-server.mjs");
/** It is in everything that the profile hides. */
const CANARY = "zanzibar";
const PROFILE = "/mcp/mine";
/** As long as the ids of runs. */
const NO_RUN = "01900000-0000-7000-8000-000000000000";

interface Hidden {
  readonly runId: string;
  readonly failedRunId: string;
  readonly draft: string;
  readonly resource: string;
  readonly session: Headers;
  readonly eventId: string;
}

const stand = {} as {
  place: Place;
  gateway: HttpProcess;
  ann: Headers;
  bot: Headers;
  hidden: Hidden;
  heard: () => string;
};

type Answer = Awaited<ReturnType<typeof send>>;

async function ask(who: Headers, path: string, method: string, params: object = {}): Promise<Answer> {
  return send(stand.gateway.at(path), modernAs(who, "r", method, params as never));
}

async function askLegacy(who: Headers, path: string, method: string, params: object = {}): Promise<Answer> {
  const session = await openSession(stand.gateway.at(path), "", who);
  const body = JSON.stringify({ jsonrpc: "2.0", id: "r", method, params });
  return send(stand.gateway.at(path), { headers: session, body });
}

const ASKED = { "2026-07-28": ask, "2025-11-25": askLegacy } as const;

async function call(who: Headers, path: string, name: string, args: object = {}) {
  const { text } = await ask(who, path, "tools/call", { name, arguments: args });
  return messageOf(text).result?.["structuredContent"] as Record<string, unknown>;
}

beforeAll(async () => {
  const place = createPlace();
  const ledger = (word: string) => ({
    command: process.execPath,
    args: [LEDGER, join(place.folder, `${word}.jsonl`), word],
  });
  place.configure({
    exposure: "full",
    mcpServers: { mine: ledger("marigold"), other: ledger(CANARY) },
    profiles: {
      mine: { servers: ["mine"], capabilities: { allow: ["own:*"] } },
      other: { servers: ["other"] },
    },
  });
  const heardFile = join(place.folder, `${CANARY}.jsonl`);
  Object.assign(stand, {
    place,
    ann: place.tokenFor("ann", PERMISSIONS),
    bot: place.tokenFor("bot", PERMISSIONS, { profiles: ["mine"] }),
    heard: () => (existsSync(heardFile) ? readFileSync(heardFile, "utf8") : ""),
    gateway: await startHttp(place),
  });
  stand.hidden = await hide();
});

afterAll(async () => {
  await stand.gateway.stop();
  stand.place.remove();
});

/** What ann has that bot must not see. */
async function hide(): Promise<Hidden> {
  const { ann, gateway } = stand;
  const read = `return await mcp.other.look({ n: 1 });`;
  await call(ann, "/mcp", "execute", { code: read, save_as: "secret:hidden", intent: `keep ${CANARY}` });
  // It uses nothing that the profile hides, so that only its owner keeps it from others.
  const code = `const secret = "${CANARY}"; return secret + (await mcp.mine.look({ n: 1 }));`;
  const ran = await call(ann, "/mcp", "execute", { code, intent: `look for ${CANARY}` });
  const failing = `await mcp.mine.look({ n: 2 }); throw new Error("${CANARY}");`;
  const failed = await call(ann, "/mcp", "execute", { code: failing });
  const { text } = await ask(ann, "/mcp", "resources/list");
  const { resources } = messageOf(text).result as unknown as { resources: { uri: string }[] };
  const session = await openSession(gateway.url, "", ann);
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "execute", arguments: { code: read }, _meta: { progressToken: "p" } },
  });
  const streamed = await send(gateway.url, { headers: session, body });
  return {
    runId: ran["run_id"] as string,
    failedRunId: failed["run_id"] as string,
    draft: ran["draft"] as string,
    resource: resources.find(({ uri }) => uri.includes("other"))!.uri,
    session,
    eventId: /^id: ?(.+)$/m.exec(streamed.text)?.[1] ?? "1-1",
  };
}

const tool = (name: string, args: object = {}) => ["tools/call", { name, arguments: args }] as const;
const read = (uri: string) => ["resources/read", { uri }] as const;

/** What is asked for something hidden, and for something that is not there. */
type Probe = readonly [
  what: string,
  hidden: () => readonly [method: string, params: object],
  absent: () => readonly [method: string, params: object],
];

const inputs = (uri: string) => ({ code: "return args.x", inputs: { x: uri } });
const otherRun = (id: () => string): Probe[] => [
  ["a run to resume", () => tool("execute", { resume: id() }), () => tool("execute", { resume: NO_RUN })],
  [
    "a run to correct",
    () => tool("execute", { resume: id(), code: "return 1" }),
    () => tool("execute", { resume: NO_RUN, code: "return 1" }),
  ],
  [
    "a part of an id",
    () => tool("execute", { resume: id().slice(-8) }),
    () => tool("execute", { resume: NO_RUN.slice(-8) }),
  ],
  [
    "a result as an input",
    () => tool("execute", inputs(`repertoire://runs/${id()}/outputs`)),
    () => tool("execute", inputs(`repertoire://runs/${NO_RUN}/outputs`)),
  ],
  ["a trace", () => read(`repertoire://runs/${id()}`), () => read(`repertoire://runs/${NO_RUN}`)],
  [
    "an outcome",
    () => read(`repertoire://runs/${id()}/outputs`),
    () => read(`repertoire://runs/${NO_RUN}/outputs`),
  ],
  ["a step", () => read(`repertoire://runs/${id()}/1`), () => read(`repertoire://runs/${NO_RUN}/1`)],
];

const RUN_PROBES: readonly Probe[] = [
  ...otherRun(() => stand.hidden.runId),
  ...otherRun(() => stand.hidden.failedRunId).map(([what, ...rest]): Probe => [
    `${what} that failed`,
    ...rest,
  ]),
];

const DRAFT_PROBES: readonly Probe[] = [
  [
    "a draft to run",
    () => tool("execute", { name: stand.hidden.draft }),
    () => tool("execute", { name: "nothing-12345678" }),
  ],
  [
    "a draft to keep",
    () => tool("save_to_library", { draft_name: stand.hidden.draft, final_name: "own:x", description: "X." }),
    () => tool("save_to_library", { draft_name: "nothing-12345678", final_name: "own:x", description: "X." }),
  ],
];

const PROFILE_PROBES: readonly Probe[] = [
  ["a tool", () => tool("other__look"), () => tool("absent__look")],
  ["a tool that is not there", () => tool("other__nothing"), () => tool("absent__nothing")],
  ["a capability", () => tool("mcp__secret__hidden"), () => tool("mcp__secret__absent")],
  ["a version", () => tool("secret:hidden@1"), () => tool("secret:absent@1")],
  [
    "a tool in code",
    () => tool("execute", { code: "return await mcp.other.look({})" }),
    () => tool("execute", { code: "return await mcp.absent.look({})" }),
  ],
  [
    "a capability in code",
    () => tool("execute", { code: "return await mcp.secret.hidden({})" }),
    () => tool("execute", { code: "return await mcp.secret.absent({})" }),
  ],
  [
    "a capability by name",
    () => tool("execute", { name: "secret:hidden" }),
    () => tool("execute", { name: "secret:absent" }),
  ],
  [
    "the description of a capability",
    () => tool("describe_workflow", { name: "secret:hidden" }),
    () => tool("describe_workflow", { name: "secret:absent" }),
  ],
  [
    "the resource of a capability",
    () => read("repertoire://library/secret/hidden"),
    () => read("repertoire://library/secret/absent"),
  ],
  [
    "a resource",
    () => read(stand.hidden.resource),
    () => read(stand.hidden.resource.replace("other", "absent")),
  ],
  ["a prompt", () => ["prompts/get", { name: "other__ask" }], () => ["prompts/get", { name: "absent__ask" }]],
  [
    "the completion of a prompt",
    () => ["completion/complete", completionOf({ type: "ref/prompt", name: "other__ask" })],
    () => ["completion/complete", completionOf({ type: "ref/prompt", name: "absent__ask" })],
  ],
  [
    "the completion of a resource",
    () => ["completion/complete", completionOf({ type: "ref/resource", uri: stand.hidden.resource })],
    () => [
      "completion/complete",
      completionOf({ type: "ref/resource", uri: stand.hidden.resource.replace("other", "absent") }),
    ],
  ],
];

function completionOf(ref: object): object {
  return { ref, argument: { name: "id", value: "" } };
}

/** An answer without what is different by nature: the words that were asked with, and the trace. */
function plain(answer: Answer, params: object): { status: number; text: string } {
  const words = textsIn(params).sort((a, b) => b.length - a.length);
  let text = answer.text
    .replace(/"repertoire\/traceId":"[^"]+"/g, '"repertoire/traceId":"T"')
    .replace(/repertoire\/traceId\\":\\"[^"\\]+/g, "T")
    .replace(/"(elapsed_ms|duration_ms)":[\d.]+/g, '"$1":0')
    .replace(/\\"(elapsed_ms|duration_ms)\\":[\d.]+/g, "0");
  for (const word of words) text = text.replaceAll(word, "ASKED");
  text = text.replaceAll(/\b(?:other|absent)\b|\b(?:other|absent)(?=__)|hidden/g, "NAME");
  return { status: answer.status, text: text.replace(/^id: .*$/gm, "") };
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return value.length > 3 ? [value] : [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

describe.each(["2026-07-28", "2025-11-25"] as const)("a token of a profile, in the era %s", (era) => {
  it.each([...PROFILE_PROBES, ...RUN_PROBES, ...DRAFT_PROBES])(
    "T132: is answered about %s that is hidden as about one that is not there",
    async (_, hidden, absent) => {
      const before = stand.heard();
      const [method, params] = hidden();
      const told = await ASKED[era](stand.bot, PROFILE, method, params);
      const [otherMethod, otherParams] = absent();
      const control = await ASKED[era](stand.bot, PROFILE, otherMethod, otherParams);
      expect(plain(told, params)).toEqual(plain(control, otherParams));
      expect(plain(told, params).text).not.toContain(CANARY);
      expect(stand.heard()).toBe(before);
    },
  );

  it.each([
    ["tools/list", {}],
    ["resources/list", {}],
    ["resources/templates/list", {}],
    ["prompts/list", {}],
    ["server/discover", {}],
    read("repertoire://runs"),
    ...[{}, { query: CANARY }, { query: "other look hidden" }].map((args) => tool("browse_components", args)),
    tool("list_library"),
    tool("list_library", { pattern: "*" }),
    tool("execute", { name: "nothing" }),
    tool("execute", { resume: "last" }),
    tool("save_to_library", { draft_name: "nothing", final_name: "own:x", description: "X." }),
    [
      "completion/complete",
      completionOf({ type: "ref/resource", uri: "repertoire://library/{namespace}/{action}" }),
    ],
  ] as const)("T132: sees nothing of what is hidden in %s %j", async (method, params) => {
    const { text } = await ASKED[era](stand.bot, PROFILE, method, params);
    expect(text).not.toContain(CANARY);
    expect(text).not.toMatch(/other__|mcp__secret|secret:/);
  });

  it("T132: sees what its profile shows, so that the answers above mean something", async () => {
    const shown = await ASKED[era](stand.bot, PROFILE, ...tool("mine__look"));
    expect(shown.text).toContain("look by marigold");
    const whole = await ASKED[era](stand.ann, "/mcp", ...tool("other__look"));
    expect(whole.text).toContain(`look by ${CANARY}`);
    expect(
      (await ASKED[era](stand.ann, "/mcp", ...read(`repertoire://runs/${stand.hidden.runId}`))).text,
    ).toContain(CANARY);
  });
});

describe("a token of a profile", () => {
  it("T132: subscribes no server that is hidden, in either era", async () => {
    const before = stand.heard();
    const { resource } = stand.hidden;
    const listening = readEvents(
      stand.gateway.at(PROFILE),
      modernAs(stand.bot, "l", "subscriptions/listen", {
        notifications: { resourceSubscriptions: [resource] },
      }),
    );
    await askLegacy(stand.bot, PROFILE, "resources/subscribe", { uri: resource });
    // The same for one that is shown has reached its server, so the other one would have too.
    const own = resource.replace("other", "mine");
    await askLegacy(stand.bot, PROFILE, "resources/subscribe", { uri: own });
    listening.cut();
    expect(stand.heard()).toBe(before);
    expect(readFileSync(join(stand.place.folder, "marigold.jsonl"), "utf8")).toContain("resources/subscribe");
  });

  it("T132: has no session of another, and no stream of one", async () => {
    const { session, eventId } = stand.hidden;
    const stolen = { ...stand.bot, "Mcp-Session-Id": session["Mcp-Session-Id"]! };
    const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
    for (const path of [PROFILE, "/mcp"]) {
      const expected = path === "/mcp" ? 403 : 404;
      expect((await send(stand.gateway.at(path), { headers: stolen, body: ping })).status).toBe(expected);
      for (const method of ["GET", "DELETE"]) {
        const headers = { ...stolen, "Last-Event-ID": eventId };
        expect((await send(stand.gateway.at(path), { method, headers })).status).toBe(expected);
      }
    }
    expect((await send(stand.gateway.url, { headers: session, body: ping })).status).toBe(200);
  });

  it("T132: gets nothing of another's stream by its event id", async () => {
    const own = await openSession(stand.gateway.at(PROFILE), "", stand.bot);
    const headers = { ...own, "Last-Event-ID": stand.hidden.eventId };
    const stream = readEvents(stand.gateway.at(PROFILE), { method: "GET", headers });
    await send(stand.gateway.at(PROFILE), { method: "DELETE", headers: own });
    await stream.ended;
    expect(JSON.stringify(stream.events)).not.toContain(CANARY);
  });

  it("reads and resumes its own runs, and the owner of the gateway does too", async () => {
    const code =
      "await mcp.mine.look({ n: 3 }); if (args.ok !== true) throw new Error('no'); return 'went on';";
    const failed = await call(stand.bot, PROFILE, "execute", { code });
    const runId = failed["run_id"] as string;
    for (const who of [stand.bot, stand.ann]) {
      const path = who === stand.bot ? PROFILE : "/mcp";
      expect((await ask(who, path, ...read(`repertoire://runs/${runId}`))).text).toContain("mine__look");
    }
    expect(await call(stand.bot, PROFILE, "execute", { resume: runId, inputs: { ok: true } })).toMatchObject({
      outputs: "went on",
    });
    const kept = await call(stand.bot, PROFILE, "execute", { code: "return 'mine';", intent: "keep it" });
    expect(await call(stand.bot, PROFILE, "execute", { name: kept["draft"] })).toMatchObject({
      outputs: "mine",
    });
    const saved = { draft_name: kept["draft"], final_name: "own:mine", description: "Mine." };
    expect(await call(stand.bot, PROFILE, "save_to_library", saved)).toMatchObject({ success: true });
  });

  it("keeps no example of another's run with the same source", async () => {
    const code = "return { word: args.word };";
    await call(stand.ann, "/mcp", "execute", { code, inputs: { word: CANARY } });
    await call(stand.bot, PROFILE, "execute", { code, inputs: { word: "own" } });
    await call(stand.ann, "/mcp", "execute", { code, inputs: { word: CANARY } });
    const again = await call(stand.bot, PROFILE, "execute", {
      code,
      inputs: { word: "own" },
      save_as: "own:word",
    });
    expect(again).toMatchObject({ success: true });
    const described = await ask(stand.bot, PROFILE, ...tool("describe_workflow", { name: "own:word" }));
    expect(described.text).not.toContain(CANARY);
  });
});

describe("the routes of HTTP", () => {
  /** Every route beside MCP; one that is added is added here too, with what it needs. */
  const ROUTES = {
    "/health": ["read", "state"],
    "/health/live": ["read", "state"],
    "/health/ready": ["read", "state"],
    "/metrics": ["admin", "whole"],
    "/.well-known/oauth-protected-resource": ["public", "state"],
    "/.well-known/oauth-protected-resource/mcp": ["public", "state"],
    "/.well-known/oauth-protected-resource/mcp/:profile": ["public", "state"],
  } as const;

  /** Of the API, as the contract has them; what they answer is the token's own, or of its profile. */
  const API_PATHS = Object.values(API_ROUTES).map(
    ([, path]) =>
      API_PREFIX +
      path.replace(":server", "other").replace(":tool", "other__secret").replaceAll(/:\w+/g, "r"),
  );

  it("T132: each have a permission, and say whether they show the whole gateway", () => {
    const deps = { health: {}, metrics: {}, bases: [] } as unknown as OperatorDeps & { bases: string[] };
    const declared = operatorRoutes(deps).map(({ path, permission, shows }) => [path, [permission, shows]]);
    expect(Object.fromEntries(declared)).toEqual(ROUTES);
  });

  it.each(["GET", "POST", "PUT", "DELETE", "HEAD", "PATCH"])(
    "T132: show a token of a profile nothing but its profile, with %s",
    async (method) => {
      const paths = [
        ...Object.keys(ROUTES).map((path) => path.replace(":profile", "other")),
        ...API_PATHS,
        "/",
        "/mcp",
        "/mcp/",
        "/mcp/other",
        "/mcp/OTHER",
        "/mcp/nothing",
        "/mcp/mine/",
        "/mcp/mine/../other",
        "/mcp/%6fther",
        "/mcp?profile=other",
        "//mcp/other",
        "/metrics/",
        "/METRICS",
        "/%6detrics",
        "/mcp/mine/metrics",
      ];
      const { body } = modernAs(stand.bot, 1, "tools/list");
      for (const path of paths) {
        const answer = await sendRaw(path, method, body);
        // What was asked for is told back, whether there is such a thing or not.
        const told = answer.text.replaceAll("other__secret", "");
        expect([path, told.includes(CANARY) || /other__|repertoire_(?!console)/.test(told)]).toEqual([
          path,
          false,
        ]);
        const mayBeGood = /^\/health|^\/\.well-known|^\/api\//.test(path) || path === "/mcp/mine";
        expect([path, answer.status < 300 && !mayBeGood]).toEqual([path, false]);
      }
    },
  );

  it("T132: answer a token of a profile with 403 where another profile is and where none is", async () => {
    for (const path of ["/mcp/other", "/mcp/nothing"]) {
      const { status, text } = await ask(stand.bot, path, "tools/list");
      expect([status, text.replaceAll(path.slice(5), "NAME")]).toEqual([
        403,
        expect.stringContaining("only /mcp/mine"),
      ]);
    }
    expect((await send(stand.gateway.at("/metrics"), { method: "GET", headers: stand.bot })).status).toBe(
      403,
    );
    expect((await send(stand.gateway.at("/metrics"), { method: "GET", headers: stand.ann })).status).toBe(
      200,
    );
  });
});

/** The path as it is written: a URL would be put in order first. */
function sendRaw(path: string, method: string, body: string): Promise<{ status: number; text: string }> {
  const { hostname, port } = stand.gateway.url;
  const headers = { ...stand.bot, "Content-Type": "application/json", Accept: "application/json" };
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, path, method, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    request.once("error", reject);
    request.end(method === "POST" ? body : undefined);
  });
}

describe.each([
  ["effects", { effects: ["read", "write"] }],
  ["tools", { tools: ["mine__*", "other__*"] }],
] as const)("a token with a limit of %s", (name, limits) => {
  const limited = { headers: {} as Headers };
  beforeAll(async () => {
    limited.headers = stand.place.tokenFor(`limited-${name}`, PERMISSIONS, limits);
    await until("the token", async () => (await ask(limited.headers, "/mcp", "tools/list")).status === 200);
  });

  it.each([...RUN_PROBES, ...DRAFT_PROBES])(
    "is answered about %s of another as about one that is not there",
    async (_, hidden, absent) => {
      const [method, params] = hidden();
      const told = await ask(limited.headers, "/mcp", method, params);
      const [otherMethod, otherParams] = absent();
      const control = await ask(limited.headers, "/mcp", otherMethod, otherParams);
      expect(plain(told, params)).toEqual(plain(control, otherParams));
      expect(plain(told, params).text).not.toContain(CANARY);
    },
  );

  it("lists its own runs, reads and resumes them, and no others", async () => {
    const own = await call(limited.headers, "/mcp", "execute", { code: "throw new Error('mine')" });
    const { text } = await ask(limited.headers, "/mcp", ...read("repertoire://runs"));
    const [content] = messageOf(text).result!["contents"] as [{ text: string }];
    const { runs } = JSON.parse(content.text) as { runs: { run_id: string }[] };
    expect(runs.map(({ run_id: id }) => id)).toEqual([own["run_id"]]);
    const resumed = await call(limited.headers, "/mcp", "execute", {
      resume: own["run_id"],
      code: "return 'done'",
    });
    expect(resumed).toMatchObject({ outputs: "done" });
  });
});
