import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/temporary.ts";
import { RepertoireError } from "../../core/errors.ts";
import { readTokens, tokenFileOf } from "./token-file.ts";
import { digestOf } from "./token.ts";
import { openHomeTokens } from "./tokens.testkit.ts";

const run = promisify(execFile);

/** Runs lines of code with `tokens` in a process of its own, and returns what they print. */
async function elsewhere(home: string, code: string): Promise<string> {
  const script = `import { openHomeTokens } from ${JSON.stringify(new URL("tokens.testkit.ts", import.meta.url).href)};
    const tokens = openHomeTokens(${JSON.stringify(home)});
    ${code}`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script]);
  return stdout;
}

function thrownBy(work: () => unknown): RepertoireError {
  try {
    work();
  } catch (error) {
    if (error instanceof RepertoireError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("T136: tokens.json", () => {
  it("is its owner's alone, like the folder that is made for it", () => {
    const home = join(temporaryFolder(), "new", "home");
    openHomeTokens(home).showDefault();
    expect(statSync(tokenFileOf(home)).mode & 0o777).toBe(0o600);
    expect(statSync(home).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(home)) expect(statSync(join(home, name)).mode & 0o077).toBe(0);
  });

  it("stays its owner's alone when it is replaced, and leaves nothing beside it", () => {
    const home = temporaryFolder();
    const tokens = openHomeTokens(home);
    tokens.showDefault();
    tokens.create("laptop", ["read"]);
    expect(statSync(tokenFileOf(home)).mode & 0o777).toBe(0o600);
    expect(readdirSync(home).sort()).toEqual(["tokens.json", "tokens.json.lock"]);
    expect(statSync(`${tokenFileOf(home)}.lock`).size).toBe(0);
  });

  it.each(["640", "604", "660", "644"])("with the mode %s is refused, with the cure", (mode) => {
    const home = temporaryFolder();
    const tokens = openHomeTokens(home);
    tokens.showDefault();
    chmodSync(tokenFileOf(home), Number.parseInt(mode, 8));
    for (const use of [() => tokens.list(), () => tokens.showDefault(), () => tokens.create("a", ["read"])]) {
      const error = thrownBy(use);
      expect(error.code).toBe("HOME_UNSAFE");
      expect(error.hint).toContain(`chmod 600 "${tokenFileOf(home)}"`);
    }
    chmodSync(tokenFileOf(home), 0o600);
    expect(tokens.list()).toHaveLength(1);
  });

  it("keeps the text of the default token only; of others the hash", () => {
    const home = temporaryFolder();
    const tokens = openHomeTokens(home);
    const { token } = tokens.showDefault();
    const made = tokens.create("laptop", ["read", "call"]);
    if (!made.success) throw new Error(made.error.message);
    const text = readFileSync(tokenFileOf(home), "utf8");
    expect(text).toContain(token);
    expect(text).not.toContain(made.data.token);
    expect(text).toContain(digestOf(made.data.token).toString("hex"));
  });

  const entry = { name: "a", permissions: ["read"], hash: "a".repeat(64), createdAt: "" };
  const listOf = (...changed: object[]) =>
    JSON.stringify({ tokens: changed.map((each) => ({ ...entry, ...each })) });
  it.each([
    ["empty", ""],
    ["half", '{"tokens": ['],
    ["a list", "[]"],
    ["null", "null"],
    ["without a list", '{"tokens": 1}'],
    ["a number in it", '{"tokens": [1]}'],
    ["a name that is a path", listOf({ name: "../a" })],
    ["a permission that is none", listOf({ permissions: ["all"] })],
    ["a hash that is none", listOf({ hash: "A".repeat(64) })],
    ["a text that is not that of the hash", listOf({ value: "x" })],
    ["a name twice", listOf({}, {})],
    ["very deep", "[".repeat(1e5)],
  ])("that is damaged (%s) is refused and left as it is", (_, content) => {
    const home = temporaryFolder();
    writeFileSync(tokenFileOf(home), content, { mode: 0o600 });
    expect(thrownBy(() => readTokens(home)).message).toContain("is damaged");
    expect(thrownBy(() => openHomeTokens(home).showDefault()).hint).toContain("Move it away");
    expect(readFileSync(tokenFileOf(home), "utf8")).toBe(content);
  });

  it("that cannot be written says so", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "home"), "");
    const error = thrownBy(() => openHomeTokens(join(folder, "home")).showDefault());
    expect(error).toMatchObject({ code: "HOME_UNSAFE" });
    expect(error.hint).toContain("--home");
  });

  it("that is a folder says so", () => {
    const home = temporaryFolder();
    mkdirSync(tokenFileOf(home), { mode: 0o700 });
    expect(thrownBy(() => openHomeTokens(home).list()).code).toBe("HOME_UNSAFE");
  });
});

describe("several processes", () => {
  it("that start for the first time at once have one token", async () => {
    const home = join(temporaryFolder(), "home");
    const begun = await Promise.all(
      Array.from({ length: 4 }, () => elsewhere(home, "console.log(tokens.begin()?.token ?? '');")),
    );
    const shown = begun.map((text) => text.trim()).filter(Boolean);
    expect(shown).toEqual([openHomeTokens(home).showDefault().token]);
    expect(
      openHomeTokens(home)
        .list()
        .map(({ name }) => name),
    ).toEqual(["default"]);
  });

  it("that change the list at once lose nothing of each other", async () => {
    const home = temporaryFolder();
    const tokens = openHomeTokens(home);
    for (const name of ["old-a", "old-b"]) tokens.create(name, ["read"]);
    await Promise.all(
      ["a", "b"].map((id) =>
        elsewhere(
          home,
          `for (let i = 0; i < 10; i++) tokens.create("${id}" + i, ["read"]);
           tokens.revoke("old-${id}");`,
        ),
      ),
    );
    const names = tokens.list().map(({ name }) => name);
    expect(names.sort()).toEqual(["a", "b"].flatMap((id) => Array.from({ length: 10 }, (_, i) => id + i)));
  });

  it("that die in the middle of a change leave the list as it was, and the way free", async () => {
    const home = temporaryFolder();
    const tokens = openHomeTokens(home);
    const { token } = tokens.showDefault();
    const file = new URL("token-file.ts", import.meta.url).href;
    const dying = elsewhere(
      home,
      `const { changeTokens } = await import(${JSON.stringify(file)});
       changeTokens(${JSON.stringify(home)}, () => process.kill(process.pid, "SIGKILL"));`,
    );
    await expect(dying).rejects.toMatchObject({ signal: "SIGKILL" });
    expect(tokens.create("laptop", ["read"]).success).toBe(true);
    expect(tokens.showDefault().token).toBe(token);
  });
});
