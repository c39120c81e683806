import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { findCommand } from "./server-process.ts";

const folder = mkdtempSync(join(tmpdir(), "repertoire-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
for (const name of ["plain", "bin"]) mkdirSync(join(folder, name));
for (const [name, mode] of [
  ["plain/tool", 0o644],
  ["bin/tool", 0o755],
  ["plain/only", 0o644],
] as const) {
  writeFileSync(join(folder, name), "#!/bin/sh\n");
  chmodSync(join(folder, name), mode);
}
const path = `${folder}/missing:${folder}/plain:${folder}/bin`;
const reasonOf = (command: string, cwd = folder): string => {
  const lookup = findCommand(command, { cwd, path });
  return lookup.kind === "not_started" ? lookup.reason : `found ${lookup.file}`;
};

describe.skipIf(process.platform === "win32")("T071 looks a command up before it starts", () => {
  it("takes the first executable in PATH, and steps over a file that is not", () => {
    expect(findCommand("tool", { cwd: folder, path })).toEqual({ kind: "found", file: `${folder}/bin/tool` });
  });

  it("resolves a command with a slash, and relative entries of PATH, against the working folder", () => {
    const found = { kind: "found", file: `${folder}/bin/tool` };
    expect(findCommand("./tool", { cwd: `${folder}/bin`, path: "" })).toEqual(found);
    expect(findCommand("bin/tool", { cwd: folder, path: "" })).toEqual(found);
    expect(findCommand("tool", { cwd: folder, path: "bin" })).toEqual(found);
  });

  it("says precisely why it cannot start", () => {
    expect(reasonOf("nothing")).toMatch(/not found \(ENOENT\).*PATH/);
    expect(reasonOf("./nothing")).toContain(`not found (ENOENT): ${folder}/nothing`);
    expect(reasonOf("only")).toContain(`Not executable (EACCES): ${folder}/plain/only`);
    expect(reasonOf("./plain")).toContain("is a folder");
    expect(reasonOf("")).toContain("empty");
    expect(reasonOf("tool", `${folder}/gone`)).toContain(
      `working folder cannot be entered (ENOENT): ${folder}/gone`,
    );
    expect(reasonOf("tool", `${folder}/bin/tool`)).toContain("ENOTDIR");
  });
});
