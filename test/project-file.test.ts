/** A project's `repertoire.json` beside the user's own file, as people and agents meet the two. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { connect } from "./fixtures/gateway-process.ts";
import { runCliHere } from "./fixtures/cli-in-process.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";

const SUM = { command: process.execPath, args: [join(import.meta.dirname, "fixtures/sum-server.mjs")] };

function folderWith(own: unknown, project: unknown) {
  const folder = temporaryFolder();
  const files = {
    own: join(folder, "config/repertoire/repertoire.json"),
    project: join(folder, "repertoire.json"),
  };
  const write = (path: string, content: unknown) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content, null, 2));
  };
  if (own !== undefined) write(files.own, own);
  if (project !== undefined) write(files.project, project);
  const read = (which: keyof typeof files) => JSON.parse(readFileSync(files[which], "utf8")) as object;
  const here = (...args: string[]) => runCliHere(args, { folder });
  return { folder, files, read, here };
}

const servers = (...ids: string[]) => ({ mcpServers: Object.fromEntries(ids.map((id) => [id, SUM])) });

describe("B5: a project file that is not trusted", () => {
  it("leaves the user's servers to an agent, and tells it what waits for trust", async () => {
    const { folder } = folderWith(servers("mine", "both"), servers("both", "theirs"));
    const { client, stderr } = await connect("2025-11-25", { folder });
    const call = (name: string) => client.callTool({ name, arguments: { a: 1, b: 2 } });
    expect(await call("mine__get-sum")).not.toMatchObject({ isError: true });
    expect(await call("both__get-sum")).not.toMatchObject({ isError: true });
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === "browse_components")?.description).toContain(
      "Servers: both, mine. Servers of this folder's repertoire.json wait until a person runs `repertoire trust`: theirs.",
    );
    const browsed = await client.callTool({ name: "browse_components", arguments: { query: "zzz qqq" } });
    expect(browsed.structuredContent).toMatchObject({
      unavailable: [{ server: "theirs", reason: expect.stringContaining("repertoire trust") }],
      hint: expect.stringContaining("wait until a person runs `repertoire trust`: theirs."),
    });
    const inCode = await client.callTool({
      name: "execute",
      arguments: { code: "return await mcp.theirs.get_sum({ a: 1, b: 2 })" },
    });
    expect(inCode.structuredContent).toMatchObject({
      error: { code: "TOOL_UNAVAILABLE", hint: expect.stringContaining("repertoire trust") },
    });
    expect(stderr()).toContain("config.warning");
  });

  it("is what an agent without other servers is told of", async () => {
    const { folder } = folderWith(undefined, servers("theirs"));
    const { client } = await connect("2025-11-25", { folder });
    const { tools } = await client.listTools();
    const described = tools.find(({ name }) => name === "browse_components")?.description;
    expect(described).not.toContain("No servers are configured yet");
    expect(described).toContain("`repertoire trust`: theirs");
    const browsed = await client.callTool({ name: "browse_components", arguments: {} });
    expect(browsed.structuredContent).toMatchObject({ hint: expect.stringContaining("repertoire trust") });
  });

  it("is named by the commands that show what there is", async () => {
    const { here } = folderWith(servers("mine"), servers("theirs"));
    for (const words of [["list"], ["tools"], ["servers"], ["doctor"]]) {
      const { stdout, stderr } = await here(...words);
      expect(stdout + stderr, words.join(" ")).toContain("repertoire trust");
    }
    expect((await here("servers")).stdout).toMatch(/theirs\s+untrusted/);
    expect((await here("config", "path")).stdout).toMatch(/project folder, not trusted.*\n.*your own/);
    expect((await here("runs")).stderr).toBe("Nothing has run yet.\n");
  });

  it("that is broken JSON stops no command", async () => {
    const { here } = folderWith(servers("mine"), "{");
    expect((await here("call", "mine.get-sum", "a=1", "b=2")).status).toBe(0);
    expect((await here("config", "check")).status).toBe(1);
    expect((await here("disable", "mine")).status).toBe(0);
  });
});

describe("B5: add, remove, enable and disable", () => {
  it("write to the file that is in force, and say which", async () => {
    const { here, files, read } = folderWith(servers("mine"), servers("theirs"));
    const before = await here("add", "one", "--", "node");
    expect(before).toMatchObject({ status: 0, stderr: expect.stringContaining(`to ${files.own}`) });
    expect((await here("trust", "--yes")).status).toBe(0);
    const after = await here("add", "two", "--", "node");
    expect(after).toMatchObject({ status: 0, stderr: expect.stringContaining(`to ${files.project}`) });
    expect(read("project")).toMatchObject({ mcpServers: { two: { command: "node" } } });
    expect(read("own")).toMatchObject({ mcpServers: { one: { command: "node" } } });
  });

  it("find a server where it stands, in either file", async () => {
    const { here, files, read } = folderWith(servers("mine", "both"), servers("theirs", "both"));
    expect((await here("disable", "both")).stderr).toContain(files.own);
    expect((await here("enable", "both")).stderr).toContain(files.own);
    expect((await here("trust", "--yes")).stdout).toContain("replaces  your own server both");
    expect((await here("disable", "mine")).stderr).toContain(files.own);
    const removed = await here("remove", "both");
    expect(removed.stderr).toContain(`removed both in ${files.project}`);
    expect(removed.stderr).toContain(`both of ${files.own} is used now`);
    expect(read("own")).toEqual({ mcpServers: { mine: { ...SUM, enabled: false }, both: SUM } });
    expect(read("project")).toEqual(servers("theirs"));
  });

  it("work on any file that is JSON, whatever is in it", async () => {
    const odd = { mcpServers: { a: "text", b: { command: 1 }, 日本: {} }, unknown: [], exposure: 7 };
    const { here, files, read } = folderWith(odd, undefined);
    expect((await here("disable", "b")).status).toBe(0);
    expect((await here("enable", "b")).status).toBe(0);
    expect((await here("add", "c", "--", "node")).status).toBe(0);
    for (const name of ["a", "b", "日本"]) expect((await here("remove", name)).status).toBe(0);
    expect(read("own")).toEqual({ mcpServers: { c: { command: "node" } }, unknown: [], exposure: 7 });
    const doctor = await here("doctor");
    expect(doctor.stdout).toContain(`→ \${EDITOR:-vi} ${files.own}`);
    expect((await here("config", "check")).stderr).toContain("unknown: unknown key");
  });
});
