/** APIs with real descriptions, through the bundle: found, typed and called, against stand-ins that read the same descriptions. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { connect } from "./fixtures/gateway-process.ts";
import { eventuallyAsync, temporaryFolder } from "./fixtures/temporary.ts";
import { standInFor } from "./rig/api-stand-in.ts";

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
      const { structuredContent } = await call("browse_components", { query, limit: 20 });
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
