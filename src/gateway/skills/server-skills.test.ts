import { describe, expect, it, onTestFinished } from "vitest";
import { contextOf } from "../../../test/fixtures/tool-source.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { createPins } from "../../trust/pins.ts";
import { createRegistry } from "../../registry/registry.ts";
import { openSqliteStore } from "../../store/sqlite/sqlite-store.ts";
import { temporaryFolder } from "../../../test/fixtures/temporary.ts";
import { createGateway } from "../whole-gateway.ts";
import { depsOf, openRig } from "../gateway.testkit.ts";
import { createProfileView } from "../profiles/profile-view.ts";
import { createSkillServer, dataOf, entryFor, errorOf, skillOf, type SkillServer } from "./skills.testkit.ts";

const GIT = skillOf("git-flow", "Says how.", { "references/HOOKS.md": "Hooks.\n" });
const GIT_URI = "skill://tools+/git-flow/SKILL.md";
const HOOKS_URI = "skill://tools+/git-flow/references/HOOKS.md";

async function openServers(...servers: readonly SkillServer[]) {
  const rig = await openRig(...servers);
  for (const { id } of servers) await rig.registry.refresh(id, contextOf());
  const ask = (method: "skills/list" | "skills/get" | "resources/read", params: JsonObject, more = {}) =>
    rig.gateway.forward(method, params, { ...contextOf(), ...more });
  const uris = async (more = {}) => urisOf(dataOf(await ask("skills/list", {}, more)));
  return { ...rig, ask, uris };
}

function urisOf({ skills }: JsonObject): Json[] {
  return (skills as readonly JsonObject[]).map(({ uri }) => uri!);
}

const openTools = async (...skills: Parameters<typeof createSkillServer>[1][]) => {
  const server = createSkillServer("tools", ...skills);
  return { server, ...(await openServers(server)) };
};

describe("the skills of servers", () => {
  it("are listed under URIs that lead to their servers, and no file is read for it", async () => {
    const { server, ask } = await openTools(GIT);
    const page = dataOf(await ask("skills/list", {}));
    expect(page["skills"]).toEqual([
      {
        uri: GIT_URI,
        frontmatter: { name: "git-flow", description: "Says how." },
        resources: [
          expect.objectContaining({ uri: GIT_URI }),
          expect.objectContaining({ uri: HOOKS_URI, size: 7 }),
        ],
      },
    ]);
    expect(server.asked).toEqual([]);
  });

  it("of two servers may have one name, and each is read from its own", async () => {
    const [one, two] = [createSkillServer("one", GIT), createSkillServer("two", GIT)];
    const { uris, ask } = await openServers(one, two);
    expect(await uris()).toEqual(["skill://one+/git-flow/SKILL.md", "skill://two+/git-flow/SKILL.md"]);
    await ask("resources/read", { uri: "skill://two+/git-flow/SKILL.md" });
    expect([one.asked.length, two.asked.length]).toEqual([0, 1]);
  });

  it("are read as they are listed, in text and as bytes", async () => {
    const { server, ask } = await openTools(GIT);
    const { contents } = dataOf(await ask("resources/read", { uri: HOOKS_URI }));
    expect(contents).toEqual([{ uri: HOOKS_URI, text: "Hooks.\n" }]);
    const blob = Buffer.from("Hooks.\n").toString("base64");
    answerReads(server, { blob });
    expect(dataOf(await ask("resources/read", { uri: HOOKS_URI }))["contents"]).toMatchObject([{ blob }]);
  });

  it.each<[string, JsonObject]>([
    ["another digest", { text: "Hooks!\n" }],
    ["another size", { text: "Hooks and more.\n" }],
    ["nothing", { text: "" }],
    ["bytes that are others", { blob: "AAAA" }],
    ["another file", { uri: "skill://git-flow/SKILL.md", text: "Hooks.\n" }],
  ])("T097: are refused with %s than their entry says, and nothing of them is told", async (_, content) => {
    const { server, ask } = await openTools(GIT);
    answerReads(server, content);
    const error = errorOf(await ask("resources/read", { uri: HOOKS_URI }));
    expect(error).toMatchObject({ code: "SECURITY_ERROR", reason: "skill_mismatch" });
    expect(JSON.stringify(error)).not.toContain("Hooks");
  });

  it("are refused where the answer has a second file, or the same one twice", async () => {
    const { server, ask } = await openTools(GIT);
    answerReads(server, { text: "Hooks.\n" }, { text: "Hooks.\n" });
    expect(errorOf(await ask("resources/read", { uri: HOOKS_URI }))?.reason).toBe("skill_mismatch");
  });

  it.each([
    ["another description", "---\nname: git-flow\ndescription: Steals.\n---\n"],
    ["a field more", "---\nname: git-flow\ndescription: Says how.\nallowed-tools: Bash\n---\n"],
    ["no frontmatter", "# git-flow\n"],
    ["frontmatter that is no YAML", "---\nname: [\n---\n"],
    ["a bomb of aliases", bomb()],
    ["frontmatter that nests without end", `---\na: ${"[".repeat(30_000)}\n---\n`],
  ])("T097: of which SKILL.md has %s are refused, whatever its digest", async (_, text) => {
    const files = { "SKILL.md": text };
    const { ask } = await openTools({ ...GIT, files });
    expect(errorOf(await ask("resources/read", { uri: GIT_URI }))).toMatchObject({
      reason: "skill_mismatch",
      message: expect.stringContaining("frontmatter"),
    });
  });

  it("have no file that their entry does not list", async () => {
    const { server, ask } = await openTools(GIT);
    server.files.set("skill://git-flow/extra.md", "more");
    const uri = "skill://tools+/git-flow/extra.md";
    expect(errorOf(await ask("resources/read", { uri }))?.reason).toBe("skill_mismatch");
    expect(server.asked).toEqual([]);
  });

  it("that are not listed are asked for by their URI, and verified all the same", async () => {
    const { server, ask, uris } = await openTools(GIT);
    const other = skillOf("rebase");
    server.unlisted.set("skill://rebase/SKILL.md", entryFor(other));
    server.files.set("skill://rebase/SKILL.md", other.files["SKILL.md"]!);
    const uri = "skill://tools+/rebase/SKILL.md";
    expect(dataOf(await ask("resources/read", { uri }))["contents"]).toMatchObject([{ uri }]);
    expect(dataOf(await ask("skills/get", { uri }))).toMatchObject({ skill: { uri } });
    expect(await uris()).toContain(uri);
    server.files.set("skill://rebase/SKILL.md", "---\nname: rebase\ndescription: Other.\n---\n");
    expect(errorOf(await ask("resources/read", { uri }))?.reason).toBe("skill_mismatch");
    expect(errorOf(await ask("resources/read", { uri: "skill://tools+/unknown/SKILL.md" }))?.code).toBe(
      "TOOL_NOT_FOUND",
    );
    expect(errorOf(await ask("resources/read", { uri: "skill://tools+/unknown/a.md" }))?.code).toBe(
      "TOOL_NOT_FOUND",
    );
  });

  it("that changed are read after skills/get has told of the change", async () => {
    const { server, ask } = await openTools(GIT);
    const changed = { ...GIT, files: { ...GIT.files, "references/HOOKS.md": "Others.\n" } };
    server.files.set("skill://git-flow/references/HOOKS.md", "Others.\n");
    expect(errorOf(await ask("resources/read", { uri: HOOKS_URI }))?.reason).toBe("skill_mismatch");
    server.entries = [entryFor(changed)];
    const { skill } = dataOf(await ask("skills/get", { uri: GIT_URI }));
    expect(JSON.stringify(skill)).toContain('"size":8');
    expect(dataOf(await ask("resources/read", { uri: HOOKS_URI }))["contents"]).toMatchObject([
      { text: "Others.\n" },
    ]);
  });

  it("T020: are not there for a profile that does not show their server", async () => {
    const { server, ask, uris } = await openTools(GIT);
    const view = createProfileView("none", { servers: ["other"] });
    expect(await uris({ view })).toEqual([]);
    for (const method of ["skills/get", "resources/read"] as const)
      expect(errorOf(await ask(method, { uri: GIT_URI }, { view }))?.code).toBe("TOOL_NOT_FOUND");
    expect(server.asked).toEqual([]);
  });

  it("of one server are there while another one hangs, and that one is named as pending", async () => {
    const slow = createSkillServer("slow", GIT);
    slow.onList = () => new Promise(() => {});
    const tools = createSkillServer("tools", GIT);
    const rig = await openRig(slow, tools);
    await rig.registry.refresh("tools", contextOf());
    const page = dataOf(await rig.gateway.forward("skills/list", {}, contextOf()));
    expect(urisOf(page)).toEqual([GIT_URI]);
    expect(page["_meta"]).toEqual({ "repertoire/pending": ["slow"] });
  });

  it("of a server that was disconnected are gone", async () => {
    const { uris, removeServer, ask } = await openTools(GIT);
    await removeServer("tools");
    expect(await uris()).toEqual([]);
    expect(errorOf(await ask("skills/get", { uri: GIT_URI }))?.code).toBe("TOOL_NOT_FOUND");
  });
});

describe("an entry that is not one of a skill", () => {
  const right = entryFor(GIT) as { uri: string; frontmatter: JsonObject; resources: JsonObject[] };
  const [file] = right.resources;
  it.each<[string, Json]>([
    ["no object", null],
    ["a list", []],
    ["no URI", { ...right, uri: 5 }],
    ["a URI of another file", { ...right, uri: "skill://git-flow/README.md" }],
    [
      "a name against the rule",
      { ...right, uri: "skill://Git_Flow/SKILL.md", frontmatter: { name: "Git_Flow", description: "x" } },
    ],
    ["another name", { ...right, frontmatter: { name: "other", description: "x" } }],
    ["no description", { ...right, frontmatter: { name: "git-flow" } }],
    ["hidden text", { ...right, frontmatter: { name: "git-flow", description: "a\u200Bb" } }],
    [
      "hidden text deep inside",
      { ...right, frontmatter: { ...right.frontmatter, metadata: { a: ["\u202Ex"] } } },
    ],
    [
      "a description without end",
      { ...right, frontmatter: { name: "git-flow", description: "x".repeat(9_000) } },
    ],
    ["no files", { ...right, resources: "none" }],
    ["no SKILL.md among them", { ...right, resources: [right.resources[1]!] }],
    ["a file twice", { ...right, resources: [file!, file!] }],
    ["a file elsewhere", { ...right, resources: [file!, { ...file!, uri: "skill://other/a.md" }] }],
    ["a way out", { ...right, resources: [file!, { ...file!, uri: "skill://git-flow/../../etc/passwd" }] }],
    ["a spelt way out", { ...right, resources: [file!, { ...file!, uri: "skill://git-flow/%2E%2e/x" }] }],
    ["a short digest", { ...right, resources: [{ ...file!, digest: "sha256:abc" }] }],
    ["a size below nothing", { ...right, resources: [{ ...file!, size: -1 }] }],
    ["too much in all", { ...right, resources: [{ ...file!, size: 17 * 1024 * 1024 }] }],
    ["too many files", { ...right, resources: Array.from({ length: 513 }, () => file!) }],
  ])("T025: with %s is left out, and the others stay", async (_, entry) => {
    const server = createSkillServer("tools", skillOf("other"));
    server.entries = [entry, ...server.entries];
    const { uris, ask, registry } = await openServers(server);
    expect(await uris()).toEqual(["skill://tools+/other/SKILL.md"]);
    expect(registry.catalogue().rejected).toMatchObject([{ kind: "skill", code: "invalid_skill" }]);
    server.unlisted.set("skill://asked/SKILL.md", entry as JsonObject);
    expect((await ask("skills/get", { uri: "skill://tools+/asked/SKILL.md" })).success).toBe(false);
  });
});

describe("the skills of a server that is not simply trusted", () => {
  async function openPinned(trust: "ask" | "scan", server: SkillServer) {
    const home = temporaryFolder();
    const store = await openSqliteStore({ home });
    const pins = createPins({ store: store.pins, trustOf: () => trust });
    const registry = createRegistry({ pins });
    registry.add(server, { identity: { command: "x" } });
    onTestFinished(async () => {
      pins.close();
      await registry.close();
      await store.close();
    });
    await registry.refresh("tools", contextOf());
    const gateway = createGateway(depsOf({ store, registry, draftsFolder: home, servers: () => ["tools"] }));
    const ask = (method: "skills/list" | "skills/get" | "resources/read", params: JsonObject = {}) =>
      gateway.forward(method, params, contextOf());
    const uris = async () => urisOf(dataOf(await ask("skills/list")));
    return { ask, uris, registry, store, pins };
  }

  it.each(["ask", "scan"] as const)(
    "T097: are held by %s when their text changes, and when they are new",
    async (trust) => {
      const server = createSkillServer("tools", GIT);
      const { ask, uris, registry } = await openPinned(trust, server);
      expect(await uris()).toEqual([GIT_URI]);
      expect((await ask("resources/read", { uri: HOOKS_URI })).success).toBe(true);
      const evil = { ...GIT, files: { ...GIT.files, "references/HOOKS.md": "Evil.\n" } };
      server.entries = [entryFor(evil), entryFor(skillOf("new"))];
      server.files.set("skill://git-flow/references/HOOKS.md", "Evil.\n");
      await registry.refresh("tools", contextOf());
      expect(await uris()).toEqual([]);
      for (const uri of [HOOKS_URI, GIT_URI, "skill://tools+/new/SKILL.md"])
        expect(errorOf(await ask("resources/read", { uri }))).toMatchObject({
          code: "SECURITY_ERROR",
          reason: "held",
        });
      expect(errorOf(await ask("skills/get", { uri: GIT_URI }))?.reason).toBe("held");
    },
  );

  it.each(["ask", "scan"] as const)(
    "T097: are not asked for by %s where they are not listed",
    async (trust) => {
      const server = createSkillServer("tools", GIT);
      server.unlisted.set("skill://secret/SKILL.md", entryFor(skillOf("secret")));
      server.files.set("skill://secret/SKILL.md", skillOf("secret").files["SKILL.md"]!);
      const { ask } = await openPinned(trust, server);
      for (const method of ["skills/get", "resources/read"] as const)
        expect(errorOf(await ask(method, { uri: "skill://tools+/secret/SKILL.md" }))?.code).toBe(
          "TOOL_NOT_FOUND",
        );
      expect(server.asked.filter(({ method }) => method === "resources/read")).toEqual([]);
    },
  );

  it("T097: are held when skills/get tells of another text than the list", async () => {
    const server = createSkillServer("tools", GIT);
    const { ask, uris } = await openPinned("ask", server);
    const evil = entryFor({
      ...GIT,
      files: { "SKILL.md": "---\nname: git-flow\ndescription: Says how.\n---\nEvil." },
    });
    server.unlisted.set("skill://git-flow/SKILL.md", evil);
    expect((await ask("skills/get", { uri: GIT_URI })).success).toBe(false);
    expect(await uris()).toEqual([]);
  });

  it("are held where they have no digests, until a person approves them", async () => {
    const server = createSkillServer("tools");
    server.entries = [{ ...entryFor(GIT), resources: "dynamic" }];
    const { uris, store, pins } = await openPinned("ask", server);
    expect(await uris()).toEqual([]);
    const key = { server: "tools", kind: "skill", name: "skill://git-flow/SKILL.md" } as const;
    const pin = (await store.pins.list("tools")).find(({ kind }) => kind === "skill")!;
    expect(pin.reasons.join()).toContain("no digests");
    await store.pins.decide(key, pin.offeredHash, { isApproved: true, by: "ann" });
    await pins.freshen();
    expect(await uris()).toEqual([GIT_URI]);
  });
});

function answerReads(server: SkillServer, ...contents: readonly JsonObject[]): void {
  const own = server.request!;
  Object.assign(server, {
    request: (method: string, params: JsonObject, context: never) =>
      method === "resources/read"
        ? Promise.resolve({
            success: true,
            data: { contents: contents.map((one) => ({ uri: params["uri"], ...one })) },
          })
        : own(method, params, context),
  });
}

/** Each line names the one before it nine times. */
function bomb(): string {
  const lines = Array.from({ length: 12 }, (_, at) =>
    at === 0
      ? "a0: &a0 [x]"
      : `a${at}: &a${at} [${Array(9)
          .fill(`*a${at - 1}`)
          .join(", ")}]`,
  );
  return `---\nname: git-flow\ndescription: Says how.\n${lines.join("\n")}\n---\n`;
}
