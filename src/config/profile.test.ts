import { expect, test } from "vitest";
import { checkProfiles } from "./profile.ts";
import { problemsOf, requireConfig } from "./temp-project.testkit.ts";

const mcpServers = { GitHub: { command: "x" }, files: { command: "y" } };

function complaintsAbout(profile: unknown): string[] {
  return checkProfiles({ profiles: { p: profile } }, ["github", "files"]).map(
    ({ path, message, hint }) =>
      `${path.slice(2).join(".")}: ${message}${hint === undefined ? "" : `; ${hint}`}`,
  );
}

test("a server is named by its key or its id", () => {
  const profiles = {
    a: { servers: ["GitHub"] },
    b: { servers: ["github", "files"] },
    c: { transparent: "GitHub" },
  };
  expect(requireConfig({ mcpServers, profiles }).profiles).toEqual({
    a: { servers: ["github"] },
    b: { servers: ["github", "files"] },
    c: { transparent: "github" },
  });
});

test("a server of the environment can be named", () => {
  const config = requireConfig(
    { profiles: { p: { servers: ["web"] } } },
    { WEB_MCP_URL: "https://web.example" },
  );
  expect(config.profiles["p"]).toEqual({ servers: ["web"] });
});

test("a profile may show no server at all", () => {
  expect(requireConfig({ profiles: { p: { servers: [] } } }).profiles["p"]).toEqual({ servers: [] });
});

test("a profile says which tools and capabilities it shows, and what it calls them", () => {
  const p = {
    servers: ["GitHub"],
    tools: { allow: ["github__*", "github__*", "execute"], deny: ["*__delete_*", "save_to_library"] },
    capabilities: { allow: ["math:*", "*"], deny: ["*:secret_*"] },
    rename: { github__create_issue: "file-a-bug", mcp__math__sum: "add" },
    describe: { github__create_issue: "Files a bug.", execute: "Runs code." },
    exposure: "full",
  };
  expect(requireConfig({ mcpServers, profiles: { p } }).profiles["p"]).toEqual({
    ...p,
    servers: ["github"],
    tools: { ...p.tools, allow: ["github__*", "execute"] },
  });
});

test.each([
  [{ tools: { allow: ["githb__*"] } }, 'tools.allow.0: there is no such server; did you mean "github"?'],
  [
    { tools: { deny: ["exec"] } },
    'tools.deny.0: there is no such tool; did you mean "execute"?; a tool of a server is server__tool',
  ],
  [{ tools: { deny: ["zzz"] } }, "tools.deny.0: there is no such tool; a tool of a server is server__tool"],
  [
    { tools: { allow: ["*", "github__[ab]"] } },
    "tools.allow.1: a tool name has letters, digits, - and _; * matches any characters",
  ],
  [
    { tools: { allow: ["mcp__math__*"] } },
    'tools.allow.0: a capability is not a tool of a server; write it as namespace:action under "capabilities"',
  ],
  [
    { capabilities: { deny: ["math:sum", "mcp__math__sum"] } },
    "capabilities.deny.1: a capability name is namespace:action, in lower-case letters, digits and _; * matches any characters, as in math:*",
  ],
  [{ rename: { github__a: "b c" } }, "rename.github__a: must be at most 64 letters, digits, - and _"],
  [
    { rename: { github__a: "x".repeat(65) } },
    "rename.github__a: must be at most 64 letters, digits, - and _",
  ],
  [{ rename: { github__a: "execute" } }, "rename.github__a: is the name of a meta-tool; choose another name"],
  [
    { rename: { github__a: "mcp__x__y" } },
    "rename.github__a: begins with mcp__, as the names of capabilities do; choose another name",
  ],
  [
    { rename: { github__a: "files__b" } },
    'rename.github__a: could be the name of a tool of the server "files"; choose another name',
  ],
  [
    { rename: { github__a: "same", files__b: "same" } },
    'rename.files__b: "github__a" has this name already; give each tool a name of its own',
  ],
  [
    { rename: { execute: "run" } },
    'rename.execute: a meta-tool cannot be renamed; to hide it, deny it under "tools"',
  ],
  [{ rename: { filez__a: "b" } }, 'rename.filez__a: there is no such server; did you mean "files"?'],
  [
    { rename: { "github__*": "b" } },
    "rename.github__*: is not a tool name; write server__tool or mcp__namespace__action",
  ],
  [
    { describe: { mcp__Math__sum: "b" } },
    "describe.mcp__Math__sum: is not a tool name; write server__tool or mcp__namespace__action",
  ],
  [{ describe: { read: "b" } }, "describe.read: there is no such tool; a tool of a server is server__tool"],
])("the names of %j are a problem", (profile, expected) => {
  expect(complaintsAbout(profile)).toEqual([expected]);
});

test("a problem with a name is told with its line", () => {
  const profiles = { p: { tools: { allow: ["githb__*"] }, describe: { github__a: "x".repeat(9 * 1024) } } };
  expect(problemsOf({ mcpServers, profiles })).toEqual([
    expect.stringMatching(
      /:\d+:\d+ {2}profiles\.p\.tools\.allow\[0\]: there is no such server; did you mean "github"\?/,
    ),
    expect.stringMatching(/:\d+:\d+ {2}profiles\.p\.describe\.github__a: must have at most 8192 bytes/),
  ]);
});

test.each(["servers", "tools", "capabilities", "rename", "describe"])(
  "%s has no meaning beside transparent",
  (key) => {
    const value = key === "servers" ? [] : {};
    expect(complaintsAbout({ transparent: "files", [key]: value })).toEqual([
      `${key}: has no effect with "transparent", which shows exactly one server; remove one of the two`,
    ]);
  },
);

test.each([
  [{ servers: ["githb"] }, 'servers.0: there is no such server; did you mean "github"?'],
  [{ servers: ["files", "zzz"] }, "servers.1: there is no such server; the servers are github, files"],
  [{ transparent: "file" }, 'transparent: there is no such server; did you mean "files"?'],
  [
    { transparent: "files", exposure: "full" },
    'exposure: has no effect with "transparent", which shows exactly one server; remove one of the two',
  ],
])("%j is a problem", (profile, expected) => {
  expect(complaintsAbout(profile)).toEqual([expected]);
});

test.each(["No Spaces", "", "a.b", "constructor", "../x"])("T025: %j is no profile name", (name) => {
  expect(problemsOf({ profiles: { [name]: {} } })[0]).toContain("a profile name is lower-case letters");
});

test("server-card is no profile name: the card of the gateway is there", () => {
  expect(problemsOf({ profiles: { "server-card": {} } })[0]).toContain(
    "server-card is no name for a profile",
  );
});

test.each([
  null,
  [],
  { servers: 1 },
  { servers: [1, null] },
  { transparent: {} },
  { tools: { allow: [1, null, {}], deny: "x" }, capabilities: [] },
  { rename: { github__a: 1, "": null }, describe: "x" },
])("never throws on %j", (profile) => {
  expect(() => checkProfiles({ profiles: { p: profile } }, [])).not.toThrow();
  expect(() => checkProfiles({ profiles: profile }, [])).not.toThrow();
});
