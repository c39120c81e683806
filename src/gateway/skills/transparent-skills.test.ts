import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/temporary.ts";
import { contextOf } from "../../../test/fixtures/tool-source.ts";
import type { JsonObject } from "../../core/json.ts";
import { silentLog } from "../../core/log.ts";
import type { TrustLevel } from "../../core/rule.ts";
import { createRegistry } from "../../registry/registry.ts";
import { openSqliteStore } from "../../store/sqlite/sqlite-store.ts";
import { createPins } from "../../trust/pins.ts";
import { createHeldCalls } from "../held-calls.ts";
import { createTransparentGateway } from "../profiles/transparent-gateway.ts";
import { createSealedStates } from "../sealed-state.ts";
import { createSkillServer, dataOf, entryFor, errorOf, skillOf } from "./skills.testkit.ts";

const GIT = skillOf("git-flow");
const URI = "skill://git-flow/SKILL.md";

async function openFronted(trust: TrustLevel) {
  const server = createSkillServer("tools", GIT);
  const store = await openSqliteStore({ home: temporaryFolder() });
  const pins = createPins({ store: store.pins, trustOf: () => trust });
  const registry = createRegistry({ pins });
  registry.add(server, { identity: { command: "x" } });
  const heldCalls = createHeldCalls({ states: createSealedStates({ store: store.seals }) });
  onTestFinished(async () => {
    pins.close();
    heldCalls.close();
    await registry.close();
    await store.close();
  });
  await registry.refresh("tools", contextOf());
  const gateway = createTransparentGateway({
    registry,
    profile: "front",
    server: "tools",
    heldCalls,
    denied: () => {},
    configChanged: () => () => {},
    log: silentLog,
  });
  const ask = (method: "skills/list" | "skills/get" | "resources/read", params: JsonObject = {}) =>
    gateway.forward(method, params, contextOf());
  return { server, registry, ask };
}

it.each(["allow", "ask"] as const)(
  "passes skills as they are where the trust is %s and nothing changed",
  async (trust) => {
    const { server, ask } = await openFronted(trust);
    expect(dataOf(await ask("skills/list"))).toEqual({ skills: server.entries, ttlMs: 5 });
    expect(dataOf(await ask("skills/get", { uri: URI }))).toEqual({ skill: server.entries[0] });
    const { contents } = dataOf(await ask("resources/read", { uri: URI }));
    expect(contents).toEqual([{ uri: URI, text: GIT.files["SKILL.md"] }]);
  },
);

it("leaves the check of a file to the client", async () => {
  const { server, ask } = await openFronted("allow");
  server.files.set(URI, "other");
  expect(dataOf(await ask("resources/read", { uri: URI }))["contents"]).toEqual([
    { uri: URI, text: "other" },
  ]);
});

it("T097: passes no skill that is new or has changed where a person has to approve it", async () => {
  const { server, ask } = await openFronted("ask");
  server.entries = [entryFor({ ...GIT, files: { "SKILL.md": "Evil." } }), entryFor(skillOf("new"))];
  expect(dataOf(await ask("skills/list"))["skills"]).toEqual([]);
  for (const uri of [URI, "skill://new/SKILL.md"])
    expect(errorOf(await ask("skills/get", { uri }))).toMatchObject({
      code: "SECURITY_ERROR",
      reason: "held",
    });
  expect(errorOf(await ask("resources/read", { uri: URI }))?.reason).toBe("held");
});

it("T097: passes no answer of skills/get that differs from the list", async () => {
  const { server, ask } = await openFronted("ask");
  server.unlisted.set(URI, entryFor({ ...GIT, files: { "SKILL.md": "Evil." } }));
  expect((await ask("skills/get", { uri: URI })).success).toBe(false);
});
