import { join } from "node:path";
import { expect, it } from "vitest";
import type * as api from "../src/index.ts";
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
    expect(await gateway.callTool("list_library", {})).toMatchObject({ structuredContent: { items: [] } });
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
