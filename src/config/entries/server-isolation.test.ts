import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { hashText } from "../../core/json.ts";
import { describeConfig, describeServersForTrust } from "../describe.ts";
import { loadConfig } from "../load.ts";
import { formatProblem } from "../problem.ts";
import { createTempProject, problemsOf, requireConfig, textOf } from "../temp-project.testkit.ts";
import { trust } from "../trust.ts";

const NOTHING = {
  filesystem: { allowRead: [], denyRead: [], allowWrite: [], denyWrite: [] },
  network: { allowedDomains: [], deniedDomains: [] },
};

function isolationOf(entry: object, file: object = {}, env: Record<string, string> = {}) {
  const config = requireConfig({ mcpServers: { a: { command: "x", ...entry } }, ...file }, env);
  const { transport, problems } = config.servers[0]!;
  expect(problems.map(formatProblem)).toEqual([]);
  return transport.kind === "stdio" ? transport.isolation : undefined;
}

describe("a server is isolated", () => {
  test.each([
    ["with the switch", { sandboxEnabled: true }, NOTHING],
    ["with rules alone", { sandbox: {} }, NOTHING],
    ["with empty sections", { sandbox: { filesystem: {}, network: {} } }, NOTHING],
    ["not without either", {}, undefined],
    ["not when switched off", { sandboxEnabled: false, sandbox: {} }, undefined],
  ])("%s", (_how, entry, expected) => {
    expect(isolationOf(entry)).toEqual(expected);
  });

  test("by the rules of its file, as VS Code has them", () => {
    const file = {
      sandbox: { filesystem: { allowWrite: ["out"] }, network: { allowedDomains: ["a.org"] }, memoryMb: 32 },
    };
    const expected = {
      filesystem: { ...NOTHING.filesystem, allowWrite: ["out"] },
      network: { ...NOTHING.network, allowedDomains: ["a.org"] },
    };
    expect(isolationOf({ sandboxEnabled: true }, file)).toEqual(expected);
    expect(isolationOf({ sandboxEnabled: true, sandbox: {} }, file)).toEqual(NOTHING);
    expect(isolationOf({ sandbox: {} }, file)).toEqual(NOTHING);
    expect(isolationOf({}, file)).toBeUndefined();
  });

  test("by rules with variables and inputs of its file", () => {
    const rules = {
      filesystem: { allowWrite: ["${OUT}/x", "${HOME:-/h}"] },
      network: { allowedDomains: ["${HOST}"] },
    };
    expect(
      isolationOf({ sandbox: rules }, {}, { OUT: "/out", HOST: "api.a.org", HOME: "/me" }),
    ).toMatchObject({
      filesystem: { allowWrite: ["/out/x", "/me"] },
      network: { allowedDomains: ["api.a.org"] },
    });
  });

  test("under servers too, where VS Code has them", () => {
    const config = requireConfig({ servers: { a: { command: "x", sandboxEnabled: true } } });
    expect(config.servers[0]!.transport).toMatchObject({ isolation: NOTHING });
  });
});

test("the limits for code stay what they are beside VS Code's rules", () => {
  const { sandbox } = requireConfig({ sandbox: { memoryMb: 32, network: {} } });
  expect(sandbox).toEqual({ timeoutMs: 30_000, memoryMb: 32, callsMax: 200, callsAtOnceMax: 16 });
});

describe("what would not be enforced keeps the server from being started", () => {
  test.each<[string, object, string]>([
    [
      "a switch that is none",
      { sandboxEnabled: "true" },
      "mcpServers.a.sandboxEnabled: must be true or false",
    ],
    ["a switch in the wrong words", { sandboxed: true }, "mcpServers.a.sandboxed: is no key that puts"],
    [
      "a switch in other letters",
      { sandBoxEnabled: true },
      "mcpServers.a.sandBoxEnabled: is no key that puts",
    ],
    ["true for rules", { sandbox: true }, "mcpServers.a.sandbox: must be an object"],
    ["a list for rules", { sandbox: [] }, "mcpServers.a.sandbox: must be an object"],
    ["an unknown section", { sandbox: { files: {} } }, "mcpServers.a.sandbox.files: unknown key"],
    ["an unknown rule", { sandbox: { filesystem: { allow: [] } } }, "sandbox.filesystem.allow: unknown key"],
    [
      "a rule of the runtime",
      { sandbox: { network: { allowUnixSockets: [] } } },
      "allowUnixSockets: unknown key",
    ],
    ["a text for a list", { sandbox: { filesystem: { allowWrite: "." } } }, "must be a list of strings"],
    ["a number in a list", { sandbox: { filesystem: { denyRead: [5] } } }, "must be a string"],
    ["an empty path", { sandbox: { filesystem: { denyRead: [""] } } }, "must not be empty"],
    ["a path with NUL", { sandbox: { filesystem: { denyRead: ["a\0b"] } } }, "must not contain a NUL"],
    ["a pattern", { sandbox: { filesystem: { denyRead: ["**/.env"] } } }, "patterns are not understood here"],
    [
      "a url for a domain",
      { sandbox: { network: { allowedDomains: ["https://a.org"] } } },
      "must be a domain",
    ],
    ["a port of a domain", { sandbox: { network: { deniedDomains: ["a.org:443"] } } }, "must be a domain"],
    ["an unset variable", { sandbox: { filesystem: { allowWrite: ["${NOT_SET}"] } } }, "NOT_SET is not set"],
  ])("%s", (_what, entry, problem) => {
    expect(problemsOf({ mcpServers: { a: { command: "x", ...entry } } }).join("\n")).toContain(problem);
  });

  test("a sandbox for a server that is reached by a url", () => {
    const problems = problemsOf({ mcpServers: { a: { url: "https://a.org/", sandboxEnabled: true } } });
    expect(problems).toEqual([expect.stringContaining('sandboxEnabled: belongs to a server with "command"')]);
  });

  test("a deep and large sandbox, without an end of the others", () => {
    const deep = JSON.parse(`${'{"filesystem":'.repeat(40)}{}${"}".repeat(40)}`) as unknown;
    const config = requireConfig({
      mcpServers: {
        a: { command: "x", sandbox: deep },
        b: { command: "x", sandbox: { filesystem: { denyRead: Array(5000).fill("/x*") } } },
        c: { command: "x" },
      },
    });
    expect(config.servers.map(({ problems }) => problems.length > 0)).toEqual([true, true, false]);
  });
});

test("rules of a file that no server takes are warned of", () => {
  const place = createTempProject();
  const text = {
    mcpServers: { a: { command: "x" } },
    sandbox: { filesystem: { allowWrite: ["."] }, memoryMb: 64 },
  };
  const configPath = place.write("project/repertoire.json", text);
  const result = loadConfig({ ...place.options, configPath });
  expect(result.ok && textOf(result.warnings)).toContain(
    "sandbox.filesystem: has no effect: no server of this file has sandboxEnabled",
  );
});

describe("a project's file and the user's own", () => {
  const USERS = {
    sandboxEnabled: true,
    sandbox: {
      filesystem: { allowWrite: ["~/out"], denyRead: ["~/private"] },
      network: { allowedDomains: ["a.org"] },
    },
  };

  function load(user: object, project: object, isTrusted = true) {
    const place = createTempProject();
    place.write("user/.config/repertoire/repertoire.json", {
      mcpServers: { Tool: { command: "mine", ...user } },
    });
    const path = place.write("project/repertoire.json", {
      mcpServers: { tool: { command: "theirs", ...project } },
    });
    if (isTrusted) trust(place.home, path, hashText(readFileSync(path, "utf8")));
    const result = loadConfig(place.options);
    if (!result.ok) throw new Error(textOf(result.problems));
    const { transport, problems } = result.config.servers.find(({ id }) => id === "tool")!;
    const isolation = transport.kind === "stdio" ? transport.isolation : undefined;
    return { isolation, problems, warnings: textOf(result.warnings), transport };
  }

  test("the project cannot take the sandbox away, nor allow more in it", () => {
    const more = {
      filesystem: { allowWrite: ["/"], allowRead: ["~/.ssh"] },
      network: { allowedDomains: ["*"] },
    };
    for (const project of [
      {},
      { sandboxEnabled: false },
      { sandboxEnabled: false, sandbox: more },
      { sandbox: more },
    ]) {
      expect(load(USERS, project).isolation).toEqual({
        filesystem: { ...NOTHING.filesystem, allowWrite: ["~/out"], denyRead: ["~/private"] },
        network: { ...NOTHING.network, allowedDomains: ["a.org"] },
      });
    }
    expect(load(USERS, { sandboxEnabled: false }).warnings).toContain(
      "sandboxEnabled: has no effect: your own file says what this server may reach",
    );
    expect(load(USERS, { sandbox: more }).warnings).toContain("sandbox: has no effect");
    expect(load(USERS, {}).warnings).toBe("");
  });

  test("the project may deny more", () => {
    const project = {
      sandbox: { filesystem: { denyRead: ["secrets"] }, network: { deniedDomains: ["b.a.org"] } },
    };
    expect(load(USERS, project).isolation).toMatchObject({
      filesystem: { denyRead: ["~/private", "secrets"] },
      network: { allowedDomains: ["a.org"], deniedDomains: ["b.a.org"] },
    });
  });

  test("the rules of the user's whole file count as well", () => {
    const place = createTempProject();
    place.write("user/.config/repertoire/repertoire.json", {
      mcpServers: { tool: { command: "mine", sandboxEnabled: true } },
      sandbox: { filesystem: { allowWrite: ["~/out"] } },
    });
    const path = place.write("project/repertoire.json", {
      mcpServers: { tool: { command: "theirs", sandboxEnabled: true } },
      sandbox: { filesystem: { allowWrite: ["/"] } },
    });
    trust(place.home, path, hashText(readFileSync(path, "utf8")));
    const result = loadConfig(place.options);
    const transport = result.ok ? result.config.servers[0]!.transport : undefined;
    expect(transport).toMatchObject({ isolation: { filesystem: { allowWrite: ["~/out"] } } });
  });

  test("a project that isolates what the user does not is believed", () => {
    expect(load({}, { sandboxEnabled: true }).isolation).toEqual(NOTHING);
  });

  test("a sandbox of the project with mistakes is none that is left out", () => {
    const { problems } = load(USERS, { sandbox: { filesystem: { allowWrites: ["/"] } } });
    expect(problems.map(formatProblem).join()).toContain("allowWrites: unknown key");
    expect(load(USERS, { sandbox: true }).problems).toEqual([]);
  });

  test("a server that the project reaches by a url has no program to isolate", () => {
    const place = createTempProject();
    place.write("user/.config/repertoire/repertoire.json", {
      mcpServers: { tool: { command: "mine", ...USERS } },
    });
    const path = place.write("project/repertoire.json", { mcpServers: { tool: { url: "https://a.org/" } } });
    trust(place.home, path, hashText(readFileSync(path, "utf8")));
    const result = loadConfig(place.options);
    expect(result.ok && result.config.servers[0]).toMatchObject({
      problems: [],
      transport: { kind: "http" },
    });
  });
});

test("a sandbox is shown as it is written, and before its file is trusted", () => {
  const entry = {
    command: "x",
    sandbox: { filesystem: { allowWrite: ["${OUT}"] }, network: { allowedDomains: ["a.org"] } },
  };
  const config = requireConfig({ mcpServers: { a: entry } }, { OUT: "/out" });
  expect(describeConfig(config).servers[0]!.transport).toMatchObject({
    isolation: { filesystem: { allowWrite: ["${OUT}"] } },
  });
  expect(describeServersForTrust(config)[0]).toMatchObject({
    sandbox: "files: writes ${OUT}; network: a.org",
  });
});
