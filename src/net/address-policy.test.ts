import { describe, expect, it } from "vitest";
import { createAddressPolicy, RefusedUrl, type AddressPolicy } from "./address-policy.ts";

/** A policy for a server at this URL, in a world with these names; a name with several lists answers each in turn. */
function policyFor(configured: string, names: Record<string, readonly (readonly string[])[]> = {}) {
  const asked = new Map<string, number>();
  return createAddressPolicy(new URL(configured), async (hostname) => {
    const answers = names[hostname];
    if (answers === undefined) throw new Error("ENOTFOUND");
    const turn = asked.get(hostname) ?? 0;
    asked.set(hostname, turn + 1);
    const addresses = answers[Math.min(turn, answers.length - 1)]!;
    return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  });
}

async function isRefused(policy: AddressPolicy, url: string): Promise<boolean> {
  try {
    await policy.check(new URL(url));
    return false;
  } catch (error) {
    expect(error).toBeInstanceOf(RefusedUrl);
    return true;
  }
}

const NAMES = {
  "mcp.example": [["93.184.216.34"]],
  "as.example": [["93.184.216.35"]],
  "inside.example": [["10.0.0.9"]],
  "here.example": [["127.0.0.1", "::1"]],
  "meta.example": [["169.254.169.254"]],
  "mixed.example": [["93.184.216.34", "10.0.0.9"]],
  localhost: [["127.0.0.1", "::1"]],
};

describe("T085: the server's own address is the user's word", () => {
  it.each([
    "https://mcp.example/mcp",
    "http://mcp.example/mcp",
    "http://inside.example/mcp",
    "http://localhost:3000/mcp",
    "http://127.0.0.1:3000/mcp",
    "http://[::1]:3000/mcp",
    "http://10.0.0.1/mcp",
    "http://169.254.10.10/mcp",
  ])("%s is reached", async (url) => {
    expect(await isRefused(policyFor(url, NAMES), url)).toBe(false);
  });

  it("a name that leads to a metadata service is not", async () => {
    const url = "https://meta.example/mcp";
    expect(await isRefused(policyFor(url, NAMES), url)).toBe(true);
  });
});

describe("T086: what a server names is not nearer to us than the server is", () => {
  it.each([
    ["https://mcp.example", "https://as.example/token", false],
    ["https://mcp.example", "http://as.example/token", true],
    ["https://mcp.example", "http://mcp.example/token", true],
    ["https://mcp.example", "https://inside.example/", true],
    ["https://mcp.example", "https://here.example/", true],
    ["https://mcp.example", "https://mixed.example/", true],
    ["https://mcp.example", "http://127.0.0.1/", true],
    ["https://mcp.example", "http://2130706433/", true],
    ["https://mcp.example", "http://0x7f.1/", true],
    ["https://mcp.example", "http://[::ffff:a9fe:a9fe]/", true],
    ["https://mcp.example", "https://169.254.169.254/", true],
    ["https://mcp.example", "https://user:pw@as.example/", true],
    ["https://mcp.example", "file:///etc/passwd", true],
    ["https://mcp.example", "javascript:alert(1)", true],
    ["http://mcp.example", "https://mcp.example/token", false],
    ["http://mcp.example", "https://inside.example/", true],
    ["http://127.0.0.1:3000", "http://127.0.0.1:4000/", false],
    ["http://127.0.0.1:3000", "http://localhost:4000/", false],
    ["http://localhost:3000", "http://[::1]:4000/", false],
    ["http://127.0.0.1:3000", "https://as.example/", false],
    ["http://127.0.0.1:3000", "https://inside.example/", true],
    ["http://127.0.0.1:3000", "http://169.254.169.254/", true],
    ["http://127.0.0.1:3000", "http://0.0.0.0:4000/", true],
    ["https://inside.example", "https://10.0.0.77/", false],
    ["https://inside.example", "https://here.example/", true],
    ["https://inside.example", "http://10.0.0.77/", true],
    ["http://169.254.10.10", "https://169.254.169.254/", true],
  ])("a server at %s names %s: refused is %s", async (configured, named, refused) => {
    const policy = policyFor(configured, NAMES);
    expect(await isRefused(policy, named)).toBe(refused);
  });
});

it("T085: a name that answers differently the second time is not asked a second time", async () => {
  const policy = policyFor("https://mcp.example", {
    ...NAMES,
    "turns.example": [["93.184.216.35"], ["127.0.0.1"]],
  });
  const found = await new Promise((resolve, reject) => {
    policy.lookupFor(new URL("https://turns.example/"))("turns.example", { all: true }, (error, addresses) =>
      error === null ? resolve(addresses) : reject(error),
    );
  });
  expect(found).toEqual([{ address: "93.184.216.35", family: 4 }]);
  expect(await isRefused(policy, "https://turns.example/")).toBe(true);
});

it("T085: a server that was public once opens no way to this machine by changing its name's address", async () => {
  const policy = policyFor("http://turns.example", { "turns.example": [["93.184.216.34"], ["127.0.0.1"]] });
  expect(await isRefused(policy, "http://turns.example/mcp")).toBe(false);
  expect(await isRefused(policy, "http://127.0.0.1:6379/")).toBe(true);
  expect(await isRefused(policy, "http://turns.example/mcp")).toBe(false);
  expect(await isRefused(policy, "http://127.0.0.1:6379/")).toBe(true);
  expect(await isRefused(policy, "http://turns.example:6379/")).toBe(true);
});
