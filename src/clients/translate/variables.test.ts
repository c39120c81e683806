import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expandText } from "../../config/values/expand.ts";
import { CLIENT_IDS, type ClientId } from "../client.ts";
import { createRewriting } from "./variables.ts";

const place = {
  platform: "linux",
  env: { SET: "s", word: "w" },
  homedir: "/home/dev",
  cwd: "/shop",
} as const;

function rewrite(client: ClientId, text: string) {
  const rewriting = createRewriting({ client, place, folder: "/shop" });
  return { text: rewriting.text(text), notes: rewriting.notes(), inputIds: rewriting.inputIds() };
}

describe("a variable becomes what our config understands", () => {
  test.each<[ClientId, string, string]>([
    ["claude", "a ${VAR} b", "a ${VAR} b"],
    ["claude", "${VAR:-x y}", "${VAR:-x y}"],
    ["claude", "${CLAUDE_PROJECT_DIR:-.}/x", "/shop/x"],
    ["cursor", "${env:VAR}", "${VAR}"],
    ["cursor", "${userHome}${/}a${pathSeparator}b", "/home/dev/a/b"],
    ["cursor", "${workspaceFolder}:${workspaceFolderBasename}", "/shop:shop"],
    ["vscode", "${env:VAR}-${input:id}", "${VAR}-${input:id}"],
    ["vscode", "${input:my key!}", "${input:my-key}"],
    ["windsurf", "Bearer ${env:VAR}", "Bearer ${VAR}"],
    ["gemini", "$VAR/${VAR}", "${VAR}/${VAR}"],
    ["gemini", "pa$word", "pa${word}"],
  ])("in %s: %s", (client, text, expected) => {
    expect(rewrite(client, text)).toMatchObject({ text: expected, notes: [] });
  });
});

describe("what a client does not expand stays the literal that it is", () => {
  test.each<[ClientId, string, string]>([
    ["claude", "$VAR", "$VAR"],
    ["claude-desktop", "${VAR} ${env:X}", "$${VAR} $${env:X}"],
    ["codex", "${VAR}", "$${VAR}"],
    ["cursor", "$VAR", "$VAR"],
    ["gemini", "pa$notset $5", "pa$notset $5"],
  ])("in %s: %s", (client, text, expected) => {
    expect(rewrite(client, text)).toMatchObject({ text: expected, notes: [] });
  });

  test.each<[ClientId, string]>([
    ["claude", "${env:VAR}"],
    ["cursor", "${VAR}"],
    ["vscode", "${command:pick}"],
    ["windsurf", "${file:/secret}"],
    ["gemini", "${a b}"],
  ])("in %s, %s gets a note, because a variable may be meant", (client, text) => {
    const { text: written, notes } = rewrite(client, text);
    expect(written).toBe(text.replaceAll("${", () => "$${"));
    expect(notes).toEqual([`${JSON.stringify(text)} has no meaning in Repertoire, so it is kept as it is.`]);
  });

  test("a note shows no default, which may be a secret", () => {
    expect(rewrite("cursor", "${VAR:-fake-token-for-tests-0001}").notes).toEqual([
      'A "${…}" has no meaning in Repertoire, so it is kept as it is.',
    ]);
  });
});

test("a dollar before a variable cannot be written, and is said", () => {
  expect(rewrite("claude", "$${VAR}")).toMatchObject({
    text: "$$${VAR}",
    notes: ['"${VAR}" is kept as it is, because a "$" comes right before it.'],
  });
});

test("T137: whatever a client's file has, our config reads it without a complaint", () => {
  const piece = fc.constantFrom(
    "$",
    "{",
    "}",
    "${",
    "$${",
    "env:",
    "input:",
    "VAR",
    ":-",
    "/",
    "userHome",
    "word",
    " ",
  );
  const text = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.constantFrom(...CLIENT_IDS), text, (client, written) => {
      expect(expandText(rewrite(client, written).text, place.env).problems).toEqual([]);
    }),
  );
});

test("T137: what expands nothing means the same text here", () => {
  fc.assert(
    fc.property(fc.constantFrom<ClientId>("codex", "claude-desktop"), fc.string(), (client, written) => {
      expect(expandText(rewrite(client, written).text, place.env).text).toBe(written);
    }),
  );
});

test("takes linear time over a megabyte of unclosed references, and says little", () => {
  const { notes } = rewrite("vscode", "${a".repeat(300_000) + "${x}".repeat(1000));
  expect(notes.length).toBeLessThanOrEqual(20);
});
