import { expect, it } from "vitest";
import { findOwnCommand, ownProcess, type OwnProcess } from "./own-command.ts";

const SCRIPT = "/usr/lib/node_modules/repertoire/dist/main.js";
const LINKS: Readonly<Record<string, string>> = {
  [SCRIPT]: SCRIPT,
  "/usr/bin/repertoire": SCRIPT,
  "/work/node_modules/.bin/repertoire": SCRIPT,
  "/opt/other/repertoire": "/opt/other/repertoire",
  "bin/repertoire": SCRIPT,
};
const OWN: OwnProcess = {
  platform: "linux",
  script: "/usr/bin/repertoire",
  execPath: "/usr/bin/node",
  searchPath: "/bin:/usr/bin",
  realPathOf: (path) => LINKS[path],
};
const IN_FULL = { command: "/usr/bin/node", args: [SCRIPT], isTemporary: false };

it("is the bare name where PATH leads to this script by it", () => {
  expect(findOwnCommand(OWN)).toEqual({ command: "repertoire", args: [], isTemporary: false });
  expect(findOwnCommand({ ...OWN, script: SCRIPT })).toMatchObject({ command: "repertoire" });
});

it("is Node and the script in full where PATH leads elsewhere, or only for the time of one command", () => {
  for (const searchPath of [
    undefined,
    "",
    "/bin",
    "bin:.",
    "/opt/other:/usr/bin",
    "/work/node_modules/.bin",
    "/work/node_modules/.bin/",
  ]) {
    expect([searchPath, findOwnCommand({ ...OWN, searchPath })]).toEqual([searchPath, IN_FULL]);
  }
});

it("is in full where that is asked for, and on Windows, where the name is that of a batch file", () => {
  expect(findOwnCommand(OWN, true)).toEqual(IN_FULL);
  expect(findOwnCommand({ ...OWN, platform: "win32" })).toEqual(IN_FULL);
});

it("says when the script stands in a cache that may be cleared", () => {
  const script = "/home/ada/.npm/_npx/0a1b/node_modules/repertoire/dist/main.js";
  const own = { ...OWN, script, realPathOf: (path: string) => (path === script ? script : undefined) };
  expect(findOwnCommand(own)).toEqual({ command: "/usr/bin/node", args: [script], isTemporary: true });
});

it("of this very process is a script that exists", () => {
  const own = ownProcess();
  expect(findOwnCommand(own, true)).toEqual({
    command: process.execPath,
    args: [own.realPathOf(process.argv[1]!)],
    isTemporary: false,
  });
  expect(own.realPathOf("/there/is/no/such/file")).toBeUndefined();
});
