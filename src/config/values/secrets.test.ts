import { describe, expect, test } from "vitest";
import { findPlainSecrets } from "../../clients/import/plain-secrets.ts";
import type { ServerTransport } from "../config.ts";
import { describeConfig, describeSettingsForTrust } from "../describe.ts";
import { arrangeSecrets, collectSecrets, isSecretEntry, maskTransport } from "./secrets.ts";
import { requireConfig } from "../temp-project.testkit.ts";

const stdio = { kind: "stdio", command: "x", args: [], env: {} } as const;
const http = { kind: "http", url: "https://h", headers: {} } as const;
const api = { kind: "openapi", location: "/api.json", headers: {}, auth: {} } as const;

describe("collectSecrets", () => {
  test.each<[ServerTransport, string[]]>([
    [{ ...http, headers: { Authorization: "Bearer abc.def" } }, ["Bearer abc.def", "abc.def"]],
    [{ ...http, headers: { "x-api-key": "k1", Accept: "text/plain" } }, ["k1"]],
    [{ ...http, headers: { Cookie: "a=1st; session=2nd" } }, ["a=1st; session=2nd", "1st", "2nd"]],
    [{ ...http, url: "https://h/p?page=2&api_key=a%2Bb&sig=c#f" }, ["a%2Bb", "a+b", "c"]],
    [{ ...http, url: "https://h/?key=" }, []],
    [{ ...api, auth: { type: "bearer", token: "t1" }, headers: { "X-Api-Key": "k" } }, ["k", "t1"]],
    [{ ...api, auth: { type: "basic", username: "me", password: "p" } }, ["p"]],
    [{ ...api, auth: { type: "apiKey", in: "query", name: "key", value: "v" } }, ["v"]],
    [{ ...api, auth: { login: "me:pw", other: "o" } }, ["me:pw", "pw", "o"]],
    [{ ...api, location: "https://h/o.json?api_key=c" }, ["c"]],
    [{ ...stdio, env: { GITHUB_TOKEN: "t", PATH: "/bin", HOME: "/root", MAX_TOKENS: "5" } }, ["t"]],
    [{ ...stdio, env: { DATABASE: "postgres://me:p%40ss@db/x" } }, ["p%40ss", "p@ss"]],
    [{ ...stdio, args: ["--token", "t1", "--verbose", "v"] }, ["t1"]],
    [{ ...stdio, args: ["--token", "--verbose"] }, []],
    [{ ...stdio, args: ["--no-auth", "/srv"] }, []],
    [{ ...stdio, args: ["--api-key=t2", "-e", "SLACK_TOKEN=t3"] }, ["t2", "t3"]],
    [{ ...stdio, args: ["--header", "Authorization: Bearer t4"] }, ["Bearer t4", "t4"]],
    [{ ...stdio, args: ["postgresql://me:pw@db/x", "https://h/?access_token=t5"] }, ["pw", "t5"]],
    [{ ...stdio, args: ["https://h/a:b@c", "plain", "A=b", "key=v"] }, []],
    [{ ...stdio, args: [`ghp_${"a1".repeat(12)}`] }, [`ghp_${"a1".repeat(12)}`]],
    [{ ...stdio, env: { GH: `Use ghp_${"b2".repeat(12)}` } }, [`ghp_${"b2".repeat(12)}`]],
    [{ ...stdio, args: ["--settings", '{"user": "me", "db": {"password": "t6"}}'] }, ["t6"]],
    [{ ...stdio, args: ["--pass", "t7", "--key", "t8", "--port", "8080"] }, ["t7", "t8"]],
  ])("%j", (transport, expected) => {
    expect(new Set(collectSecrets(transport))).toEqual(new Set(expected));
  });
});

test("a secret is in the list once, the longest first, and never empty", () => {
  expect(arrangeSecrets(["b", "", "long", "b", " ", "a"])).toEqual(["long", "a", "b"]);
});

test("hides what it finds and keeps a reference", () => {
  const transport: ServerTransport = {
    ...stdio,
    args: ["--token", "${TOKEN}", "--password=p", "postgres://me:pw@db/x", "https://h/?token=${T}&a=1"],
    env: { A: "plain", B: "${B}", C: "x${C}", D: "${D:-literal}" },
  };
  expect(maskTransport(transport)).toEqual({
    ...stdio,
    args: [
      "--token",
      "${TOKEN}",
      "--password=[redacted]",
      "postgres://me:[redacted]@db/x",
      "https://h/?token=${T}&a=1",
    ],
    env: { A: "[redacted]", B: "${B}", C: "[redacted]", D: "[redacted]" },
  });
});

test("takes linear time over hostile arguments: quadratic, it would run for minutes", () => {
  const args = [
    "a=".repeat(200_000),
    "?a".repeat(200_000),
    `x://${":".repeat(400_000)}`,
    "-".repeat(400_000),
  ];
  expect(maskTransport({ ...stdio, args })).toMatchObject({ args });
});

test("a config knows the secrets of its variables wherever they are used, and no plain ones", () => {
  const config = requireConfig(
    {
      mcpServers: {
        a: {
          command: "${TOOL_SECRET}/x",
          args: ["${PLAIN}", "${MY_TOKEN:-default-token}"],
          env: { LEVEL: "low" },
        },
        b: { url: "https://h", headers: { "X-Any": "${SESSION_TOKEN}", "X-Plain": "visible" } },
      },
      log: { file: "/tmp/${LOG_PASSWORD}" },
    },
    { TOOL_SECRET: "s1", PLAIN: "plain", SESSION_TOKEN: "s2", LOG_PASSWORD: "s3" },
  );
  expect(config.secrets).toEqual(["default-token", "s1", "s2", "s3"]);
});

describe("the key of workflows.llm", () => {
  const key = "k".repeat(20);
  const llm = { url: "https://h/v1?sig=signed", model: "m", apiKey: "${MODEL}" };
  const config = () => requireConfig({ workflows: { llm } }, { MODEL: key });

  test("is expanded, and is a secret whatever its variable is called", () => {
    expect(config().workflows.llm?.apiKey).toBe(key);
    expect(config().secrets).toEqual([`Bearer ${key}`, key, "signed"]);
  });

  test("T136: does not show in a description, in JSON or in what is shown before trust", () => {
    const shown = [config().workflows, describeConfig(config()), describeSettingsForTrust(config())];
    expect(JSON.stringify(shown)).toContain('"model":"m"');
    expect(JSON.stringify(shown)).not.toContain(key);
  });
});

const VALUE = "f3Kq9Zt2Lw8Xb5Rm";

describe("N10: a variable or header that ends in KEY", () => {
  test.each([
    ["OPENAI_KEY", VALUE, true],
    ["SUPABASE_SERVICE_ROLE_KEY", VALUE, true],
    ["Ocp-Apim-Subscription-Key", VALUE, true],
    ["KEY", VALUE, true],
    ["GITHUB_TOKEN", "x", true],
    ["SORT_KEY", "created_at", false],
    ["HOT_KEY", "Ctrl+Shift+1", false],
    ["VAPID_PUBLIC_KEY", VALUE, false],
    ["SSL_KEY", "/etc/ssl/certs/host1.pem", false],
    ["MONKEY", VALUE, false],
  ])("%s=%s: %s", (name, value, isSecret) => {
    expect(isSecretEntry(name, value)).toBe(isSecret);
  });

  test("is named and moved with the other secrets of an entry", () => {
    const entry = { command: "x", env: { OPENAI_KEY: VALUE, SORT_KEY: "created_at" } };
    expect(findPlainSecrets("srv", entry).map(({ name }) => name)).toEqual(["OPENAI_KEY"]);
    const remote = { url: "https://h/", headers: { "Ocp-Apim-Subscription-Key": VALUE } };
    expect(findPlainSecrets("srv", remote).map(({ name }) => name)).toEqual(["Ocp-Apim-Subscription-Key"]);
  });

  test("is known to the redactor", () => {
    const remote = { kind: "http", url: "https://h/", headers: { "X-Functions-Key": VALUE } } as const;
    expect(collectSecrets(remote)).toContain(VALUE);
  });
});
