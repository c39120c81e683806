/** APIs with real descriptions, through the bundle: found, typed and called, against stand-ins that read the same descriptions. */
import { readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { connect } from "./fixtures/gateway-process.ts";
import { eventuallyAsync, temporaryFolder } from "./fixtures/temporary.ts";
import { standInFor } from "./rig/api-stand-in.ts";

const packages = join(import.meta.dirname, "../node_modules");
const GALAXY = join(packages, "@scalar/galaxy/dist/3.1.json");

function exampleOf(path: string): unknown {
  return JSON.parse(readFileSync(join(packages, "@readme/oas-examples", path), "utf8"));
}

function githubText(): string {
  return gunzipSync(readFileSync(join(import.meta.dirname, "fixtures/openapi/github.json.gz"))).toString();
}

/** A gateway in front of one API, and a way to run code in it. */
async function openApi(id: string, description: string | object, entry: object = {}, config: object = {}) {
  const folder = temporaryFolder();
  const text = typeof description === "string" ? description : JSON.stringify(description);
  writeFileSync(join(folder, `${id}.json`), text);
  const standIn = await standInFor(JSON.parse(text));
  const servers = { [id]: { openapi: `${id}.json`, baseUrl: standIn.origin, ...entry } };
  writeFileSync(join(folder, "config.json"), JSON.stringify({ mcpServers: servers, ...config }));
  const { client } = await connect("2025-11-25", { folder, args: ["--config", "config.json"] });
  const call = async (name: string, args: Record<string, unknown>) =>
    (await client.callTool({ name, arguments: args })) as unknown as {
      readonly isError?: boolean;
      readonly content: readonly { readonly text: string }[];
      readonly structuredContent?: Record<string, unknown>;
    };
  const execute = async (code: string) => {
    const answer = await call("execute", { code });
    return answer.structuredContent as { outputs?: unknown; error?: unknown; warnings?: unknown };
  };
  return { client, call, execute, standIn, folder };
}

describe("GitHub's API, of 1,223 operations", () => {
  it("is found by search, typed, and called from code", async () => {
    const { call, execute, standIn } = await openApi("github", githubText());
    const query = "create an issue";
    // The first question may come before the description has been read.
    const found = await eventuallyAsync("the tools", async () => {
      const { structuredContent } = await call("browse_components", { query, limit: 5 });
      return structuredContent?.["total"] !== 0 && structuredContent;
    });
    const typesIn = (nodes: unknown) => (nodes as { readonly type: string }[]).map(({ type }) => type);
    expect(typesIn(found["nodes"])).toContain("github__issues_create");
    const named = await call("browse_components", { names: ["github__issues_create"] });
    const [create] = named.structuredContent!["nodes"] as { readonly signature: string }[];
    expect(create!.signature).toMatch(
      /^mcp\.github\.issues_create\(args: \{ owner: string; repo: string; body: /,
    );
    expect(create!.signature).toMatch(/Promise<\{ id: number; node_id: string; /);
    const { outputs, error, warnings } = await execute(`
      const issue = await mcp.github.issues_create({
        owner: "octo org", repo: "hello/world", body: { title: "Found a bug", labels: ["bug"] },
      });
      const repos = await mcp.github.repos_list_for_org({ org: "octo", per_page: 2, type: "public" });
      return { title: issue.title, count: repos.length, first: repos[0].full_name };
    `);
    expect({ error, warnings }).toEqual({});
    expect(outputs).toEqual({ title: "Found a bug", count: 1, first: "octocat/Hello-World" });
    expect(
      standIn.seen.map(({ method, url, problems }) => [method, url.pathname + url.search, problems]),
    ).toEqual([
      ["POST", "/repos/octo%20org/hello%2Fworld/issues", []],
      ["GET", "/orgs/octo/repos?type=public&per_page=2", []],
    ]);
  });
});

describe("the galaxy of Scalar, OpenAPI 3.1", () => {
  const description = JSON.parse(readFileSync(GALAXY, "utf8")) as object;
  const auth = { apiKeyHeader: "galaxy-key-12345" };

  it("is called with path, query, body, files and a login, as it says", async () => {
    const { execute, standIn } = await openApi("galaxy", description, { auth });
    const { outputs, error, warnings } = await execute(`
      await mcp.galaxy.getAllData({ limit: 2, offset: 0 });
      await mcp.galaxy.getPlanet({ planetId: 7 });
      await mcp.galaxy.createPlanet({ body: { name: "Nova", type: "terrestrial" } });
      await mcp.galaxy.uploadImage({ planetId: 7, body: { image: "cG5n" } });
      await mcp.galaxy.getMe({});
      return "done";
    `);
    expect({ error, warnings }).toEqual({});
    expect(outputs).toBe("done");
    expect(
      standIn.seen.map(({ method, url, problems }) => [method, url.pathname + url.search, problems]),
    ).toEqual([
      ["GET", "/planets?limit=2&offset=0", []],
      ["GET", "/planets/7", []],
      ["POST", "/planets", []],
      ["POST", "/planets/7/image", []],
      ["GET", "/me", []],
    ]);
    // Whatever needs a login gets it; reading the planets needs none.
    const keyOf = ({ headers }: (typeof standIn.seen)[number]) =>
      Object.values(headers).includes("galaxy-key-12345");
    expect(standIn.seen.map(keyOf)).toEqual([false, false, true, true, true]);
    const upload = standIn.seen[3]!;
    expect(upload.headers["content-type"]).toMatch(/^multipart\/form-data; boundary=/);
    expect(upload.body.toString()).toContain(
      'name="image"; filename="image"\r\nContent-Type: application/octet-stream\r\n\r\npng\r\n',
    );
  });

  it("is checked before it is sent, by types and by schemas", async () => {
    const { execute, call, standIn } = await openApi("galaxy", description, { auth });
    const typed = await execute(`return await mcp.galaxy.getPlanet({});`);
    expect(JSON.stringify(typed.error)).toContain("planetId");
    const direct = await call("galaxy__getPlanet", { planetId: "seven" });
    expect(direct).toMatchObject({ isError: true });
    expect(direct.content[0]!.text).toContain("planetId");
    const unknown = await call("galaxy__getPlanet", { planetId: 7, admin: true });
    expect(unknown).toMatchObject({ isError: true });
    expect(standIn.seen).toEqual([]);
  });

  it("lists nothing that clients would hold it to, and a restart shows its tools without reading it", async () => {
    const { client, folder } = await openApi("galaxy", description, { auth }, { exposure: "full" });
    const tools = await eventuallyAsync("the tools", async () => {
      const listed = (await client.listTools()).tools.filter(({ name }) => name.startsWith("galaxy__"));
      return listed.length > 0 && listed;
    });
    expect(tools).toHaveLength(10);
    for (const tool of tools) {
      expect(tool).not.toHaveProperty("outputSchema");
      expect(tool).not.toHaveProperty("answerSchema");
    }
    expect(tools.find(({ name }) => name === "galaxy__deletePlanet")!.annotations).toEqual({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
    });
    await client.close();
    unlinkSync(join(folder, "galaxy.json"));
    const again = await connect("2026-07-28", { folder, args: ["--config", "config.json"] });
    const names = (await again.client.listTools()).tools.map(({ name }) => name);
    expect(names.filter((name) => name.startsWith("galaxy__"))).toHaveLength(10);
    const failed = await again.client.callTool({ name: "galaxy__getPlanet", arguments: { planetId: 1 } });
    expect(JSON.stringify(failed)).toContain("no such file");
  });
});

const BOOKING = "1725ff48-ab45-4bb5-9d02-88745177dedb";

describe("the examples of ReadMe", () => {
  it.each([
    [
      "3.0/json/petstore.json",
      { auth: { api_key: "k-123456789", petstore_auth: "t-123456789" } },
      `
      await mcp.api.addPet({ body: { name: "Rex", photoUrls: ["a"] } });
      await mcp.api.findPetsByStatus({ status: ["available", "sold"] });
      await mcp.api.updatePetWithForm({ petId: 3, body: { name: "a b", status: "x&y" } });
      await mcp.api.deletePet({ petId: 3, api_key: "mine" });
      return "done";`,
      ["POST /pet", "GET /pet/findByStatus?status=available&status=sold", "POST /pet/3", "DELETE /pet/3"],
    ],
    [
      "3.0/json/parameters-style.json",
      {},
      `
      const args = { primitive: "buster", array: ["a", "b"], object: { name: "x" } };
      await mcp.api.paths_matrix_exploded(args);
      await mcp.api.paths_label_nonExploded(args);
      await mcp.api.query_standard({ primitive: "p q" });
      return "done";`,
      [
        "POST /anything/path/matrix/;primitive=buster/;array=a;array=b/;name=x",
        "GET /anything/path/label/.buster/.a,b/.name,x",
        "GET /anything/query?primitive=p%20q",
      ],
    ],
    [
      "3.1/json/train-travel.json",
      { auth: { OAuth2: "oauth-token-1" } },
      `
      await mcp.api.get_stations({});
      await mcp.api.get_booking({ bookingId: "${BOOKING}" });
      return "done";`,
      ["GET /stations", `GET /bookings/${BOOKING}`],
    ],
  ] as const)("%s is called as it says", async (path, entry, code, requests) => {
    const { execute, standIn } = await openApi("api", exampleOf(path) as object, entry);
    const { outputs, error } = await execute(code);
    expect({ outputs, error }).toEqual({ outputs: "done" });
    expect(
      standIn.seen.map(({ method, url, problems }) => [`${method} ${url.pathname}${url.search}`, problems]),
    ).toEqual(requests.map((request) => [request, []]));
  });
});
