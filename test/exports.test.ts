import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import type * as api from "../src/index.ts";
import { findNodeProblem } from "../src/process/node-version.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";

const entry = join(import.meta.dirname, "../dist/index.js");

it("pins what the package exports", async () => {
  const exported: object = await import(entry);
  expect(Object.keys(exported).sort()).toEqual(["RepertoireError", "VERSION", "createGateway"]);
});

it("opens a gateway without a transport", async () => {
  const { createGateway } = (await import(entry)) as typeof api;
  const cwd = temporaryFolder();
  const gateway = await createGateway({ cwd, home: join(cwd, "home") });
  try {
    expect((await gateway.listTools()).map((tool) => tool.name)).toContain("execute");
    expect(gateway.getToolDefinitions().map((tool) => tool.name)).toEqual([
      "browse_components",
      "describe_workflow",
      "execute",
      "list_library",
      "save_to_library",
    ]);
    expect(gateway.getToolDefinitions()[0]).toHaveProperty("input_schema.type", "object");
    expect(await gateway.callTool("list_library", {})).toMatchObject({ success: true, data: { items: [] } });
  } finally {
    await gateway.close();
  }
});

it("says what is wrong with a config", async () => {
  const { createGateway, RepertoireError } = (await import(entry)) as typeof api;
  const cwd = temporaryFolder();
  await expect(createGateway({ cwd, configPath: join(cwd, "missing.json"), home: cwd })).rejects.toThrow(
    RepertoireError,
  );
});

/** The files that are loaded before the first line of one runs. */
function loadedWith(file: string): string[] {
  const text = readFileSync(file, "utf8");
  const imported = [...text.matchAll(/^import [^;]*?from "([^"]+)"/gm)].map(([, specifier]) => specifier!);
  return [
    file,
    ...imported.flatMap((to) => (to.startsWith(".") ? loadedWith(join(dirname(file), to)) : [to])),
  ];
}

it.each(["main.js", "index.js"])(
  "C8: %s tells an older Node what it needs before it loads the rest",
  (name) => {
    const loaded = loadedWith(join(dirname(entry), name));
    expect(loaded.some((file) => file.includes("node-version"))).toBe(true);
    const rest = loaded.filter(
      (file) => !/dist\/(main|index|chunks\/(node-version|errors|version)-[\w-]+)\.js$/.test(file),
    );
    expect(rest).toEqual([]);
    expect(readFileSync(loaded[0]!, "utf8").trimStart()).toMatch(/^(#!.*\n)?import [^\n]*node-version/);
  },
);

it("C8: says in one line which Node is needed", () => {
  expect(findNodeProblem("20.20.2")).toBe(
    "repertoire needs Node 24 or newer; this is v20.20.2. Install it from nodejs.org or with your version manager.",
  );
  expect(findNodeProblem("24.0.0")).toBeUndefined();
  expect(findNodeProblem("100.1.0")).toBeUndefined();
});
