import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { locateConfig } from "./locate.ts";
import { createTempProject } from "./temp-project.testkit.ts";

describe("the file", () => {
  test("is that of --config, whatever else there is", () => {
    const project = createTempProject();
    project.write("project/repertoire.json", {});
    const { origin } = locateConfig({ ...project.options, configPath: "other.json" });
    expect(origin).toEqual({ kind: "flag", path: join(project.cwd, "other.json") });
  });

  test("is that of the project before that of the user", () => {
    const project = createTempProject();
    const user = project.write("user/.config/repertoire/repertoire.json", {});
    expect(locateConfig(project.options).origin).toEqual({ kind: "user", path: user });
    const own = project.write("project/repertoire.json", {});
    expect(locateConfig(project.options).origin).toEqual({ kind: "project", path: own });
  });

  test("may be missing", () => {
    const project = createTempProject();
    const { origin, candidates } = locateConfig(project.options);
    expect(origin).toEqual({ kind: "none" });
    expect(candidates).toEqual([
      join(project.cwd, "repertoire.json"),
      join(project.userFolder, "repertoire.json"),
    ]);
  });

  test("is the user's own for someone who works in the user's config folder", () => {
    const project = createTempProject();
    project.write("user/.config/repertoire/repertoire.json", {});
    const { origin } = locateConfig({ ...project.options, cwd: project.userFolder });
    expect(origin.kind).toBe("user");
  });

  test("counts as there when it is a folder or a dangling link, so that the reader can say so", () => {
    const project = createTempProject();
    mkdirSync(join(project.cwd, "repertoire.json"));
    expect(locateConfig(project.options).origin.kind).toBe("project");
    const other = createTempProject();
    symlinkSync("nowhere", join(other.cwd, "repertoire.json"));
    expect(locateConfig(other.options).origin.kind).toBe("project");
  });

  test("T169: is never a script, another client's file or .env", () => {
    const project = createTempProject();
    const traps = [
      "repertoire.config.js",
      "repertoire.config.ts",
      "repertoire.js",
      ".env",
      ".npmrc",
      ".mcp.json",
    ];
    for (const trap of traps) project.write(`project/${trap}`, "process.exit(1)");
    expect(locateConfig(project.options).origin.kind).toBe("none");
  });

  test("follows XDG_CONFIG_HOME, and ignores a relative one", () => {
    const project = createTempProject();
    const file = project.write("xdg/repertoire/repertoire.json", {});
    const folder = join(file, "..", "..");
    expect(locateConfig({ ...project.options, env: { XDG_CONFIG_HOME: folder } }).origin.path).toBe(file);
    const { candidates } = locateConfig({ ...project.options, env: { XDG_CONFIG_HOME: "xdg" } });
    expect(candidates[1]).toBe(join(project.userFolder, "repertoire.json"));
  });
});

describe("home", () => {
  const at = { cwd: "/project", homedir: "/user", platform: "linux" } as const;

  test.each([
    [{ home: "/flag", env: { REPERTOIRE_HOME: "/variable" } }, "/flag"],
    [{ home: "flag", env: {} }, "/project/flag"],
    [{ env: { REPERTOIRE_HOME: "/variable", XDG_DATA_HOME: "/xdg" } }, "/variable"],
    [{ env: { REPERTOIRE_HOME: "variable" } }, "/project/variable"],
    [{ env: { REPERTOIRE_HOME: "", XDG_DATA_HOME: "/xdg" } }, "/xdg/repertoire"],
    [{ env: { XDG_DATA_HOME: "xdg" } }, "/user/.local/share/repertoire"],
    [{ env: {} }, "/user/.local/share/repertoire"],
    [{ env: {}, platform: "darwin" as const }, "/user/.local/share/repertoire"],
  ])("with %j is %s", (options, expected) => {
    expect(locateConfig({ ...at, ...options }).home).toBe(expected);
  });

  test("and the user's file are in the application folders on Windows", () => {
    const windows = { cwd: "C:\\project", homedir: "C:\\Users\\me", platform: "win32" } as const;
    const env = { APPDATA: "C:\\roaming", LOCALAPPDATA: "D:\\local" };
    expect(locateConfig({ ...windows, env })).toMatchObject({
      home: "D:\\local\\repertoire",
      candidates: ["C:\\project\\repertoire.json", "C:\\roaming\\repertoire\\repertoire.json"],
    });
    expect(locateConfig({ ...windows, env: {} })).toMatchObject({
      home: "C:\\Users\\me\\AppData\\Local\\repertoire",
    });
  });
});
