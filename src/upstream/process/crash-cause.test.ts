/** What real programs wrote when they ended: recorded, with shortened stacks. */
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { findCrashCause } from "./crash-cause.ts";

const causeOf = (text: string) => findCrashCause(text.split("\n"), "box");

const NODE_THROW = `file:///srv/throw.mjs:2
function main() { throw new TypeError("Cannot read config: undefined is not a URL"); }
                        ^

TypeError: Cannot read config: undefined is not a URL
    at main (file:///srv/throw.mjs:2:25)
    at ModuleJob.run (node:internal/modules/esm/module_job:561:25)
    at async asyncRunEntryPointWithESMLoader (node:internal/modules/run_main:101:5)

Node.js v24.21.0`;

const NODE_ESM = `node:internal/modules/package_json_reader:331
  throw new ERR_MODULE_NOT_FOUND(packageName, fileURLToPath(base), null);
        ^

Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'left-pad-nope' imported from /srv/esm.mjs
    at Object.getPackageJSONURL (node:internal/modules/package_json_reader:331:9)
    at ModuleJob.syncLink (node:internal/modules/esm/module_job:276:33) {
  code: 'ERR_MODULE_NOT_FOUND'
}

Node.js v24.21.0`;

const NODE_CJS = `node:internal/modules/cjs/loader:1568
  throw err;
  ^

Error: Cannot find module '/srv/dist/index.js'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1564:15)
    at node:internal/main/run_main_module:33:47 {
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}

Node.js v24.21.0`;

const NPX_HALF = `node:internal/modules/cjs/loader:1215
  throw err;
  ^

Error: Cannot find module 'zod'
Require stack:
- /home/me/.npm/_npx/5b2dd62b9d0bddd4/node_modules/server/dist/index.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1212:15) {
  code: 'MODULE_NOT_FOUND'
}`;

const NODE_SYNTAX = `file:///srv/syn.mjs:1
const x = ;
          ^

SyntaxError: Unexpected token ';'
    at compileSourceTextModule (node:internal/modules/esm/utils:319:16)

Node.js v20.20.2`;

const REJECTED = `node:internal/process/promises:392
      new UnhandledPromiseRejection(reason);
      ^

UnhandledPromiseRejection: This error originated either by throwing inside of an async function without a catch block, or by rejecting a promise which was not handled with .catch(). The promise rejected with the reason "plain text".
    at throwUnhandledRejectionsMode (node:internal/process/promises:392:7) {
  code: 'ERR_UNHANDLED_REJECTION'
}

Node.js v24.21.0`;

const WITH_CAUSE = `file:///srv/cause.mjs:1
const e = new Error("outer");
          ^

Error: outer
    at file:///srv/cause.mjs:1:11 {
  cause: Error: inner ECONNREFUSED
      at file:///srv/cause.mjs:1:41
}

Node.js v24.21.0`;

const PORT = `node:events:505
    throw er; // Unhandled 'error' event
    ^

Error: listen EADDRINUSE: address already in use 127.0.0.1:18123
    at Server.setupListenHandle [as _listen2] (node:net:2328:16)
Emitted 'error' event on Server instance at:
    at emitErrorNT (node:net:2416:8) {
  code: 'EADDRINUSE',
  port: 18123
}`;

const PYTHON = `Traceback (most recent call last):
  File "/srv/b.py", line 3, in <module>
    f()
  File "/srv/b.py", line 2, in f
    raise ValueError("bad token in config")
ValueError: bad token in config`;

const PYTHON_MODULE = `Traceback (most recent call last):
  File "/srv/a.py", line 1, in <module>
    import nope_module
ModuleNotFoundError: No module named 'nope_module'`;

const PYTHON_SYNTAX = `  File "/srv/c.py", line 1
    def f(:
          ^
SyntaxError: invalid syntax`;

const PYTHON_VARIABLE = `Traceback (most recent call last):
  File "/srv/d.py", line 1, in <module>
    import os; os.environ["SLACK_BOT_TOKEN"]
  File "<frozen os>", line 714, in __getitem__
KeyError: 'SLACK_BOT_TOKEN'`;

const NPM_404 = `npm error code E404
npm error 404 Not Found - GET https://registry.npmjs.org/@nope%2fdoes-not-exist-xyz
npm error 404
npm error 404  The requested resource '@nope/does-not-exist-xyz@*' could not be found or you do not have permission to access it.
npm error 404
npm error 404 Note that you can also install from a
npm error 404 tarball, folder, http url, or git url.
npm error A complete log of this run can be found in: /root/.npm/_logs/2026-11-17T17_34_28_196Z-debug-0.log`;

const NPM_404_OLD = `npm ERR! code E404
npm ERR! 404 Not Found - GET https://registry.npmjs.org/does-not-exist-xyz - Not found
npm ERR! 404
npm ERR! 404  'does-not-exist-xyz@*' is not in this registry.
npm ERR! 404`;

const NPM_OFFLINE = `npm error code ENOTFOUND
npm error syscall getaddrinfo
npm error errno ENOTFOUND
npm error network request to https://registry.invalid/pkg failed, reason: getaddrinfo ENOTFOUND registry.invalid
npm error network This is a problem related to network connectivity.`;

const UVX = `  × No solution found when resolving tool dependencies:
  ╰─▶ Because mcp-server-nope was not found in the package registry and you require mcp-server-nope, we can conclude that your requirements are unsatisfiable.`;

const ENGINE = `npm warn EBADENGINE Unsupported engine {
npm warn EBADENGINE   package: 'server@1.0.0',
npm warn EBADENGINE   required: { node: '>=22' },
npm warn EBADENGINE }
TypeError: process.getBuiltinModule is not a function
    at file:///srv/index.js:1:9`;

const DOCKER = `docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?

Run 'docker run --help' for more information`;

describe("C3: the cause of a crash", () => {
  it.each<[string, string, string, string?]>([
    ["an error of Node", NODE_THROW, "TypeError: Cannot read config: undefined is not a URL"],
    ["a package", NODE_ESM, "Cannot find package 'left-pad-nope' imported from /srv/esm.mjs", "npm install"],
    ["a file", NODE_CJS, "Error: Cannot find module '/srv/dist/index.js'", '"args" of mcpServers.box'],
    ["half a cache of npx", NPX_HALF, "Error: Cannot find module 'zod'", "_npx"],
    ["a syntax error", NODE_SYNTAX, "SyntaxError: Unexpected token ';' (/srv/syn.mjs:1)", "Node v20.20.2"],
    ["a rejection", REJECTED, "a promise was rejected with: plain text"],
    ["an error with a cause", WITH_CAUSE, "Error: outer"],
    ["a port", PORT, "Error: listen EADDRINUSE: address already in use 127.0.0.1:18123", "Another process"],
    ["an error of Python", PYTHON, "ValueError: bad token in config"],
    [
      "a module of Python",
      PYTHON_MODULE,
      "ModuleNotFoundError: No module named 'nope_module'",
      "nope_module",
    ],
    ["a syntax error of Python", PYTHON_SYNTAX, "SyntaxError: invalid syntax (/srv/c.py:1)"],
    ["a variable in Python", PYTHON_VARIABLE, "KeyError: 'SLACK_BOT_TOKEN'", "Set SLACK_BOT_TOKEN"],
    [
      "an unknown package",
      NPM_404,
      "The requested resource '@nope/does-not-exist-xyz@*'",
      "The package @nope/does-not-exist-xyz is",
    ],
    [
      "the same of an older npm",
      NPM_404_OLD,
      "'does-not-exist-xyz@*' is not in this registry.",
      "The package does-not-exist-xyz is",
    ],
    ["no network", NPM_OFFLINE, "getaddrinfo ENOTFOUND registry.invalid", "HTTPS_PROXY"],
    ["an unknown package of uv", UVX, "mcp-server-nope was not found", "The package mcp-server-nope is"],
    [
      "an old runtime",
      ENGINE,
      "TypeError: process.getBuiltinModule is not a function",
      "does not support this Node",
    ],
    [
      "the sandbox",
      "bwrap: Can't bind mount /newroot/x: Permission denied",
      "bwrap: Can't bind mount /newroot/x: Permission denied",
      "repertoire doctor",
    ],
    ["the daemon of Docker", DOCKER, "Cannot connect to the Docker daemon", "Start Docker"],
    ["a command", "sh: 1: nope-cmd: not found", "nope-cmd: not found", "Install nope-cmd"],
    [
      "a command, as bash says it",
      "bash: line 1: nope: command not found",
      "nope: command not found",
      "Install nope",
    ],
    ["an interpreter", "env: ‘node’: No such file or directory", "env: ‘node’", "Install node"],
    ["rights", "sh: 1: ./throw.mjs: Permission denied", "./throw.mjs: Permission denied", "Let the user"],
    [
      "rights in Node",
      "Error: EACCES: permission denied, open '/srv/x'\n    at x (y:1:1)",
      "EACCES",
      "Let the user",
    ],
    [
      "a runtime by its own word",
      "This server requires Node.js 22 or newer",
      "requires Node.js 22",
      "Put the Node",
    ],
  ])("C3: names %s", (_, stderr, line, hint) => {
    const found = causeOf(stderr);
    expect(found?.line).toContain(line);
    if (hint === undefined) expect(found?.hint ?? "").not.toContain("undefined");
    else expect(found?.hint).toContain(hint);
  });

  it.each([
    "Error: GITHUB_PERSONAL_ACCESS_TOKEN environment variable is required",
    "Missing required environment variable: GITHUB_PERSONAL_ACCESS_TOKEN",
    "GITHUB_PERSONAL_ACCESS_TOKEN is not set",
    "Please set GITHUB_PERSONAL_ACCESS_TOKEN to your token",
    "Error: GITHUB_PERSONAL_ACCESS_TOKEN must be provided\n    at main (x.js:1:1)\n\nNode.js v22.0.0",
  ])("C3: names the variable that is missing: %s", (stderr) => {
    expect(causeOf(stderr)).toEqual({
      line: stderr.split("\n")[0],
      hint: 'Set GITHUB_PERSONAL_ACCESS_TOKEN under "env" of mcpServers.box; a secret as an input: "${input:ID}" there, and repertoire input set ID.',
    });
  });

  it("C3: finds none where nothing names one", () => {
    expect(causeOf("")).toBeUndefined();
    expect(causeOf("Server running on stdio\nbye")).toBeUndefined();
    expect(causeOf("npm warn deprecated glob@7: not supported")).toBeUndefined();
  });

  it("C3: shows what a stranger wrote printable and cut", () => {
    const line = causeOf(`Error: \u001b[31mred\u202e${"x".repeat(5_000)}`)!.line;
    expect(line).toMatch(/^Error: red\\u\{202e\}x+…$/);
    expect(line.length).toBeLessThan(310);
  });

  it("C3: a long text costs no more than its length", () => {
    const lines = Array.from({ length: 200 }, (_, at) => `${"A_".repeat(490)}${at} ${"missing ".repeat(2)}`);
    expect(findCrashCause(lines, "box")).toBeDefined();
  });

  it.each([
    ["throw new RangeError('too far')", "RangeError: too far"],
    ["require('no-such-package-anywhere')", "Error: Cannot find module 'no-such-package-anywhere'"],
    ["const = 1", "SyntaxError: Unexpected token '='"],
  ])("C3: reads this Node's own words on: %s", (code, line) => {
    const { stderr } = spawnSync(process.execPath, ["-e", code], { encoding: "utf8" });
    expect(causeOf(stderr)?.line).toContain(line);
  });
});
