import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, closeSync, mkdirSync, openSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { FILE_BYTES_MAX, readTextFile } from "./read-file.ts";
import { createTempProject } from "../temp-project.testkit.ts";

function createPath(name = "file"): string {
  return join(createTempProject().cwd, name);
}

test("reads text with the hash of its exact bytes", () => {
  const path = createPath();
  writeFileSync(path, "{} // é");
  const sha256 = createHash("sha256").update("{} // é").digest("hex");
  expect(readTextFile(path)).toEqual({ ok: true, text: "{} // é", sha256 });
});

test("follows a link", () => {
  const path = createPath();
  writeFileSync(path, "{}");
  symlinkSync(path, `${path}.link`);
  expect(readTextFile(`${path}.link`)).toMatchObject({ ok: true, text: "{}" });
});

describe("T037: refuses at once", () => {
  test("a pipe, which would block for ever", () => {
    const path = createPath();
    execFileSync("/usr/bin/mkfifo", [path]);
    expect(readTextFile(path)).toMatchObject({ ok: false, message: "this is a pipe, socket or device" });
  });

  test("standard input that is a pipe", () => {
    const program = `import { readTextFile } from ${JSON.stringify(new URL("read-file.ts", import.meta.url).href)};
      console.log(JSON.stringify(readTextFile("/dev/stdin")));`;
    const output = execFileSync(process.execPath, ["--input-type=module", "-e", program], {
      input: "{}",
      timeout: 20_000,
    });
    expect(JSON.parse(output.toString())).toMatchObject({ ok: false });
  });

  test.each(["/dev/zero", "/dev/null"])("the device %s", (path) => {
    expect(readTextFile(path)).toMatchObject({ ok: false, message: "this is a pipe, socket or device" });
  });

  test("a socket", async () => {
    const path = createPath();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(path, resolve));
    onTestFinished(() => void server.close());
    expect(readTextFile(path)).toMatchObject({ ok: false, message: "this is a pipe, socket or device" });
  });

  test("a folder", () => {
    const path = createPath();
    mkdirSync(path);
    expect(readTextFile(path)).toMatchObject({ ok: false, missing: false, message: "this is a folder" });
  });

  test("a file of 2 GB", () => {
    const path = createPath();
    closeSync(openSync(path, "w"));
    truncateSync(path, 2 * 1024 ** 3);
    const read = readTextFile(path);
    expect(read).toMatchObject({ ok: false, message: `the file is larger than ${FILE_BYTES_MAX} bytes` });
  });

  test("bytes that are not UTF-8", () => {
    const path = createPath();
    writeFileSync(path, Buffer.from([0x7b, 0xff, 0x7d]));
    expect(readTextFile(path)).toMatchObject({ ok: false, message: "the file is not valid UTF-8" });
    writeFileSync(path, Buffer.from("\ufeff{}", "utf16le"));
    expect(readTextFile(path)).toMatchObject({ ok: false, message: "the file is not valid UTF-8" });
  });

  test.each(["", "a\0b"])("the path %j", (path) => {
    expect(readTextFile(path)).toMatchObject({ ok: false });
  });

  test("a link that leads in a circle", () => {
    const path = createPath();
    symlinkSync(path, path);
    expect(readTextFile(path)).toMatchObject({
      ok: false,
      message: "the file is a symbolic link in a loop",
    });
  });
});

test("T037: accepts a byte order mark, and leaves it out of the text but not of the hash", () => {
  const path = createPath();
  writeFileSync(path, "\ufeff{}");
  const sha256 = createHash("sha256").update("\ufeff{}").digest("hex");
  expect(readTextFile(path)).toEqual({ ok: true, text: "{}", sha256 });
});

test("takes a file of exactly the limit", () => {
  const path = createPath();
  writeFileSync(path, " ".repeat(FILE_BYTES_MAX));
  expect(readTextFile(path)).toMatchObject({ ok: true });
});

test("reads a file that tells no size", () => {
  expect(readTextFile("/proc/self/status")).toMatchObject({
    ok: true,
    text: expect.stringContaining("Name:"),
  });
});

test("says that a file is missing", () => {
  expect(readTextFile(createPath())).toEqual({ ok: false, missing: true, message: "there is no such file" });
});

test.skipIf(process.getuid?.() === 0)("says that a file may not be read", () => {
  const path = createPath();
  writeFileSync(path, "{}");
  chmodSync(path, 0);
  expect(readTextFile(path)).toMatchObject({
    ok: false,
    message: "the file cannot be read: permission denied",
  });
});
