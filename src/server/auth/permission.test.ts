import { describe, expect, it } from "vitest";
import { FORWARDED_METHODS } from "../../gateway/forwarding.ts";
import { insufficientScope, permissionFor, permissionsForCall } from "./permission.ts";

describe("permissionFor", () => {
  it.each([
    ["initialize", undefined, "read"],
    ["ping", undefined, "read"],
    ["server/discover", undefined, "read"],
    ["tools/list", undefined, "read"],
    ["resources/list", undefined, "read"],
    ["resources/templates/list", undefined, "read"],
    ["prompts/list", undefined, "read"],
    ["logging/setLevel", undefined, "read"],
    ["subscriptions/listen", undefined, "read"],
    ["notifications/initialized", undefined, "read"],
    ["notifications/cancelled", undefined, "read"],
    ["tools/call", "browse_components", "read"],
    ["tools/call", "list_library", "read"],
    ["tools/call", "describe_workflow", "read"],
    ["tools/call", "save_to_library", "write"],
    ["tools/call", "execute", "call"],
    ["tools/call", "files__read", "call"],
    ["tools/call", "files__list_library", "call"],
    ["tools/call", "mcp__math__sum", "call"],
    ["tools/call", "LIST_LIBRARY", "call"],
    ["tools/call", "__proto__", "call"],
    ["tools/call", undefined, "call"],
  ])("of %s %s is %s", (method, tool, permission) => {
    expect(permissionFor(method, tool)).toBe(permission);
  });

  it.each([
    "",
    "tasks/list",
    "tools/delete",
    "metrics",
    "constructor",
    "toString",
    "Tools/list",
    "notifications",
  ])("of %j, which is in no row, is admin", (method) => {
    expect(permissionFor(method, undefined)).toBe("admin");
  });

  it("has a row for every method that is passed to servers", () => {
    expect(FORWARDED_METHODS.length).toBeGreaterThan(0);
    for (const method of FORWARDED_METHODS)
      expect([method, permissionFor(method, undefined)]).toEqual([method, "read"]);
  });
});

describe("permissionsForCall", () => {
  it("asks for write too where a run is kept in the same call", () => {
    expect(permissionsForCall("execute", { code: "return 1", save_as: "math:one" })).toEqual([
      "call",
      "write",
    ]);
    expect(permissionsForCall("execute", { code: "return 1" })).toEqual(["call"]);
    expect(permissionsForCall("files__save", { save_as: "x" })).toEqual(["call"]);
    expect(permissionsForCall("save_to_library", {})).toEqual(["write"]);
    expect(permissionsForCall("list_library", {})).toEqual(["read"]);
    expect(permissionsForCall(undefined, {})).toEqual(["call"]);
  });
});

describe("T133: a token that lacks one scope", () => {
  it("is told of that scope alone", () => {
    const { status, challenge, message } = insufficientScope(
      "write",
      "tools.write",
      "https://mcp.example.com/.well-known/oauth-protected-resource/mcp",
    );
    expect(status).toBe(403);
    expect(challenge).toBe(
      'Bearer error="insufficient_scope", error_description="This token lacks the scope tools.write.", ' +
        'scope="tools.write", resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp"',
    );
    expect(message).toContain("tools.write");
    expect(`${challenge} ${message}`).not.toMatch(/\b(read|call|admin)\b/);
  });

  it("is told of no metadata where there is no issuer", () => {
    expect(insufficientScope("call", "call", undefined).challenge).not.toContain("resource_metadata");
  });

  it("cannot end the header's text, nor begin another header", () => {
    const { challenge } = insufficientScope("read", 'a"b\\c\r\nSet-Cookie: x', undefined);
    expect(challenge).toContain('scope="a\\"b\\\\c??Set-Cookie: x"');
    expect(challenge).not.toMatch(/[\r\n]/);
  });
});
