import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TemporaryFolder {
  readonly path: string;
  remove(): void;
}

const present = new Set<string>();

process.on("exit", () => {
  for (const path of present) removeQuietly(path);
});

/** A folder that is gone with the process at the latest. */
export function createTemporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), "repertoire-test-conformance-"));
  present.add(path);
  return {
    path,
    remove() {
      present.delete(path);
      removeQuietly(path);
    },
  };
}

/** A process that was just killed may still be writing there; what is left is a temporary file. */
function removeQuietly(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // Left to the system, as above.
  }
}
