import { expect, it } from "vitest";
import { findOwnCommand, ownProcess, typedCommand, type OwnProcess } from "./own-command.ts";

const SCRIPT = "/usr/lib/node_modules/repertoire/dist/main.js";
const CACHED = "/home/ada/.npm/_npx/0a1b/node_modules/repertoire/dist/main.js";

/** A machine with these files; a link leads to what it is given as. */
function machine(own: Partial<OwnProcess>, files: Readonly<Record<string, string>> = {}): OwnProcess {
  return {
    platform: "linux",
    script: "/usr/bin/repertoire",
    execPath: "/usr/bin/node",
    searchPath: "/bin:/usr/bin",
    realPathOf: (path) => ({ "/usr/bin/repertoire": SCRIPT, [CACHED]: CACHED, ...files })[path],
    ...own,
  };
}

it("C6: is Node and the script by their full paths, whatever PATH leads to", () => {
  const inFull = { command: "/usr/bin/node", args: [SCRIPT], lives: "installed" };
  for (const searchPath of [undefined, "", "/bin:/usr/bin", "/opt/other", "/work/node_modules/.bin"]) {
    expect([searchPath, findOwnCommand(machine({ searchPath }))]).toEqual([searchPath, inFull]);
  }
  expect(findOwnCommand(machine({ script: "/nowhere/main.js" }))).toMatchObject({
    args: ["/nowhere/main.js"],
  });
});

it("C6: out of the cache of npx it is the npx beside this Node, by its full path", () => {
  const own = machine({ script: CACHED }, { "/usr/bin/npx": "/usr/lib/npm/npx-cli.js" });
  expect(findOwnCommand(own)).toEqual({
    command: "/usr/bin/npx",
    args: ["-y", "repertoire"],
    lives: "npx",
  });
});

it("C6: npx gets a PATH only where a desktop would not find this Node, and none of its passing folders", () => {
  const folder = "/home/ada/.nvm/versions/node/v24.1.0/bin";
  const own = machine(
    {
      script: CACHED,
      execPath: `${folder}/node`,
      searchPath: `/home/ada/.npm/_npx/0a1b/node_modules/.bin:/work/node_modules/.bin:bin:${folder}:/opt/bin:/usr/bin`,
    },
    { [`${folder}/npx`]: "/npx-cli.js", "/usr/bin/npx": "/old/npx-cli.js" },
  );
  expect(findOwnCommand(own)).toEqual({
    command: `${folder}/npx`,
    args: ["-y", "repertoire"],
    env: { PATH: `${folder}:/opt/bin:/usr/bin:/bin` },
    lives: "npx",
  });
});

it("C6: without an npx it is the script in the cache, and says so", () => {
  expect(findOwnCommand(machine({ script: CACHED }))).toEqual({
    command: "/usr/bin/node",
    args: [CACHED],
    lives: "cache",
  });
});

it("C6: on Windows npx is started by Node, because its own name is that of a batch file", () => {
  const execPath = "C:\\node\\node.exe";
  const npx = "C:\\node\\node_modules\\npm\\bin\\npx-cli.js";
  const own = machine({ platform: "win32", script: CACHED, execPath }, { [npx]: npx });
  expect(findOwnCommand(own)).toEqual({
    command: execPath,
    args: [npx, "-y", "repertoire"],
    lives: "npx",
  });
});

it("of this very process is a script that exists", () => {
  const own = ownProcess();
  expect(findOwnCommand(own)).toEqual({
    command: process.execPath,
    args: [own.realPathOf(process.argv[1]!)],
    lives: "installed",
  });
  expect(own.realPathOf("/there/is/no/such/file")).toBeUndefined();
});

it.each([
  ["the bare name, where PATH leads to it", {}, "/anywhere", "repertoire"],
  [
    "npx, in a checkout",
    { script: "/src/repertoire/dist/main.js", searchPath: "" },
    "/src/repertoire/docs",
    "npx repertoire",
  ],
  [
    "npx, in a project that has it installed",
    { script: "/work/node_modules/repertoire/dist/main.js", searchPath: "" },
    "/work",
    "npx repertoire",
  ],
  [
    "npx, where npx started it",
    { script: "/home/ada/.npm/_npx/0a/node_modules/repertoire/dist/main.js", searchPath: "" },
    "/anywhere",
    "npx repertoire",
  ],
  [
    "Node and the script, from anywhere else",
    { script: "/src/repertoire/dist/main.js", searchPath: "" },
    "/src/repertoire-2",
    "/usr/bin/node /src/repertoire/dist/main.js",
  ],
])("C8: what a person types is %s", (_, own, cwd, typed) => {
  expect(typedCommand(machine(own), cwd)).toBe(typed);
});
