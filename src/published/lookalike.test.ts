import { describe, expect, it } from "vitest";
import { findLookalikeName, plainLettersOf, WELL_KNOWN_NAMES, type KnownName } from "./lookalike.ts";

const ACME: KnownName = { name: "io.github.acme/notes", from: "configured" };
const LISTED: KnownName = { name: "io.github.acme/notes", from: "registry" };

describe("T165: a name is nearly that of another server", () => {
  it.each([
    ["by one letter more", "io.github.acmee/notes"],
    ["by one letter less", "io.github.acm/notes"],
    ["by two letters in the other order", "io.github.amce/notes"],
    ["by rn for m", "io.github.acrne/notes"],
    ["by a hyphen", "io.github.ac-me/notes"],
    ["by an underscore and a dot", "io.github.ac.me/no_tes"],
    ["by its case and a digit", "io.github.acme0/notes"],
    ["by its namespace and its name swapped", "io.github.notes/acme"],
  ])("%s", (_, asked) => {
    expect(findLookalikeName(asked, [ACME])).toBe(ACME);
    expect(findLookalikeName(asked, [LISTED])).toBe(LISTED);
  });

  it.each([
    ["l for 1", "com.examp1e/tools", "com.example/tools"],
    ["o for 0", "com.foo/t00ls", "com.f00/tools"],
    ["l for I", "com.exampIe/tools", "com.example/tools"],
  ])("with %s", (_, asked, name) => {
    expect(findLookalikeName(asked, [{ name, from: "registry" }])?.name).toBe(name);
  });

  it("by its namespace alone, where the other is configured or well known", () => {
    expect(findLookalikeName("io.github.evil/notes", [ACME])).toBe(ACME);
    expect(findLookalikeName("io.github.evil/notes", [LISTED])).toBeUndefined();
    expect(findLookalikeName("io.github.evil/github-mcp-server", WELL_KNOWN_NAMES)?.name).toBe(
      "io.github.github/github-mcp-server",
    );
    expect(findLookalikeName("com.acme/mcp", WELL_KNOWN_NAMES)).toBeUndefined();
  });

  it("and not: itself, another of one publisher, or one that is known", () => {
    expect(findLookalikeName("io.github.acme/notes", [ACME, LISTED])).toBeUndefined();
    expect(findLookalikeName("io.github.acme/notes2", [ACME])).toBeUndefined();
    expect(findLookalikeName("com.example/weather", [ACME, ...WELL_KNOWN_NAMES])).toBeUndefined();
    for (const { name } of WELL_KNOWN_NAMES)
      expect(findLookalikeName(name, WELL_KNOWN_NAMES)).toBeUndefined();
  });
});

it("T165: letters of other alphabets are read as those that they look like", () => {
  expect(plainLettersOf("io.github.асме/nоtes")).toBe("io.github.acme/notes");
  expect(plainLettersOf("ｉｏ.github.acme/notes")).toBe("io.github.acme/notes");
  expect(plainLettersOf("io.github.acme/nötes")).toBe("io.github.acme/notes");
  expect(plainLettersOf("io.github.ac‑me/notes")).toBe("io.github.ac-me/notes");
});
