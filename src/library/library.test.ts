import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../test/fixtures/temporary.ts";
import { displayNameOf, fqdnOf } from "../core/names.ts";
import type { CapabilityDraft, Store } from "../core/store.ts";
import { openSqliteStore } from "../store/sqlite/sqlite-store.ts";
import { createLibrary, type Library } from "./library.ts";

const scope = { org: "local", project: "default" };

const sum: CapabilityDraft = {
  scope,
  namespace: "math",
  action: "sum",
  kind: "code",
  description: "Adds numbers.",
  tags: ["arithmetic"],
  author: "ann",
  source: "return args.a + args.b;",
  inputSchema: { type: "object" },
};

async function openLibrary(...drafts: CapabilityDraft[]): Promise<{ library: Library; store: Store }> {
  const store = await openSqliteStore({ home: temporaryFolder() });
  onTestFinished(() => store.close());
  for (const draft of drafts) await store.capabilities.save(draft);
  return { store, library: createLibrary(store.capabilities, () => scope) };
}

describe("listing", () => {
  it("is in the order of names and matches names, descriptions and tags", async () => {
    const { library } = await openLibrary(sum, {
      ...sum,
      action: "difference",
      description: "Subtracts.",
      tags: [],
    });
    const names = async (pattern: string | null) => (await library.list(pattern)).map(displayNameOf);
    expect(await names(null)).toEqual(["math:difference", "math:sum"]);
    expect(await names("subtract")).toEqual(["math:difference"]);
    expect(await names("arith*")).toEqual(["math:sum"]);
    expect(await names("mcp__math__s*")).toEqual(["math:sum"]);
    expect(await names("nothing")).toEqual([]);
  });

  it("shows only the scope", async () => {
    const { library } = await openLibrary(sum, {
      ...sum,
      scope: { org: "acme", project: "x" },
      action: "other",
    });
    expect(await library.names()).toEqual(["math:sum"]);
  });
});

describe("describing", () => {
  it("takes every spelling", async () => {
    const { library, store } = await openLibrary(sum);
    const [capability] = await store.capabilities.list(scope);
    const version = await store.capabilities.version(capability!.id, 1);
    const fqdn = fqdnOf(scope, sum, version!.shortHash);
    for (const name of ["math:sum", "mcp__math__sum", "math:sum@1", "math:sum@latest", fqdn]) {
      expect(await library.describe(name)).toMatchObject({
        success: true,
        data: { capability: { id: capability!.id } },
      });
    }
  });

  it("looks for a bare name among workflows, then among code", async () => {
    const { library } = await openLibrary(
      { ...sum, namespace: "code", action: "pr_analyzer" },
      { ...sum, namespace: "workflow", action: "pr_analyzer", kind: "workflow" },
      { ...sum, namespace: "code", action: "only_code" },
    );
    expect(await library.describe("pr-analyzer")).toMatchObject({
      data: { capability: { namespace: "workflow" } },
    });
    expect(await library.describe("only-code")).toMatchObject({
      data: { capability: { namespace: "code" } },
    });
  });

  it("gives the version that was asked for, by number or by hash", async () => {
    const { library, store } = await openLibrary(sum, { ...sum, source: "return 0;", overwrite: true });
    expect(await library.describe("math:sum")).toMatchObject({
      data: { version: { version: 2, source: "return 0;" } },
    });
    expect(await library.describe("math:sum@1")).toMatchObject({
      data: { version: { version: 1, source: sum.source } },
    });
    const [capability] = await store.capabilities.list(scope);
    const first = await store.capabilities.version(capability!.id, 1);
    const fqdn = fqdnOf(scope, sum, first!.shortHash);
    expect(await library.describe(fqdn)).toMatchObject({ data: { version: { version: 1 } } });
    expect(await library.describe("math:sum@9")).toMatchObject({
      error: { code: "TOOL_NOT_FOUND", message: expect.stringContaining("there are 2, 1") },
    });
  });

  it("A4: a FQDN means the version whose hash it has, also where that begins another's", async () => {
    const version = (source: string) => ({ ...sum, source, overwrite: true });
    // Their hashes begin with d21b7 and d21b0.
    const { library, store } = await openLibrary(version("return 401"), version("return 450"));
    const [{ id } = { id: "" }] = await store.capabilities.list(scope);
    const hashes = (await store.capabilities.versions(id)).map(({ shortHash }) => shortHash);
    expect(hashes).toEqual(["d21b0", "d21b"]);
    const numberOf = async (hash: string) => {
      const found = await library.describe(`local.default.math.sum.${hash}`);
      return found.success ? found.data.version.version : found.error.reason;
    };
    expect(await numberOf("d21b")).toBe(1);
    expect(await numberOf("d21b0")).toBe(2);
    expect(await numberOf("d21b7")).toBe(1);
    expect(await numberOf("d21b79b7f45908fbec8326cf8118676403a229aa4bf2b68e7a186ee5ac58ec5a")).toBe(1);
    expect(await library.describe("local.default.math.sum.d21b@2")).toMatchObject({ success: false });
    expect(await library.describe("local.default.math.sum.ffff")).toMatchObject({
      error: {
        code: "TOOL_NOT_FOUND",
        nearest: ["local.default.math.sum.d21b0", "local.default.math.sum.d21b"],
      },
    });
  });

  it("A4: a hash that begins those of several versions is refused with their names", async () => {
    const version = (source: string) => ({ ...sum, source, overwrite: true });
    // 110117e2 and 11011883: the first is called 1101, the second 110118.
    const { library } = await openLibrary(version("return 500"), version("return 645"));
    expect(await library.describe("local.default.math.sum.11011")).toMatchObject({
      error: {
        code: "TOOL_INVALID_INPUT",
        reason: "ambiguous",
        nearest: ["local.default.math.sum.110118", "local.default.math.sum.1101"],
      },
    });
    expect(await library.describe("local.default.math.sum.1101")).toMatchObject({
      data: { version: { version: 1 } },
    });
  });

  it("finds a renamed capability under its old name", async () => {
    const { library, store } = await openLibrary(sum);
    const [capability] = await store.capabilities.list(scope);
    await store.capabilities.rename(capability!.id, { namespace: "math", action: "add" });
    expect(await library.describe("math:sum")).toMatchObject({
      data: { capability: { action: "add" }, aliases: [{ namespace: "math", action: "sum" }] },
    });
  });

  it("answers a miss with the nearest names, for another scope and a foreign hash too", async () => {
    const { library } = await openLibrary(sum);
    expect(await library.describe("math:smu")).toMatchObject({
      error: {
        code: "TOOL_NOT_FOUND",
        nearest: ["math:sum"],
        message: expect.stringContaining("Did you mean math:sum?"),
      },
    });
    expect(await library.describe("acme.x.math.sum.4ebd")).toMatchObject({
      error: { code: "TOOL_NOT_FOUND" },
    });
    expect(await library.describe("local.default.math.sum.ffff")).toMatchObject({
      error: { code: "TOOL_NOT_FOUND" },
    });
    expect(await library.describe("../x")).toMatchObject({ error: { code: "SECURITY_ERROR" } });
  });
});
