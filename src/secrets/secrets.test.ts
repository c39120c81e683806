import { execFile } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../test/fixtures/temporary.ts";
import { openSecretStore, type Keyring } from "./secrets.ts";

const SECRET = "s3cret".repeat(3);

const openFile = (home: string) => openSecretStore({ home, env: { REPERTOIRE_KEYRING: "off" } });

function memoryKeyring(): { keyring: Keyring; held: () => string | undefined } {
  let held: string | undefined;
  const keyring = { get: async () => held, set: async (secret: string) => void (held = secret) };
  return { keyring, held: () => held };
}

it("T136: without a keyring, values are in a file for its owner only", async () => {
  const home = join(temporaryFolder(), "home");
  const store = openFile(home);
  expect(await store.kind()).toBe("file");
  expect(await store.get("a")).toBeUndefined();
  await store.set("a", SECRET);
  await store.set("b", "2");
  expect([await store.get("a"), await store.delete("b"), await store.delete("b")]).toEqual([
    SECRET,
    true,
    false,
  ]);
  expect(statSync(join(home, "secrets.json")).mode & 0o777).toBe(0o600);
  expect(statSync(home).mode & 0o777).toBe(0o700);
  expect(readdirSync(home).filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

it("T136: with a keyring, the file holds nothing that can be read without it", async () => {
  const home = temporaryFolder();
  const { keyring, held } = memoryKeyring();
  const open = () => openSecretStore({ home, env: {}, openKeyring: async () => keyring });
  const store = open();
  expect(await store.kind()).toBe("keyring");
  await store.set("a", SECRET);
  await store.set("b", "2");
  const text = readFileSync(join(home, "secrets.json"), "utf8");
  expect(text).not.toContain(SECRET);
  expect(held()).toHaveLength(43);
  expect(text).not.toContain(held());
  expect(await open().get("a")).toBe(SECRET);
  // Without the keyring it is absent, and a value from before the keyring is still read.
  const plain = openFile(home);
  expect(await plain.get("a")).toBeUndefined();
  await plain.set("c", "3");
  expect(await open().get("c")).toBe("3");
});

it("a sealed value that was changed or moved to another name does not open", async () => {
  const home = temporaryFolder();
  const { keyring } = memoryKeyring();
  const store = openSecretStore({ home, env: {}, openKeyring: async () => keyring });
  await store.set("a", SECRET);
  const file = join(home, "secrets.json");
  const { secrets } = JSON.parse(readFileSync(file, "utf8")) as {
    secrets: Record<string, { sealed: string }>;
  };
  const { sealed } = secrets["a"]!;
  writeFileSync(file, JSON.stringify({ secrets: { b: { sealed }, c: { sealed: "AAAA" } } }));
  expect([await store.get("b"), await store.get("c")]).toEqual([undefined, undefined]);
});

it.each(["", "{", "[]", "null", '{"secrets":7}', '{"secrets":{"a":{"value":1},"__proto__":{"value":"x"}}}'])(
  "a damaged file (%j) has no secrets, and is replaced",
  async (text) => {
    const home = temporaryFolder();
    writeFileSync(join(home, "secrets.json"), text);
    const store = openFile(home);
    expect([await store.get("a"), await store.get("toString")]).toEqual([undefined, undefined]);
    await store.set("a", "1");
    expect(await store.get("a")).toBe("1");
  },
);

it("the keyring is not asked for what is not there", async () => {
  const openKeyring = () => Promise.reject(new Error("asked"));
  const store = openSecretStore({ home: temporaryFolder(), env: {}, openKeyring });
  expect(await store.get("a")).toBeUndefined();
  await expect(store.set("a", "1")).rejects.toThrow("asked");
});

it("this machine has a keyring that works, or the file is used", async () => {
  const store = openSecretStore({ home: temporaryFolder(), env: {} });
  expect(["keyring", "file"]).toContain(await store.kind());
});

const WRITER = `
  import { openSecretStore } from ${JSON.stringify(join(import.meta.dirname, "secrets.ts"))};
  const [home, name] = process.argv.slice(1);
  const store = openSecretStore({ home, env: { REPERTOIRE_KEYRING: "off" } });
  for (let i = 0; i < 10; i++) {
    await store.set(name + i, name);
    await store.exclusive("count", async () => {
      const count = Number((await store.get("count")) ?? 0);
      await new Promise(setImmediate);
      await store.set("count", String(count + 1));
    });
  }
`;

it("T136: several processes write at once and lose nothing", { timeout: 60_000 }, async () => {
  const home = temporaryFolder();
  const write = (name: string) =>
    promisify(execFile)(process.execPath, ["--no-warnings", "--input-type=module", "-e", WRITER, home, name]);
  await Promise.all([write("a"), write("b"), write("c")]);
  const store = openFile(home);
  expect(await store.get("count")).toBe("30");
  for (const name of ["a", "b", "c"]) {
    for (let i = 0; i < 10; i++) expect(await store.get(name + i)).toBe(name);
  }
});

const HOLDER = `
  import { holdLock } from ${JSON.stringify(join(import.meta.dirname, "../process/file-lock.ts"))};
  await holdLock(process.argv[1], "x", () => { console.log("held"); return new Promise((resolve) => setInterval(resolve, 1e6)); });
`;

it("a lock ends with its process, also by kill -9", { timeout: 60_000 }, async () => {
  const home = temporaryFolder();
  const holder = execFile(process.execPath, ["--no-warnings", "--input-type=module", "-e", HOLDER, home]);
  await new Promise((resolve) => holder.stdout!.once("data", resolve));
  onTestFinished(() => void holder.kill("SIGKILL"));
  const store = openFile(home);
  let isFree = false;
  const waiting = store.exclusive("x", async () => void (isFree = true));
  await store.exclusive("y", async () => expect(isFree).toBe(false));
  holder.kill("SIGKILL");
  await waiting;
  expect(isFree).toBe(true);
});

it("lists the names that begin with something, and says what protects each, without asking the keyring", async () => {
  const home = temporaryFolder();
  const { keyring } = memoryKeyring();
  const sealing = openSecretStore({ home, env: {}, openKeyring: async () => keyring });
  expect(sealing.names("")).toEqual([]);
  await sealing.set("input:b", SECRET);
  await openFile(home).set("input:a", SECRET);
  await openFile(home).set("other", SECRET);
  const store = openSecretStore({ home, env: {}, openKeyring: () => Promise.reject(new Error("asked")) });
  expect(store.names("input:")).toEqual(["input:a", "input:b"]);
  expect(["input:a", "input:b", "input:c", "__proto__"].map((name) => store.protectionOf(name))).toEqual([
    "file",
    "keyring",
    undefined,
    undefined,
  ]);
});
