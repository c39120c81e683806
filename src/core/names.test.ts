import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hashText } from "./json.ts";
import {
  capabilityNameOf,
  displayNameOf,
  exposeTools,
  EXPOSED_NAME_LENGTH_MAX,
  fqdnOf,
  isScopePart,
  parseSkillName,
  parseReference,
  parseToolName,
  SERVER_ID_LENGTH_MAX,
  serverIdOf,
  shortHashOf,
  skillNameOf,
  toolNameOf,
  codeNameOf,
} from "./names.ts";

const namePart = fc
  .stringMatching(/^[a-z][a-z0-9]{0,6}(_[a-z0-9]{1,6}){0,2}$/)
  .filter((part) => parseReference(`${part}:x`).success);
const capabilityName = fc.record({ namespace: namePart, action: namePart });
const scopePart = fc.stringMatching(/^[a-z0-9]([a-z0-9_-]{0,8}[a-z0-9])?$/).filter(isScopePart);
const serverKey = fc.oneof(
  fc.string(),
  fc.string({ unit: "grapheme" }),
  fc.stringMatching(/^[A-Za-z0-9 ._-]{1,40}$/),
);
/** Names that servers send, with many that collide after mapping. */
const toolName = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.stringMatching(/^[a-z._ -]{1,4}$/),
  fc.stringMatching(/^[a-z._ ]{60,75}$/),
);

function idOf(key: string): string | undefined {
  const id = serverIdOf(key);
  return id.success ? id.data : undefined;
}

describe("server ids", () => {
  it("are slugs of the config key", () => {
    expect(idOf("GitHub")).toBe("github");
    expect(idOf("My  Server (prod)")).toBe("my_server_prod");
    expect(idOf("a__b")).toBe("a_b");
    expect(idOf("_x_")).toBe("x");
    expect(idOf("1password")).toBe("1password");
  });

  it("refuse the reserved word, the empty slug and what is too long", () => {
    expect(serverIdOf("MCP")).toMatchObject({
      success: false,
      error: { message: expect.stringContaining("reserved") },
    });
    for (const key of ["con", "constructor", "NUL"])
      expect(serverIdOf(key)).toMatchObject({ success: false });
    expect(serverIdOf("日本")).toMatchObject({ success: false });
    expect(idOf("a".repeat(SERVER_ID_LENGTH_MAX))).toBeDefined();
    expect(serverIdOf("a".repeat(SERVER_ID_LENGTH_MAX + 1))).toMatchObject({
      success: false,
      error: { message: expect.stringContaining("32") },
    });
  });

  it("never contain __ and never begin or end in _", () => {
    fc.assert(
      fc.property(serverKey, (key) => {
        const id = idOf(key);
        if (id !== undefined) expect(id).toMatch(/^[a-z0-9]+(_[a-z0-9]+)*$/);
      }),
    );
  });

  it("are stable: the id of an id is itself", () => {
    fc.assert(
      fc.property(serverKey, (key) => {
        const id = idOf(key);
        if (id !== undefined) expect(idOf(id)).toBe(id);
      }),
    );
  });
});

describe("exposed tool names", () => {
  it("keep a plain name and map the characters that clients refuse", () => {
    const { originals } = exposeTools("github", ["create_issue", "repo.list", "a-b"]);
    expect(Object.fromEntries(originals)).toEqual({
      github__create_issue: "create_issue",
      github__repo_list: "repo.list",
      "github__a-b": "a-b",
    });
  });

  it("end in 6 hex of the original's hash for all that collide after mapping", () => {
    const { originals } = exposeTools("s", ["a.b", "a b", "c"]);
    const suffix = (name: string) => hashText(name).slice(0, 6);
    expect(Object.fromEntries(originals)).toEqual({
      [`s__a_b_${suffix("a.b")}`]: "a.b",
      [`s__a_b_${suffix("a b")}`]: "a b",
      s__c: "c",
    });
  });

  it("T029: are 64 characters at most, and the short form does not depend on the order of the list", () => {
    const long = "x".repeat(100);
    const fits = "y".repeat(EXPOSED_NAME_LENGTH_MAX - "s__".length);
    const { originals } = exposeTools("s", [long, fits, `${fits}y`]);
    expect([...originals.keys()].every((name) => name.length <= EXPOSED_NAME_LENGTH_MAX)).toBe(true);
    expect(originals.get(`s__${fits}`)).toBe(fits);
    const again = exposeTools("s", [`${fits}y`, long, fits]);
    expect(again.originals).toEqual(originals);
  });

  it("hash a plain name, too, that is the hashed form of another", () => {
    const squatter = `a_b_${hashText("a.b").slice(0, 6)}`;
    const { originals, rejected } = exposeTools("s", ["a.b", "a b", squatter]);
    expect(new Set(originals.values())).toEqual(new Set(["a.b", "a b", squatter]));
    expect(originals.get(`s__${squatter}`)).toBe("a.b");
    expect(rejected).toEqual([]);
  });

  it("report what cannot be represented and give a contested name to nobody", () => {
    expect(exposeTools("s", ["", "a", "a"]).rejected).toEqual([
      { name: "", reason: "the name is empty" },
      { name: "a", reason: "the server lists this name twice" },
    ]);
    const [one, two] = findHashCollision();
    const { originals, rejected } = exposeTools("s", [one, two, "ok"]);
    expect(Object.fromEntries(originals)).toEqual({ s__ok: "ok" });
    expect(rejected.map((tool) => tool.name).sort()).toEqual([one, two].sort());
  });

  it("T030: carry nothing of a hostile name", () => {
    const names = ["</script>", "a\nb", "\u001b[31mred", "😀", "x".repeat(2048), "a,b c"];
    const { originals, rejected } = exposeTools("s", names);
    expect(originals.size + rejected.length).toBe(names.length);
    for (const exposed of originals.keys()) expect(exposed).toMatch(/^s__[A-Za-z0-9_-]{1,61}$/);
  });

  it("are a bijection with the originals for any set of servers and tools", () => {
    const servers = fc.uniqueArray(
      serverKey.filter((key) => idOf(key) !== undefined),
      {
        selector: (key) => idOf(key),
        maxLength: 4,
      },
    );
    fc.assert(
      fc.property(
        servers,
        fc.array(fc.array(toolName, { maxLength: 12 }), { minLength: 4, maxLength: 4 }),
        (keys, lists) => {
          const exposed = new Map<string, string>();
          keys.forEach((key, index) => {
            const id = idOf(key)!;
            const names = lists[index]!;
            const { originals, rejected } = exposeTools(id, names);
            expect(originals.size + rejected.length).toBe(names.length);
            expect(new Set(originals.values()).size).toBe(originals.size);
            for (const [name, original] of originals) {
              expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
              expect(exposed.has(name)).toBe(false);
              expect(parseToolName(name)).toMatchObject({ kind: "upstream", server: id });
              exposed.set(name, `${id}\0${original}`);
            }
          });
          expect(new Set(exposed.values()).size).toBe(exposed.size);
        },
      ),
      { numRuns: 300 },
    );
  });
});

/** Two long names that share their beginning and the 6 digits of their hash, as a hostile server could find. */
function findHashCollision(): [string, string] {
  const seen = new Map<string, string>();
  for (let i = 0; ; i++) {
    const name = "x".repeat(70) + String(i);
    const digits = hashText(name).slice(0, 6);
    const other = seen.get(digits);
    if (other !== undefined) return [other, name];
    seen.set(digits, name);
  }
}

describe("tool names that a client sends", () => {
  it("are split at the first __, with mcp__ tested before", () => {
    expect(parseToolName("github__create_issue")).toEqual({
      kind: "upstream",
      server: "github",
      tool: "create_issue",
    });
    expect(parseToolName("a__b__c")).toEqual({ kind: "upstream", server: "a", tool: "b__c" });
    expect(parseToolName("a___b")).toEqual({ kind: "upstream", server: "a", tool: "_b" });
    expect(parseToolName("mcp__math__sum")).toEqual({ kind: "capability", namespace: "math", action: "sum" });
    expect(parseToolName("execute")).toEqual({ kind: "static", name: "execute" });
  });

  it.each([
    "",
    "__tool",
    "server__",
    "mcp__",
    "mcp__math",
    "mcp__math__",
    "mcp____sum",
    "mcp__Math__sum",
    "mcp__a__b__c",
  ])("refuse %j", (name) => expect(parseToolName(name)).toEqual({ kind: "invalid" }));
});

describe("references", () => {
  it("resolve every accepted spelling to the same capability", () => {
    fc.assert(
      fc.property(
        capabilityName,
        scopePart,
        scopePart,
        fc.stringMatching(/^[0-9a-f]{4,8}$/),
        (name, org, project, hash) => {
          const spellings = [displayNameOf(name), toolNameOf(name), fqdnOf({ org, project }, name, hash)];
          for (const text of [...spellings, ...spellings.map((spelling) => `${spelling}@latest`)]) {
            expect(parseReference(text)).toMatchObject({ success: true, data: name });
          }
          expect(parseReference(`${displayNameOf(name)}@7`)).toMatchObject({
            success: true,
            data: { version: 7 },
          });
        },
      ),
    );
  });

  it("take a bare name with either joint, in the namespace of its kind", () => {
    for (const spelling of ["pr-analyzer", "pr_analyzer"]) {
      const reference = parseReference(spelling);
      expect(reference).toEqual({ success: true, data: { kind: "bare", action: "pr_analyzer" } });
      if (!reference.success) continue;
      expect(capabilityNameOf(reference.data, "workflow")).toEqual({
        namespace: "workflow",
        action: "pr_analyzer",
      });
      expect(capabilityNameOf(reference.data, "code")).toEqual({ namespace: "code", action: "pr_analyzer" });
    }
  });

  it("accept a one-letter namespace, which only looks like a drive", () => {
    expect(parseReference("c:format")).toMatchObject({
      success: true,
      data: { namespace: "c", action: "format" },
    });
  });

  it.each([
    "../x",
    "..%2fx",
    "%2e%2e",
    "a/b",
    "a\\b",
    "..",
    "/etc/passwd",
    "C:\\x",
    "C:x",
    "c:Windows",
    "a\0b",
    "a%00",
    "~root",
    "math:../sum",
    "mcp__math__../x",
    "file:///etc/passwd",
  ])("T025: refuse %j with SECURITY_ERROR", (name) => {
    expect(parseReference(name)).toMatchObject({
      success: false,
      error: { code: "SECURITY_ERROR", field: "name", hint: expect.stringContaining("namespace:action") },
    });
  });

  it.each([
    "",
    ".",
    "CON",
    "con",
    "nul.txt",
    "com1",
    "x.",
    "x ",
    " x",
    "-rf",
    "--help",
    "a".repeat(300),
    "a\nb",
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "math:constructor",
    "math:sum:x",
    "math:",
    ":sum",
    "Math:sum",
    "a__b",
    "math:sum@0",
    "math:sum@",
    "local.default.math.sum",
    "local.default.math.sum.xyz",
    "local.default.math.sum.4ebd.x",
    `math:${"s".repeat(60)}`,
    "é",
    "ｍath:sum",
  ])("T025: refuse %j with the rule", (name) => {
    expect(parseReference(name)).toMatchObject({
      success: false,
      error: { code: "TOOL_INVALID_INPUT", hint: expect.stringContaining("lower-case letters") },
    });
  });

  it("never let through a text that could leave a folder or forge a line", () => {
    const hostile = fc.oneof(
      fc.string(),
      fc.string({ unit: "binary" }),
      fc
        .tuple(fc.string(), fc.constantFrom("/", "\\", "..", "\0", "%2F", "\n", "\r"), fc.string())
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(hostile, (text) => {
        const reference = parseReference(text);
        if (reference.success) expect(text).toMatch(/^[a-z0-9_:.@-]+$/);
        else expect(reference.error.message).not.toMatch(/[\n\r\u001b]/);
        if (/[/\\\0]|\.\./.test(text)) expect(reference).toMatchObject({ error: { code: "SECURITY_ERROR" } });
      }),
      { numRuns: 1000 },
    );
  });
});

describe("short hashes", () => {
  it("have 4 digits and grow where another begins alike", () => {
    const hash = `4ebd12${"0".repeat(58)}`;
    expect(shortHashOf(hash, [])).toBe("4ebd");
    expect(shortHashOf(hash, [hash])).toBe("4ebd");
    expect(shortHashOf(hash, [`4ebd19${"0".repeat(58)}`])).toBe("4ebd12");
    expect(shortHashOf(hash, ["ffff".padEnd(64, "0")])).toBe("4ebd");
  });
});

it("writes an exposed name as code does", () => {
  expect(codeNameOf("github__create_issue")).toEqual({ namespace: "github", tool: "create_issue" });
  expect(codeNameOf("github__a__b")).toEqual({ namespace: "github", tool: "a__b" });
  expect(codeNameOf("mcp__math__sum")).toEqual({ namespace: "math", tool: "sum" });
});

describe("a capability as a skill", () => {
  it.each([
    ["math", "sum", "math-sum"],
    ["issues", "close_stale", "issues-close-stale"],
    ["web_shop", "pay", "web-shop-pay-2"],
    ["web", "shop_pay_2", "web-shop-pay-2-1"],
    ["web", "top_10", "web-top-10-1"],
  ])("%s:%s is %s", (namespace, action, skill) => {
    expect(skillNameOf({ namespace, action })).toBe(skill);
    expect(parseSkillName(skill)).toEqual({ namespace, action });
  });

  it("has a name by the rule of skills, that no other capability has", () => {
    fc.assert(
      fc.property(capabilityName, (name) => {
        fc.pre(toolNameOf(name).length <= EXPOSED_NAME_LENGTH_MAX);
        const skill = skillNameOf(name);
        expect(skill).toMatch(/^(?=.{1,64}$)[a-z0-9]+(-[a-z0-9]+)*$/);
        expect(parseSkillName(skill)).toEqual(name);
      }),
    );
    const longest = { namespace: "a", action: `${"b_".repeat(27)}1` };
    expect(skillNameOf(longest).length).toBeLessThanOrEqual(64);
    expect(parseSkillName(skillNameOf(longest))).toEqual(longest);
  });

  it.each([
    "",
    "math",
    "math-sum-1",
    "math-sum-0",
    "math-sum-9",
    "-",
    "math--sum",
    "Math-sum",
    "con-x",
    "1-2-3",
  ])("is nothing under %j", (name) => expect(parseSkillName(name)).toBeUndefined());
});
