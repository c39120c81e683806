import { describe, expect, it } from "vitest";
import { findPackageRun, withVersion } from "./package-run.ts";

const DIGEST = "a".repeat(64);
const find = (line: string) => {
  const [command = "", ...args] = line.split(" ");
  return findPackageRun(command, args);
};

describe("the package that a command runs", () => {
  it.each([
    ["npx -y @scope/server", { kind: "npm", name: "@scope/server", isExact: false, at: 1 }],
    ["npx -y server@1.2.3 /tmp", { kind: "npm", name: "server", version: "1.2.3", isExact: true, at: 1 }],
    ["npx server@1.2.3-beta.1+b", { version: "1.2.3-beta.1+b", isExact: true, at: 0 }],
    ["npx -y server@latest", { version: "latest", isExact: false }],
    ["npx -y server@^1.2.3", { version: "^1.2.3", isExact: false }],
    ["npx -y server@1.2", { version: "1.2", isExact: false }],
    ["npx -y -p @s/pkg bin", { name: "@s/pkg", at: 2 }],
    ["npx --package=@s/pkg@1.0.0 bin", { name: "@s/pkg", version: "1.0.0", isExact: true, at: 0 }],
    ["npx --registry http://x server", { name: "server", at: 2 }],
    ["/usr/local/bin/npx -y -- server", { name: "server", at: 2 }],
    ["C:\\nodejs\\npx.cmd -y server", { name: "server" }],
    ["npm exec -y server", { name: "server", at: 2 }],
    ["pnpm dlx server@1.0.0", { name: "server", isExact: true, at: 1 }],
    ["bun x server", { name: "server", at: 1 }],
    ["env A=1 npx -y server", { name: "server", at: 3 }],
    ["uvx mcp-server-git --repository /x", { kind: "pypi", name: "mcp-server-git", isExact: false, at: 0 }],
    ["uvx mcp-server-git==1.2.3", { version: "1.2.3", isExact: true }],
    ["uvx mcp-server-git@1.2", { version: "1.2", isExact: true }],
    ["uvx mcp-server-git@latest", { version: "latest", isExact: false }],
    ["uvx mcp-server-git>=1.2", { name: "mcp-server-git", isExact: false }],
    ["uvx --from pkg[cli]==2.0 tool", { name: "pkg", version: "2.0", isExact: true, at: 1 }],
    ["uv tool run pkg", { kind: "pypi", name: "pkg", at: 2 }],
    ["pipx run pkg", { kind: "pypi", name: "pkg", at: 1 }],
    ["docker run -i --rm -e TOKEN mcp/fetch", { kind: "image", name: "mcp/fetch", isExact: false, at: 5 }],
    ["docker run ghcr.io/o/server:1.2", { name: "ghcr.io/o/server", version: "1.2", isExact: false }],
    [
      `docker run localhost:5000/o/server@sha256:${DIGEST}`,
      { name: "localhost:5000/o/server", isExact: true },
    ],
    [`podman run o/server:1@sha256:${DIGEST}`, { version: DIGEST, isExact: true }],
  ])("of %s is known", (line, expected) => {
    expect(find(line)).toMatchObject(expected);
  });

  it.each([
    "node server.js",
    "npm start",
    "uv run server.py",
    "docker ps",
    "npx",
    "npx -y",
    "npx -y ./local",
    "npx -y https://example.com/x.tgz",
    "npx -y github:o/r",
    "npx -y ${PACKAGE}",
  ])("of %s is not", (line) => {
    expect(find(line)).toBeUndefined();
  });

  it("is found in hostile words without delay", () => {
    const word = `${"a-".repeat(50_000)}@${"1.".repeat(50_000)}`;
    for (const command of ["npx", "uvx"]) expect(findPackageRun(command, [word])).toBeUndefined();
    expect(findPackageRun("docker", ["run", "a/".repeat(50_000)])).toBeUndefined();
  });

  it("gets an exact version in its place", () => {
    const args = ["-y", "server@latest", "/tmp"];
    expect(withVersion(args, findPackageRun("npx", args)!, "1.2.3")).toEqual(["-y", "server@1.2.3", "/tmp"]);
    const named = ["--package=@s/pkg", "bin"];
    expect(withVersion(named, findPackageRun("npx", named)!, "2.0.0")).toEqual([
      "--package=@s/pkg@2.0.0",
      "bin",
    ]);
  });
});
