import { expect, test } from "vitest";
import type { ClientId } from "../client.ts";
import { createClientsHome } from "../clients-home.testkit.ts";
import { readClients } from "../read/read-clients.ts";
import { translateEntry } from "./entry.ts";

const place = { platform: "linux", env: {}, homedir: "/home/dev", cwd: "/shop" } as const;

function translate(value: unknown, client: ClientId = "vscode") {
  const written = { key: "a", value, scope: "user" as const, folder: "/shop", isEnabled: true, notes: [] };
  return translateEntry(written, { client, place });
}

test("VS Code's sandbox is taken over, with its variables", () => {
  const sandbox = {
    filesystem: { allowWrite: ["${workspaceFolder}/out", "logs", "~/x"], denyRead: ["${userHome}/.ssh"] },
    network: {
      allowedDomains: ["api.example.com", "*.cdn.example.com"],
      deniedDomains: ["x.cdn.example.com"],
    },
  };
  expect(translate({ command: "node", args: ["a.js"], sandboxEnabled: true, sandbox }).entry).toEqual({
    command: "node",
    args: ["a.js"],
    sandboxEnabled: true,
    sandbox: {
      filesystem: { allowWrite: ["/shop/out", "/shop/logs", "/home/dev/x"], denyRead: ["/home/dev/.ssh"] },
      network: {
        allowedDomains: ["api.example.com", "*.cdn.example.com"],
        deniedDomains: ["x.cdn.example.com"],
      },
    },
  });
});

test("what VS Code allows without saying so is written out", () => {
  const { entry, notes } = translate({
    command: "npx",
    args: ["-y", "a@1"],
    cwd: "/w",
    sandboxEnabled: true,
  });
  expect(entry["sandbox"]).toEqual({
    filesystem: { allowWrite: ["/w", "${userHome}/.npm"] },
    network: { allowedDomains: ["registry.npmjs.org"] },
  });
  expect(notes.join()).toContain("What VS Code lets it do anyway is written into its sandbox");
});

test.each<[string, object, object, RegExp | undefined]>([
  ["rules without the switch", { sandbox: {} }, { sandboxEnabled: true }, /also without sandboxEnabled/],
  ["a switch that is off", { sandboxEnabled: false, sandbox: {} }, {}, /switched off there/],
  [
    "an unknown rule",
    { sandboxEnabled: true, sandbox: { filesystem: { x: [] }, y: {} } },
    {},
    /"x" of its sandbox is left out/,
  ],
  [
    "a rule of the wrong type",
    { sandboxEnabled: true, sandbox: { filesystem: { denyRead: "x" } } },
    {},
    /"denyRead" of its sandbox/,
  ],
  ["no sandbox at all", {}, {}, undefined],
])("%s", (_what, more, expected, note) => {
  const { entry, notes } = translate({ command: "node", ...more });
  expect(entry).toMatchObject(expected);
  if (note === undefined) expect(entry).toEqual({ command: "node" });
  else expect(notes.join(" ")).toMatch(note);
});

test("a server with a url has no program to isolate", () => {
  const { entry, notes } = translate({ url: "https://h/", sandboxEnabled: true });
  expect(entry["sandboxEnabled"]).toBeUndefined();
  expect(notes).toContain("Its sandbox is left out: it is reached by a url.");
});

test("VS Code's rules for a whole file reach the servers with the switch, and no others", () => {
  const { place: home, write, load } = createClientsHome();
  write(".config/Code/User/mcp.json", {
    servers: {
      on: { type: "stdio", command: "node", args: ["a.js"], sandboxEnabled: true },
      own: { command: "node", args: ["b.js"], sandboxEnabled: true, sandbox: {} },
      off: { command: "node", args: ["c.js"] },
      web: { url: "https://h/", sandboxEnabled: true },
    },
    sandbox: { filesystem: { allowWrite: ["${workspaceFolder}"] }, network: { allowedDomains: ["a.org"] } },
  });
  const { servers } = readClients(home);
  const sandboxOf = (key: string) => servers.find((server) => server.key === key)?.entry["sandbox"];
  expect(sandboxOf("on")).toEqual({
    filesystem: { allowWrite: [home.cwd] },
    network: { allowedDomains: ["a.org"] },
  });
  expect(sandboxOf("own")).toEqual({ filesystem: {}, network: {} });
  expect([sandboxOf("off"), sandboxOf("web")]).toEqual([undefined, undefined]);
  const additions = servers.map(({ key, entry }) => ({ key, entry, inputs: [] }));
  expect(load({ additions } as unknown as Parameters<typeof load>[0])).toEqual([]);
});
