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

test.each([
  [{ servers: ["githb"] }, 'servers.0: there is no such server; did you mean "github"?'],
  [{ servers: ["files", "zzz"] }, "servers.1: there is no such server; the servers are github, files"],
  [{ transparent: "file" }, 'transparent: there is no such server; did you mean "files"?'],
  [
    { transparent: "files", exposure: "full" },
    'exposure: has no meaning beside "transparent", which fronts exactly one server; remove one of the two',
  ],
])("%j is a problem", (profile, expected) => {
  expect(complaintsAbout(profile)).toEqual([expected]);
});

test.each(["No Spaces", "", "a.b", "constructor", "../x"])("T025: %j is no profile name", (name) => {
  expect(problemsOf({ profiles: { [name]: {} } })[0]).toContain("a profile name is lower-case letters");
});

test.each([null, [], { servers: 1 }, { servers: [1, null] }, { transparent: {} }])(
  "never throws on %j",
  (profile) => {
    expect(() => checkProfiles({ profiles: { p: profile } }, [])).not.toThrow();
    expect(() => checkProfiles({ profiles: profile }, [])).not.toThrow();
  },
);
