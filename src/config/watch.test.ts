import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { readConfigText } from "./files/config-text.ts";
import type { LoadResult } from "./load.ts";
import { createTempProject, type TempProject } from "./temp-project.testkit.ts";
import { trust } from "./trust.ts";
import { watchConfig, type ConfigWatch, type WatchOptions } from "./source.ts";

/** Long enough that only an explicit `check` or the other mechanism can be what noticed. */
const NEVER_MS = 600_000;

const USER_FILE = "user/.config/repertoire/repertoire.json";

function watchProject(project: TempProject, options: Partial<WatchOptions> = {}) {
  const seen: LoadResult[] = [];
  const manual = { pollMs: NEVER_MS, settleMs: NEVER_MS };
  const watch: ConfigWatch = watchConfig({ ...project.options, ...manual, ...options }, (result) =>
    seen.push(result),
  );
  onTestFinished(() => watch.close());
  const exposures = (): string[] => seen.map((result) => (result.ok ? result.config.exposure : "broken"));
  return { watch, seen, exposures };
}

async function eventually(assertion: () => void): Promise<void> {
  await vi.waitFor(assertion, { timeout: 20_000, interval: 20 });
}

describe("a check", () => {
  test("calls back when the content has changed, and only then", async () => {
    const project = createTempProject();
    project.write(USER_FILE, { exposure: "lean" });
    const { watch, exposures } = watchProject(project);
    await watch.check();
    project.write(USER_FILE, { exposure: "lean" });
    await watch.check();
    expect(exposures()).toEqual([]);
    project.write(USER_FILE, { exposure: "full" });
    await watch.check();
    await watch.check();
    expect(exposures()).toEqual(["full"]);
  });

  test("sees a file appear, take precedence, and vanish", async () => {
    const project = createTempProject();
    const { watch, exposures } = watchProject(project);
    project.write(USER_FILE, { exposure: "lean" });
    await watch.check();
    const path = project.write("project/repertoire.json", { exposure: "full" });
    await watch.check();
    trust(project.home, path, readConfigText(project.options).files[0]!.origin.sha256!);
    await watch.check();
    rmSync(path);
    await watch.check();
    rmSync(join(project.userFolder, "repertoire.json"));
    await watch.check();
    expect(exposures()).toEqual(["lean", "lean", "full", "lean", "auto"]);
  });

  test("hands on the problems of a broken file, and the config once it is mended", async () => {
    const project = createTempProject();
    project.write(USER_FILE, {});
    const { watch, seen, exposures } = watchProject(project);
    project.write(USER_FILE, "{");
    await watch.check();
    await watch.check();
    project.write(USER_FILE, { exposure: "full" });
    await watch.check();
    expect(exposures()).toEqual(["broken", "full"]);
    expect(seen[0]).toMatchObject({ problems: [{ message: 'a "}" is missing' }] });
  });

  test("says once that a --config file is gone", async () => {
    const project = createTempProject();
    const configPath = project.write("project/c.json", {});
    const { watch, exposures } = watchProject(project, { configPath });
    rmSync(configPath);
    await watch.check();
    await watch.check();
    expect(exposures()).toEqual(["broken"]);
  });

  test("T139: sees that a file was trusted", async () => {
    const project = createTempProject();
    const path = project.write("project/repertoire.json", { mcpServers: { a: { command: "x" } } });
    const { watch, seen } = watchProject(project);
    trust(project.home, path, readConfigText(project.options).files[0]!.origin.sha256!);
    await watch.check();
    expect(seen).toMatchObject([{ config: { servers: [{ trusted: true }] } }]);
  });

  test("misses nothing that happened since the caller read", async () => {
    const project = createTempProject();
    project.write(USER_FILE, { exposure: "lean" });
    const since = readConfigText(project.options).fingerprint;
    project.write(USER_FILE, { exposure: "full" });
    const { watch, exposures } = watchProject(project, { since });
    await watch.check();
    expect(exposures()).toEqual(["full"]);
  });

  test("after close does nothing", async () => {
    const project = createTempProject();
    const { watch, seen } = watchProject(project);
    watch.close();
    watch.close();
    project.write(USER_FILE, { exposure: "full" });
    await watch.check();
    expect(seen).toEqual([]);
  });
});

describe.each([
  ["the folder watch", { settleMs: 20 }],
  ["the poll", { settleMs: 20, pollMs: 20 }],
])("%s", (_, timing) => {
  test("notices a file that an editor renames into place", async () => {
    const project = createTempProject();
    const path = project.write(USER_FILE, { exposure: "lean" });
    const { exposures } = watchProject(project, timing);
    writeFileSync(`${path}.tmp`, '{"exposure": "full"}');
    renameSync(`${path}.tmp`, path);
    await eventually(() => expect(exposures()).toEqual(["full"]));
  });

  test("notices a file that appears, changes in place and vanishes", async () => {
    const project = createTempProject();
    mkdirSync(project.userFolder, { recursive: true });
    const { exposures } = watchProject(project, timing);
    const path = project.write(USER_FILE, { exposure: "lean" });
    await eventually(() => expect(exposures().at(-1)).toBe("lean"));
    project.write(USER_FILE, { exposure: "full" });
    await eventually(() => expect(exposures().at(-1)).toBe("full"));
    rmSync(path);
    await eventually(() => expect(exposures().at(-1)).toBe("auto"));
  });
});

test("the poll finds a file in a folder that did not exist", async () => {
  const project = createTempProject();
  const { exposures } = watchProject(project, { settleMs: 20, pollMs: 20 });
  mkdirSync(project.userFolder, { recursive: true });
  project.write(USER_FILE, { exposure: "full" });
  await eventually(() => expect(exposures().at(-1)).toBe("full"));
});

test("a watch keeps no process alive", () => {
  const project = createTempProject();
  project.write(USER_FILE, {});
  const program = `import { watchConfig } from ${JSON.stringify(new URL("source.ts", import.meta.url).href)};
    watchConfig(${JSON.stringify(project.options)}, () => {});
    console.log("watching");`;
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", program], { timeout: 20_000 });
  expect(output.toString()).toBe("watching\n");
});
