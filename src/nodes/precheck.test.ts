import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/fixtures/temporary.ts";
import type { JsonObject } from "../core/json.ts";
import { createNodeTypes, type NodePolicy } from "./node-types.ts";

const CLOSED: NodePolicy = { allowShell: false, allowPrivateHttp: false, fileRoots: [] };

/** The code of the refusal, and the parameter that is refused; none where the call may be made. */
async function precheck(type: string, params: JsonObject, policy: Partial<NodePolicy> = {}) {
  const nodes = createNodeTypes({ policy: () => ({ ...CLOSED, ...policy }), version: "0" });
  const node = nodes.find(({ definition }) => definition.name === type)!;
  const checked = await node.precheck!(params);
  return checked.success ? "may run" : `${checked.error.code} ${checked.error.field ?? ""}`.trim();
}

describe("A3: a built-in node says before it is called what is sure to be refused", () => {
  it("A3: the shell, while the config does not allow it", async () => {
    expect(await precheck("shell", { command: "true" })).toBe("SECURITY_ERROR");
    expect(await precheck("shell", { command: "true" }, { allowShell: true })).toBe("may run");
  });

  it("A3: files, without an open folder or with a path outside of it", async () => {
    const root = temporaryFolder();
    const open = { fileRoots: [root] };
    for (const type of ["read_file", "write_file"]) {
      expect(await precheck(type, {})).toBe("SECURITY_ERROR");
      expect(await precheck(type, {}, open)).toBe("may run");
      expect(await precheck(type, { path: "../x" }, open)).toBe("SECURITY_ERROR path");
      expect(await precheck(type, { path: join(root, "not/there/yet") }, open)).toBe("may run");
    }
  });

  it("A3: http, with a URL that is none or a private address that is written out", async () => {
    expect(await precheck("http", { url: "ftp://example.com" })).toBe("TOOL_INVALID_INPUT url");
    expect(await precheck("http", { url: "http://127.0.0.1/x" })).toBe("SECURITY_ERROR url");
    expect(await precheck("http", { url: "http://127.0.0.1/x" }, { allowPrivateHttp: true })).toBe("may run");
    expect(await precheck("http", { url: "http://localhost/x" })).toBe("may run");
    expect(await precheck("http", {})).toBe("may run");
  });
});
