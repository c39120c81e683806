import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { newRunOf } from "../testsuite/fixture.ts";
import { DATABASE_NAME } from "./home.ts";
import { openTestStore, testHome } from "./temp-home.testkit.ts";

const NOBODY = 65_534;
const umask = process.umask();
const user = process.geteuid?.() ?? 0;

afterEach(() => {
  process.umask(umask);
  process.seteuid?.(user);
});

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

function folderWith(mode: number, names: readonly string[] = []): string {
  const home = testHome();
  mkdirSync(home);
  for (const name of names) writeFileSync(join(home, name), "x");
  chmodSync(home, mode);
  return home;
}

it.each([0, 0o022, 0o077, 0o277])("makes folder and files private under a umask of %i", async (mask) => {
  const home = join(testHome(), "deep", "er");
  mkdirSync(dirname(dirname(home)), { recursive: true });
  process.umask(mask);
  const store = await openTestStore(home);
  await store.runs.start(newRunOf(), "owner", 1000);
  expect(modeOf(home)).toBe("700");
  const files = readdirSync(home).sort();
  expect(files).toEqual([DATABASE_NAME, `${DATABASE_NAME}-shm`, `${DATABASE_NAME}-wal`]);
  expect(files.map((name) => modeOf(join(home, name)))).toEqual(["600", "600", "600"]);
});

it("takes over an empty folder that others could look into, and closes it", async () => {
  const home = folderWith(0o755);
  await openTestStore(home);
  expect(modeOf(home)).toBe("700");
});

it("closes a folder and a file of its own that were opened to others", async () => {
  const home = testHome();
  await (await openTestStore(home)).close();
  writeFileSync(join(home, "notes.txt"), "x");
  chmodSync(home, 0o777);
  chmodSync(join(home, DATABASE_NAME), 0o644);
  await openTestStore(home);
  expect(modeOf(home)).toBe("700");
  expect(modeOf(join(home, DATABASE_NAME))).toBe("600");
});

it("takes a folder that holds only the beginnings of another start for its own", async () => {
  const home = folderWith(0o755, [`${DATABASE_NAME}.new-1-aa`]);
  await openTestStore(home);
  expect(modeOf(home)).toBe("700");
});

it("refuses a folder of something else that others can look into, and leaves it as it is", async () => {
  const home = folderWith(0o755, ["thesis.txt"]);
  await expect(openTestStore(home)).rejects.toMatchObject({
    code: "HOME_UNSAFE",
    message: expect.stringContaining(home) as string,
    hint: expect.stringContaining(`chmod 700 "${home}"`) as string,
  });
  expect(modeOf(home)).toBe("755");
  expect(readdirSync(home)).toEqual(["thesis.txt"]);
});

it("accepts a private folder whatever else is in it, and a link to one", async () => {
  const home = folderWith(0o700, ["thesis.txt"]);
  await openTestStore(home);
  const link = testHome();
  symlinkSync(home, link);
  await openTestStore(link);
  expect(readdirSync(home)).toContain(DATABASE_NAME);
});

it("refuses a home that is a file, or lies beneath one", async () => {
  const file = testHome();
  writeFileSync(file, "mine");
  for (const home of [file, join(file, "deeper")]) {
    await expect(openTestStore(home)).rejects.toMatchObject({
      code: "HOME_UNSAFE",
      message: expect.stringContaining(home) as string,
      hint: expect.stringContaining("REPERTOIRE_HOME") as string,
    });
  }
});

it("refuses a folder that it may not write", async () => {
  const home = folderWith(0o500);
  if (user === 0) {
    // Root may write everywhere, so the test steps down for as long as it lasts.
    chmodSync(dirname(home), 0o755);
    chownSync(home, NOBODY, NOBODY);
    process.seteuid?.(NOBODY);
  }
  await expect(openTestStore(home)).rejects.toMatchObject({
    code: "HOME_UNSAFE",
    hint: expect.stringContaining("REPERTOIRE_HOME") as string,
  });
});
