import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { mountPointsOf } from "./place.ts";
import { createContext, createFolder, createNode } from "../nodes.testkit.ts";

const context = createContext();

/** A root with a file in it, and a secret beside the root. */
function createRoot() {
  const folder = createFolder();
  const root = join(folder, "root");
  const outside = join(folder, "outside");
  mkdirSync(join(root, "sub"), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(root, "sub", "a.txt"), "grüezi");
  writeFileSync(join(outside, "secret.txt"), "canary");
  const read = (params: JsonObject, roots = [root]) =>
    createNode("read_file", { fileRoots: roots }).call(params, context);
  const write = (params: JsonObject, roots = [root]) =>
    createNode("write_file", { fileRoots: roots }).call(params, context);
  return { folder, root, outside, read, write };
}

describe("S18: what looks like a file of the root and is one from outside", () => {
  test("a hard link is neither read nor appended to; replacing it leaves the other alone", async () => {
    const { root, outside, read, write } = createRoot();
    linkSync(join(outside, "secret.txt"), join(root, "hard"));
    const refusal = {
      success: false,
      error: { code: "SECURITY_ERROR", hint: expect.stringContaining("copy") },
    };
    expect(await read({ path: "hard" })).toMatchObject(refusal);
    expect(await write({ path: "hard", content: "x", append: true })).toMatchObject(refusal);
    expect(await write({ path: "hard", content: "mine" })).toMatchObject({ success: true });
    expect(readFileSync(join(outside, "secret.txt"), "utf8")).toBe("canary");
    expect(await read({ path: "hard" })).toMatchObject({ success: true, data: { content: "mine" } });
  });

  test("a bind mount is refused, and allowed as a root of its own", async ({ skip }) => {
    const { root, outside, read, write } = createRoot();
    const inner = join(root, "sub", "mounted");
    mkdirSync(inner);
    try {
      execFileSync("mount", ["--bind", outside, inner], { stdio: "ignore" });
    } catch {
      skip("nothing can be mounted here");
    }
    onTestFinished(() => void execFileSync("umount", [inner]));
    const refusal = {
      success: false,
      error: { code: "SECURITY_ERROR", hint: expect.stringContaining("fileRoots") },
    };
    for (const path of ["sub/mounted/secret.txt", "sub/mounted/missing/x"]) {
      expect(await read({ path })).toMatchObject(refusal);
      expect(await write({ path, content: "x" })).toMatchObject(refusal);
    }
    expect(await read({ path: "sub/mounted/secret.txt" }, [root, inner])).toMatchObject({ success: true });
    expect(await read({ path: "sub/a.txt" })).toMatchObject({ success: true });
  });

  test("mounts are read from the system's list, with their spaces", () => {
    const line = String.raw`36 35 98:0 /mnt1 /a/my\040folder rw,noatime master:1 - ext3 /dev/root rw`;
    expect(mountPointsOf(`${line}\n22 1 0:21 / /proc rw - proc proc rw\n`)).toEqual([
      "/a/my folder",
      "/proc",
    ]);
    expect(mountPointsOf("")).toEqual([]);
  });
});

describe("read_file", () => {
  test("reads text and bytes by relative and absolute path, and names the path as it was given", async () => {
    const { root, read } = createRoot();
    const base64 = Buffer.from("grüezi").toString("base64");
    const absolute = join(root, "sub/../sub/a.txt");
    expect(await read({ path: "sub/a.txt" })).toEqual({
      success: true,
      data: { path: "sub/a.txt", bytes: 7, content: "grüezi" },
    });
    expect(await read({ path: absolute, encoding: "base64" })).toEqual({
      success: true,
      data: { path: absolute, bytes: 7, content: base64 },
    });
  });

  test("keeps every character, the mark at the beginning included", async () => {
    const { root, read } = createRoot();
    writeFileSync(join(root, "bom"), "\uFEFFx\r\n");
    expect(await read({ path: "bom" })).toMatchObject({ success: true, data: { content: "\uFEFFx\r\n" } });
  });

  test("sends bytes that are no text to base64", async () => {
    const { root, read } = createRoot();
    writeFileSync(join(root, "b"), Buffer.from([0xff, 0x00]));
    expect(await read({ path: "b" })).toMatchObject({ success: false, error: { reason: "not_text" } });
    expect(await read({ path: "b", encoding: "base64" })).toMatchObject({
      success: true,
      data: { content: "/wA=" },
    });
  });

  test("reads exactly max_bytes and nothing larger", async () => {
    const { root, read } = createRoot();
    writeFileSync(join(root, "big"), "x".repeat(11));
    expect(await read({ path: "big", max_bytes: 11 })).toMatchObject({ success: true, data: { bytes: 11 } });
    const refused = await read({ path: "big", max_bytes: 10 });
    expect(refused).toMatchObject({ success: false, error: { reason: "too_large" } });
    expect(!refused.success && refused.error.message).toContain("11 bytes; max_bytes is 10");
  });

  test("reads at most 4 MiB, whatever max_bytes says", async () => {
    const { root, read } = createRoot();
    writeFileSync(join(root, "big"), Buffer.alloc(4 * 1024 * 1024 + 1));
    expect(await read({ path: "big", max_bytes: 1e12 })).toMatchObject({ success: false });
  });

  test("follows a link that stays inside", async () => {
    const { root, read } = createRoot();
    symlinkSync("sub/a.txt", join(root, "link"));
    expect(await read({ path: "link" })).toMatchObject({ success: true, data: { content: "grüezi" } });
  });

  test("works where the root itself is a link, by both of its names", async () => {
    const { folder, root, read } = createRoot();
    const alias = join(folder, "alias");
    symlinkSync(root, alias);
    for (const path of ["sub/a.txt", join(alias, "sub/a.txt"), join(root, "sub/a.txt")]) {
      expect(await read({ path }, [alias])).toMatchObject({ success: true });
    }
  });

  test.each([
    ["missing.txt", "no such file"],
    ["missing/deep/x", "no such file"],
    ["sub", "not a regular file"],
    [".", "not a regular file"],
    ["sub/a.txt/x", "a file and not a folder"],
    ["x".repeat(300), ""],
  ])("%s is a failure with its reason", async (path, reason) => {
    const result = await createRoot().read({ path });
    expect(result).toMatchObject({ success: false, error: { retryable: false } });
    expect(!result.success && result.error.message).toContain(reason);
  });

  test("a pipe and a device are refused at once", async () => {
    const { root, read } = createRoot();
    execFileSync("/usr/bin/mkfifo", [join(root, "pipe")]);
    const result = await read({ path: "pipe" });
    expect(!result.success && result.error.message).toContain("not a regular file");
    expect(await read({ path: "/dev/zero" }, ["/dev"])).toMatchObject({ success: false });
  });
});

describe.each(["read_file", "write_file"])("%s stays inside the roots", (name) => {
  const params = (path: string): JsonObject =>
    name === "read_file" ? { path } : { path, content: "overwritten" };

  test("without a root nothing is open, and the answer names the setting", async () => {
    const result = await createNode(name, { fileRoots: [] }).call(params("/etc/passwd"), context);
    expect(result).toMatchObject({ success: false, error: { code: "SECURITY_ERROR" } });
    expect(JSON.stringify(result)).toContain("set workflows.fileRoots");
  });

  test.each([
    "../outside/secret.txt",
    "../outside/missing.txt",
    "sub/../../outside/secret.txt",
    "/etc/passwd",
    "/etc/missing",
    "..",
    "../root-two/x",
    "folder-link/secret.txt",
    "folder-link/missing.txt",
    "folder-link/deep/missing.txt",
    "file-link",
    "dangling-link",
    "loop-link",
    "chain-link",
  ])("%s is refused with the same words, whether it exists or not", async (path) => {
    const { folder, root, outside } = createRoot();
    mkdirSync(join(folder, "root-two"));
    symlinkSync(outside, join(root, "folder-link"));
    symlinkSync(join(outside, "secret.txt"), join(root, "file-link"));
    symlinkSync(join(outside, "missing.txt"), join(root, "dangling-link"));
    symlinkSync("loop-link", join(root, "loop-link"));
    symlinkSync("file-link", join(root, "chain-link"));
    const result = await createNode(name, { fileRoots: [root] }).call(params(path), context);
    expect(result).toMatchObject({ success: false, error: { code: "SECURITY_ERROR" } });
    expect(!result.success && result.error.message).toBe(
      `The path ${path} is outside the folders that are open to workflows.`,
    );
    expect(JSON.stringify(result)).not.toContain(outside);
    expect(readdirSync(outside)).toEqual(["secret.txt"]);
    expect(readFileSync(join(outside, "secret.txt"), "utf8")).toBe("canary");
  });

  test("two dots after a link lead back to where the link stands, not to where it leads", async () => {
    const { root, outside } = createRoot();
    symlinkSync(outside, join(root, "folder-link"));
    const path = "folder-link/../sub/a.txt";
    const result = await createNode(name, { fileRoots: [root] }).call(params(path), context);
    expect(result).toMatchObject({ success: true, data: { path } });
  });

  test.each(["", "a\0b", "sub/a.txt\0.png"])("%j is no path", async (path) => {
    const { root } = createRoot();
    const result = await createNode(name, { fileRoots: [root] }).call(params(path), context);
    expect(result).toMatchObject({ success: false, error: { code: "TOOL_INVALID_INPUT", field: "path" } });
  });

  test("a cancelled call does nothing", async () => {
    const { root } = createRoot();
    const cancelled = createContext({ signal: AbortSignal.abort() });
    const result = await createNode(name, { fileRoots: [root] }).call(params("new.txt"), cancelled);
    expect(result).toMatchObject({ success: false, error: { code: "CANCELLED" } });
    expect(readdirSync(root)).toEqual(["sub"]);
  });

  test.skipIf(process.platform !== "linux")(
    "while a folder and a link to the outside take turns",
    async () => {
      const { folder, root, outside } = createRoot();
      writeFileSync(join(outside, "a.txt"), "canary");
      symlinkSync(outside, join(folder, "link"));
      await keepSwapping(join(root, "sub"), join(folder, "link"), join(folder, "aside"));
      const node = createNode(name, { fileRoots: [root] });
      for (let i = 0; i < 300; i++) {
        const result = await node.call({ ...params("sub/a.txt"), create_folders: false }, context);
        expect(JSON.stringify(result)).not.toContain("canary");
      }
      expect(readdirSync(outside).sort()).toEqual(["a.txt", "secret.txt"]);
      expect(readFileSync(join(outside, "a.txt"), "utf8")).toBe("canary");
    },
  );
});

/** Another process that puts `link` in the place of `real` and back, without a pause, until the test is over. */
async function keepSwapping(real: string, link: string, aside: string): Promise<void> {
  const script = `const { renameSync } = require("node:fs"); const [real, link, aside] = process.argv.slice(1);
    console.log("ready");
    for (;;) { renameSync(real, aside); renameSync(link, real); renameSync(real, link); renameSync(aside, real); }`;
  const child = spawn(process.execPath, ["-e", script, real, link, aside], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exit;
  });
  await once(child.stdout, "data");
}

describe("write_file", () => {
  test("makes a file and its folders, for their owner only", async () => {
    const { root, write } = createRoot();
    const result = await write({ path: "x/y/new.txt", content: "ä" });
    expect(result).toEqual({ success: true, data: { path: "x/y/new.txt", bytes: 2 } });
    expect(readFileSync(join(root, "x/y/new.txt"), "utf8")).toBe("ä");
    expect(statSync(join(root, "x/y/new.txt")).mode & 0o777).toBe(0o600);
    expect(statSync(join(root, "x")).mode & 0o777).toBe(0o700);
  });

  test("replaces a file as a whole, keeps its mode, and leaves nothing else behind", async () => {
    const { root, write } = createRoot();
    const file = join(root, "sub/a.txt");
    chmodSync(file, 0o640);
    const before = statSync(file).ino;
    expect(await write({ path: "sub/a.txt", content: "new" })).toMatchObject({ success: true });
    expect(readFileSync(file, "utf8")).toBe("new");
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(statSync(file).ino).not.toBe(before);
    expect(readdirSync(join(root, "sub"))).toEqual(["a.txt"]);
  });

  test("a reader sees the old or the new content, never a part", async () => {
    const { root, write } = createRoot();
    const contents = ["a", "b"].map((letter) => letter.repeat(200_000));
    await write({ path: "f", content: contents[0]! });
    const writes = Array.from({ length: 20 }, (_, i) => write({ path: "f", content: contents[i % 2]! }));
    for (let i = 0; i < 20; i++) expect(contents).toContain(readFileSync(join(root, "f"), "utf8"));
    expect((await Promise.all(writes)).every((result) => result.success)).toBe(true);
    expect(contents).toContain(readFileSync(join(root, "f"), "utf8"));
    expect(readdirSync(root).sort()).toEqual(["f", "sub"]);
  });

  test("appends, and makes the file where there is none", async () => {
    const { root, write } = createRoot();
    await write({ path: "log", content: "a", append: true });
    await write({ path: "log", content: "b", append: true });
    expect(readFileSync(join(root, "log"), "utf8")).toBe("ab");
    expect(statSync(join(root, "log")).mode & 0o777).toBe(0o600);
  });

  test("writes bytes from base64, and refuses what is none", async () => {
    const { root, write } = createRoot();
    await write({ path: "b", content: "/wA=", encoding: "base64" });
    expect([...readFileSync(join(root, "b"))]).toEqual([0xff, 0]);
    const result = await write({ path: "c", content: "not base64!", encoding: "base64" });
    expect(result).toMatchObject({ success: false, error: { code: "TOOL_INVALID_INPUT", field: "content" } });
  });

  test("makes no folders when it is told not to", async () => {
    const { root, write } = createRoot();
    const result = await write({ path: "x/new.txt", content: "", create_folders: false });
    expect(result).toMatchObject({ success: false, error: { reason: "not_found" } });
    expect(readdirSync(root)).toEqual(["sub"]);
  });

  test("writes through a link that stays inside, and the link stays a link", async () => {
    const { root, write } = createRoot();
    symlinkSync("sub/a.txt", join(root, "link"));
    await write({ path: "link", content: "new" });
    expect(readFileSync(join(root, "sub/a.txt"), "utf8")).toBe("new");
    expect(lstatSync(join(root, "link")).isSymbolicLink()).toBe(true);
  });

  test.each([false, true])("replaces no folder and no pipe (append: %s)", async (append) => {
    const { root, write } = createRoot();
    execFileSync("/usr/bin/mkfifo", [join(root, "pipe")]);
    for (const path of ["sub", "pipe", "."]) {
      expect(await write({ path, content: "x", append })).toMatchObject({ success: false });
    }
    expect(lstatSync(join(root, "pipe")).isFIFO()).toBe(true);
    expect(readdirSync(root).sort()).toEqual(["pipe", "sub"]);
  });

  test("only a plain write may be made twice", () => {
    const node = createNode("write_file", {});
    expect(node.isRepeatable({ path: "a", content: "" })).toBe(true);
    expect(node.isRepeatable({ path: "a", content: "", append: true })).toBe(false);
  });
});
