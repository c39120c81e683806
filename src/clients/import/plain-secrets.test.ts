import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { expandText } from "../../config/values/expand.ts";
import { findPlainSecrets, withInputs } from "./plain-secrets.ts";
import { escapeText } from "../translate/references.ts";

const TOKEN = "fake-token-for-tests-0001";

/** The entry with its secrets moved, and what was moved. */
function move(entry: JsonObject): { entry: JsonObject; values: Record<string, string> } {
  const moved = withInputs(entry, findPlainSecrets("srv", entry));
  return { entry: moved.entry, values: Object.fromEntries(moved.values) };
}

describe("a secret in plain text becomes an input", () => {
  test.each<[string, JsonObject, JsonObject, Record<string, string>]>([
    [
      "of a variable with a secret name",
      { command: "x", env: { API_TOKEN: TOKEN, MODE: "fast" } },
      { command: "x", env: { API_TOKEN: "${input:srv-API_TOKEN}", MODE: "fast" } },
      { "srv-API_TOKEN": TOKEN },
    ],
    [
      "of a variable whose value has a password in it",
      { command: "x", env: { DATABASE: `postgres://me:${TOKEN}@host/db` } },
      { command: "x", env: { DATABASE: "${input:srv-DATABASE}" } },
      { "srv-DATABASE": `postgres://me:${TOKEN}@host/db` },
    ],
    [
      "of a header, without its scheme",
      { url: "https://h/", headers: { Authorization: `Bearer ${TOKEN}`, "X-Api-Key": TOKEN } },
      {
        url: "https://h/",
        headers: {
          Authorization: "Bearer ${input:srv-Authorization}",
          "X-Api-Key": "${input:srv-X-Api-Key}",
        },
      },
      { "srv-Authorization": TOKEN, "srv-X-Api-Key": TOKEN },
    ],
    [
      "of flags in either spelling, and of one for docker",
      {
        command: "x",
        args: [`--api-key=${TOKEN}`, "--token", TOKEN, "-e", `MY_SECRET=${TOKEN}`, "--plain", "y"],
      },
      {
        command: "x",
        args: [
          "--api-key=${input:srv-api-key}",
          "--token",
          "${input:srv-token}",
          "-e",
          "MY_SECRET=${input:srv-MY_SECRET}",
          "--plain",
          "y",
        ],
      },
      { "srv-api-key": TOKEN, "srv-token": TOKEN, "srv-MY_SECRET": TOKEN },
    ],
    [
      "of a header on the command line",
      { command: "x", args: ["--header", `Authorization: Bearer ${TOKEN}`] },
      { command: "x", args: ["--header", "Authorization: Bearer ${input:srv-Authorization}"] },
      { "srv-Authorization": TOKEN },
    ],
    [
      "of an argument that is an address",
      { command: "x", args: [`postgres://me:${TOKEN}@host/db`] },
      { command: "x", args: ["postgres://me:${input:srv-password}@host/db"] },
      { "srv-password": TOKEN },
    ],
    [
      "of the query of a url, twice under one name",
      { url: `https://h/mcp?key=${TOKEN}&page=1&key=other-${TOKEN}` },
      { url: "https://h/mcp?key=${input:srv-key}&page=1&key=${input:srv-key_2}" },
      { "srv-key": TOKEN, "srv-key_2": `other-${TOKEN}` },
    ],
    [
      "of a login",
      { url: "https://h/", oauth: { clientId: "id", clientSecret: TOKEN } },
      { url: "https://h/", oauth: { clientId: "id", clientSecret: "${input:srv-clientSecret}" } },
      { "srv-clientSecret": TOKEN },
    ],
    [
      "that looks like a credential wherever it stands",
      { url: `https://h/mcp/sk-${"x".repeat(20)}/events` },
      { url: "https://h/mcp/${input:srv-url}/events" },
      { "srv-url": `sk-${"x".repeat(20)}` },
    ],
  ])("%s", (_, entry, expected, values) => {
    expect(move(entry)).toEqual({ entry: expected, values });
  });
});

test.each<JsonObject>([
  { command: "x", env: { API_TOKEN: "${API_TOKEN}", OTHER_TOKEN: "${input:a}", EMPTY_TOKEN: "" } },
  {
    command: "x",
    env: { USE_AUTH: "true", AUTH: "0", GOOGLE_APPLICATION_CREDENTIALS: "/home/dev/key.json" },
  },
  { command: "x", args: ["--no-token", "y", "--max-tokens=10", "--token", "--verbose"] },
  { url: "https://h/mcp?page=1", headers: { Authorization: "Bearer ${T}", Accept: "text/plain" } },
  { command: "x", env: { API_TOKEN: 5 }, args: [null], headers: "no" },
])("there is none in %j", (entry) => {
  expect(findPlainSecrets("srv", entry)).toEqual([]);
});

test("only the secrets that are chosen move", () => {
  const entry = { command: "x", env: { A_TOKEN: TOKEN, B_TOKEN: TOKEN } };
  const secrets = findPlainSecrets("srv", entry).filter(({ name }) => name === "B_TOKEN");
  expect(withInputs(entry, secrets).entry).toEqual({
    command: "x",
    env: { A_TOKEN: TOKEN, B_TOKEN: "${input:srv-B_TOKEN}" },
  });
});

test("an id that is taken is not suggested", () => {
  const entry = { command: "x", env: { TOKEN } };
  const [secret] = findPlainSecrets("srv", entry, new Set(["srv-TOKEN"]));
  expect(secret?.suggestedInput).toBe("srv-TOKEN_2");
});

test("what is kept is the literal: filled in, it gives the text that was there", () => {
  const value = fc.array(fc.constantFrom("$", "{", "}", "${", "a", "-", "secret"), {
    minLength: 1,
    maxLength: 8,
  });
  fc.assert(
    fc.property(value, (parts) => {
      const written = escapeText(`fake-${parts.join("")}`);
      const { entry, values } = move({ command: "x", env: { TOKEN: written } });
      expect(entry).toMatchObject({ env: { TOKEN: "${input:srv-TOKEN}" } });
      expect(values["srv-TOKEN"]).toBe(expandText(written, {}).text);
    }),
  );
});

test.each(["${X}", "${env:X}", "${X:-none}", "$TOKEN", "%TOKEN%", "{{token}}", "<your token>"])(
  "C6: %s under the name of a secret is a placeholder, and no secret",
  (text) => {
    const entry = { command: "x", args: ["--token", escapeText(text)], env: { TOKEN: escapeText(text) } };
    const remote = { url: "https://h/", headers: { Authorization: `Bearer ${escapeText(text)}` } };
    expect([findPlainSecrets("srv", entry), findPlainSecrets("srv", remote)]).toEqual([[], []]);
  },
);

test.each(["$ecret-password", "{{half", "pa$$word-of-mine", "a<b>c-and-more"])(
  "a password may look a little like one: %s",
  (text) => {
    expect(move({ command: "x", env: { TOKEN: text } }).values).toEqual({ "srv-TOKEN": text });
  },
);
