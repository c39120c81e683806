import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkFile } from "./file-check.ts";
import { formatPath } from "../problem.ts";
import { createJsonSchema } from "../json-schema.ts";

function complaintsAbout(value: unknown): string[] {
  const checked = checkFile(value);
  return checked.ok ? [] : checked.complaints.map((c) => `${formatPath(c.path)}: ${c.message}`);
}

describe("unknown keys", () => {
  test.each([
    [{ mcpServer: {} }, 'mcpServer: unknown key; did you mean "mcpServers"?'],
    [{ mcpServers: { a: { comand: "x" } } }, 'mcpServers.a.comand: unknown key; did you mean "command"?'],
    [
      { mcpServers: { a: { timeoutms: 5 } } },
      'mcpServers.a.timeoutms: unknown key; did you mean "timeoutMs"?',
    ],
    [
      { mcpServers: { a: { tools: { alow: [] } } } },
      'mcpServers.a.tools.alow: unknown key; did you mean "allow"?',
    ],
    [{ limits: { callTimeout: 5 } }, 'limits.callTimeout: unknown key; did you mean "callTimeoutMs"?'],
    [{ profiles: { p: { server: [] } } }, 'profiles.p.server: unknown key; did you mean "servers"?'],
    [{ workflows: { allowshell: true } }, 'workflows.allowshell: unknown key; did you mean "allowShell"?'],
  ])("%j", (value, expected) => {
    expect(complaintsAbout(value)).toEqual([expected]);
  });

  test("far from every key are told which there are", () => {
    expect(checkFile({ log: { zzz: 1 } })).toMatchObject({
      complaints: [{ message: "unknown key", hint: "the keys here are level, file, format" }],
    });
  });
});

describe("values", () => {
  test.each([
    [{ exposure: 1 }, 'exposure: must be "lean", "full" or "auto"'],
    [{ mcpServers: [] }, "mcpServers: must be an object with a server under each name"],
    [{ mcpServers: { a: "x" } }, "mcpServers.a: must be an object"],
    [{ mcpServers: { a: null } }, "mcpServers.a: must be an object"],
    [{ mcpServers: { a: { command: "" } } }, "mcpServers.a.command: must not be empty"],
    [{ mcpServers: { a: { command: "a\0b" } } }, "mcpServers.a.command: must not contain a NUL character"],
    [{ mcpServers: { a: { args: "x" } } }, "mcpServers.a.args: must be a list of strings"],
    [{ mcpServers: { a: { args: [1] } } }, "mcpServers.a.args[0]: must be a string"],
    [{ mcpServers: { a: { env: { A: 1 } } } }, "mcpServers.a.env.A: must be a string"],
    [{ mcpServers: { a: { env: [] } } }, "mcpServers.a.env: must be an object of strings"],
    [
      { mcpServers: { a: { env: { "": "x" } } } },
      'mcpServers.a.env[""]: is not a valid variable name: it is empty or has = or NUL',
    ],
    [{ mcpServers: { a: { cwd: "~/x" } } }, 'mcpServers.a.cwd: "~" is not expanded here'],
    [
      { mcpServers: { a: { enabled: "false" } } },
      "mcpServers.a.enabled: must be true or false, without quotes",
    ],
    [
      { mcpServers: { a: { timeoutMs: 1.5 } } },
      "mcpServers.a.timeoutMs: must be a whole number from 1 to 3600000",
    ],
    [{ limits: { serverIdleMs: -1 } }, "limits.serverIdleMs: must be a whole number from 0 to 86400000"],
    [{ sandbox: { memoryMb: Infinity } }, "sandbox.memoryMb: must be a whole number from 16 to 1024"],
    [{ sandbox: { timeoutMs: "30" } }, "sandbox.timeoutMs: must be a whole number from 1 to 600000"],
    [{ mcpServers: { a: { url: "" } } }, "mcpServers.a.url: is not a URL"],
    [
      { mcpServers: { a: { url: "file:///etc/passwd" } } },
      "mcpServers.a.url: must begin with http:// or https://",
    ],
    [
      { mcpServers: { a: { url: "https://u:p@h" } } },
      "mcpServers.a.url: must not contain a user name or password",
    ],
    [
      { mcpServers: { a: { headers: { "a b": "x" } } } },
      'mcpServers.a.headers["a b"]: is not a valid header name',
    ],
    [{ mcpServers: { a: { headers: { "": "x" } } } }, 'mcpServers.a.headers[""]: is not a valid header name'],
    [
      { mcpServers: { a: { headers: { A: "x\r\nB: y" } } } },
      "mcpServers.a.headers.A: has a line break or another character that a header cannot carry",
    ],
    [
      { mcpServers: { a: { headers: { A: "→" } } } },
      "mcpServers.a.headers.A: has a line break or another character that a header cannot carry",
    ],
    [
      { scope: { org: "a.b" } },
      "scope.org: must be at most 32 lower-case letters, digits, - and _, beginning and ending with a letter or digit",
    ],
    [{ log: { level: "trace" } }, 'log.level: must be "silent", "error", "warn", "info" or "debug"'],
  ])("%j", (value, expected) => {
    expect(complaintsAbout(value)).toEqual([expected]);
  });

  test("of a wrong kind get a message of ours at every key of the schema", () => {
    const wrong: unknown[] = [null, 1.5, "\0", [], {}, [null], { a: null }, { a: { a: null } }, true, ""];
    const paths = pathsOf(createJsonSchema(), []);
    expect(paths.length).toBeGreaterThan(30);
    for (const path of paths) {
      for (const value of wrong) {
        const file = path.toReversed().reduce<unknown>((inner, key) => ({ [key]: inner }), value);
        const jargon = complaintsAbout(file).filter((text) =>
          /invalid|expected|received|too (?:big|small)|zod/i.test(text),
        );
        expect(jargon).toEqual([]);
      }
    }
  });

  test("never throw, whatever JSON they are", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (servers, rest) => {
        checkFile({ mcpServers: { a: servers }, profiles: rest, scope: rest, log: servers });
        checkFile(rest);
      }),
    );
  });
});

/** Every path that the schema knows, with "a" for a name that the user chooses. */
function pathsOf(schema: Record<string, unknown>, path: readonly string[]): string[][] {
  const children = Object.entries((schema["properties"] ?? {}) as Record<string, Record<string, unknown>>);
  const values = schema["additionalProperties"];
  if (typeof values === "object") children.push(["a", values as Record<string, unknown>]);
  return [[...path], ...children.flatMap(([key, child]) => pathsOf(child, [...path, key]))];
}
