import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../test/fixtures/temporary.ts";
import { createFixtureSource, toolOf } from "../../test/fixtures/tool-source.ts";
import type { Guard } from "../core/guard.ts";
import { fail } from "../core/result.ts";
import { createRegistry } from "../registry/registry.ts";
import { openSqliteStore } from "../store/sqlite/sqlite-store.ts";
import { depsOf } from "./gateway.testkit.ts";
import { createGateway } from "./whole-gateway.ts";

it("T159: a call that the rules refuse is not recorded a second time as a denial of the config", async () => {
  const home = temporaryFolder();
  const store = await openSqliteStore({ home });
  onTestFinished(() => store.close());
  mkdirSync(join(home, "drafts"));
  const refused: string[] = [];
  const guard: Guard = {
    decide: () => Promise.reject(new Error("not asked")),
    observe: () => {},
    bindingOf: () => "",
    async pass({ name }) {
      refused.push(name);
      return fail("SECURITY_ERROR", "no", { reason: "refused", tool: name });
    },
  };
  const registry = createRegistry({ guard });
  onTestFinished(() => registry.close());
  registry.add(createFixtureSource("notes", [toolOf("add")]));
  const deps = depsOf({ store, registry, draftsFolder: join(home, "drafts"), servers: () => ["notes"] });
  const denied: string[] = [];
  const gateway = createGateway({ ...deps, denied: (_context, tool) => void denied.push(tool) });
  expect(await gateway.callTool("notes__add", {})).toMatchObject({ isError: true });
  const ran = await gateway.callTool("execute", { code: "return await mcp.notes.add({})" });
  expect(JSON.stringify(ran.structuredContent)).toContain("SECURITY_ERROR");
  expect(refused).toEqual(["notes__add", "notes__add"]);
  expect(denied).toEqual([]);
});
