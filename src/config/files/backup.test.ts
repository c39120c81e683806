import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { BACKUP_COUNT_MAX, findBackup, forgetBackup, keepBackup, type Backup } from "./backup.ts";
import { createTempProject } from "../temp-project.testkit.ts";

const USER = { client: "claude", scope: "user" } as const;
const BACKUP: Backup = {
  path: "/home/ada/.claude.json",
  before: "e30=",
  afterSha256: "0".repeat(64),
  mode: 0o600,
};

describe("a backup", () => {
  it("is its owner's alone, under a name that says whose it is and when it was made", () => {
    const { home } = createTempProject();
    const file = keepBackup(home, USER, BACKUP, () => Date.UTC(2026, 0, 2, 3, 4, 5, 6));
    expect(basename(file)).toBe("claude-user-2026-01-02T03-04-05.006Z.json");
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(BACKUP);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, "backups")).mode & 0o777).toBe(0o700);
  });

  it("is found again, the newest of its file first, until it is forgotten", () => {
    const { home } = createTempProject();
    const now = () => 1;
    keepBackup(home, USER, { ...BACKUP, before: "MQ==" }, now);
    keepBackup(home, USER, { ...BACKUP, before: "Mg==" }, now);
    keepBackup(home, USER, { ...BACKUP, path: "/elsewhere" }, now);
    const first = findBackup(home, USER, BACKUP.path)!;
    expect(first.backup.before).toBe("Mg==");
    forgetBackup(first.file);
    expect(findBackup(home, USER, BACKUP.path)?.backup.before).toBe("MQ==");
    expect(findBackup(home, { ...USER, scope: "project" }, BACKUP.path)).toBeUndefined();
  });

  it("of one client is not taken for that of another whose name begins the same", () => {
    const { home } = createTempProject();
    const desktop = { client: "claude-desktop", scope: "user" };
    for (let time = 0; time < BACKUP_COUNT_MAX + 5; time++) keepBackup(home, desktop, BACKUP, () => time);
    expect(findBackup(home, USER, BACKUP.path)).toBeUndefined();
    keepBackup(home, USER, BACKUP, () => 0);
    const names = readdirSync(join(home, "backups"));
    expect(names.filter((name) => name.startsWith("claude-desktop-"))).toHaveLength(BACKUP_COUNT_MAX);
    expect(names.filter((name) => name.startsWith("claude-user-"))).toHaveLength(1);
    expect(names.sort()[0]).toContain(".005Z");
  });

  it("that is damaged is passed over", () => {
    const { home } = createTempProject();
    keepBackup(home, USER, BACKUP, () => 1);
    for (const [time, text] of [
      [2, "{"],
      [3, "null"],
      [4, `{"path": 1}`],
    ] as const) {
      writeFileSync(
        keepBackup(home, USER, BACKUP, () => time),
        text,
      );
    }
    expect(findBackup(home, USER, BACKUP.path)?.file).toContain("00.001Z");
  });

  it("that cannot be kept is an error that says so", () => {
    const { home, write } = createTempProject();
    write("home", "a file where the home should be");
    expect(() => keepBackup(home, USER, BACKUP)).toThrow("Cannot keep a backup");
    expect(findBackup(home, USER, BACKUP.path)).toBeUndefined();
  });
});
