import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { lookForBackend } from "./backend.ts";

/** A folder with a program called bwrap that writes something and ends with a code. */
function withProgram(script: string): string {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-backend-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "bwrap"), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, "bwrap"), 0o755);
  return folder;
}

describe.skipIf(process.platform !== "linux")("what isolates a server on this machine", () => {
  it("is nothing without bubblewrap in PATH, and says how to install it", async () => {
    for (const path of ["", "/nonexistent", ".", "relative:/nonexistent"]) {
      expect(await lookForBackend(path)).toMatchObject({
        kind: "none",
        reason: "bubblewrap (bwrap) is not in PATH",
        hint: expect.stringContaining("apt install bubblewrap") as string,
        command: "sudo apt install bubblewrap",
      });
    }
  });

  it("is nothing where bubblewrap fails, and repeats its first line", async () => {
    const path = withProgram(
      "echo 'bwrap: No permissions to create new namespace' >&2; echo more >&2; exit 1",
    );
    expect(await lookForBackend(path)).toMatchObject({
      kind: "none",
      reason: "bubblewrap does not work here: bwrap: No permissions to create new namespace",
    });
  });

  it("is bubblewrap where it runs a program", async () => {
    const folder = withProgram("exit 0");
    expect(await lookForBackend(`/nonexistent:${folder}`)).toEqual({
      kind: "bubblewrap",
      file: join(folder, "bwrap"),
    });
  });
});

it.each(["darwin", "win32", "freebsd"] as const)("is nothing on %s", async (platform) => {
  expect(await lookForBackend("/usr/bin", platform)).toMatchObject({
    kind: "none",
    hint: expect.stringContaining("Linux (or WSL)") as string,
  });
});
