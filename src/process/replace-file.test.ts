import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { findMissingFolder, PRIVATE_MODES, removeFolders, replaceFile } from "./replace-file.ts";
import { createTempProject } from "../config/temp-project.testkit.ts";

const BYTES = Buffer.from("new");

describe("replacing a file", () => {
  it("makes the folders that are missing, and says beforehand which is the topmost", () => {
    const { cwd } = createTempProject();
    const path = join(cwd, "deep/er/file.json");
    expect(findMissingFolder(path)).toBe(join(cwd, "deep"));
    replaceFile(path, BYTES, PRIVATE_MODES);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect(findMissingFolder(path)).toBeUndefined();
  });

  it("keeps a mode, also one that the mask of the process would not give", () => {
    const { write } = createTempProject();
    const path = write("project/file.json", "old");
    chmodSync(path, 0o666);
    replaceFile(path, BYTES, PRIVATE_MODES);
    expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777]).toEqual(["new", 0o666]);
  });

  it("gives the mode that is asked for, or that of a new file", () => {
    const { write } = createTempProject();
    const path = write("project/file.json", "old");
    for (const [mode, expected] of [
      [0o640, 0o640],
      ["new", PRIVATE_MODES.file],
    ] as const) {
      chmodSync(path, 0o666);
      replaceFile(path, BYTES, PRIVATE_MODES, { mode, isRenameFlushed: true });
      expect(statSync(path).mode & 0o777).toBe(expected);
    }
  });

  it("takes the place of a link where it must not follow it", () => {
    const { cwd, write } = createTempProject();
    const real = write("elsewhere/real.json", "old");
    const path = join(cwd, "link.json");
    symlinkSync(real, path);
    replaceFile(path, "new", PRIVATE_MODES, { followsLink: false });
    expect(lstatSync(path).isFile()).toBe(true);
    expect([readFileSync(path, "utf8"), readFileSync(real, "utf8")]).toEqual(["new", "old"]);
  });

  it("writes through a link, also one that leads to nothing yet", () => {
    const { cwd, write } = createTempProject();
    const real = write("elsewhere/real.json", "old");
    for (const [name, target] of [
      ["a", real],
      ["b", "not-yet/there.json"],
    ] as const) {
      const link = join(cwd, name);
      symlinkSync(target, link);
      replaceFile(link, BYTES, PRIVATE_MODES);
      expect(lstatSync(link).isSymbolicLink()).toBe(true);
      expect(readFileSync(link, "utf8")).toBe("new");
    }
    expect(readdirSync(dirname(real))).toEqual(["real.json"]);
    expect(existsSync(join(cwd, "not-yet/there.json"))).toBe(true);
  });

  it("leaves nothing behind where it fails", () => {
    const { cwd } = createTempProject();
    const path = join(cwd, "made/folder");
    expect(() => replaceFile(join(cwd, "x".repeat(300), "f"), BYTES, PRIVATE_MODES)).toThrow("ENAMETOOLONG");
    expect(() => replaceFile(join(path, "x".repeat(250)), BYTES, PRIVATE_MODES)).toThrow("ENAMETOOLONG");
    expect(readdirSync(cwd)).toEqual([]);
  });

  it("removes folders only as far as they are empty", () => {
    const { cwd, write } = createTempProject();
    write("project/a/kept", "x");
    replaceFile(join(cwd, "a/b/c/f"), BYTES, PRIVATE_MODES);
    writeFileSync(join(cwd, "a/b/other"), "");
    removeFolders(join(cwd, "a/b/c"), join(cwd, "a"));
    expect(existsSync(join(cwd, "a/b/c"))).toBe(true);
    rmSync(join(cwd, "a/b/c/f"));
    removeFolders(join(cwd, "a/b/c"), join(cwd, "a"));
    expect(readdirSync(join(cwd, "a/b"))).toEqual(["other"]);
  });
});
