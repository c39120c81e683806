import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createRedactor,
  HINTS,
  isSecretKey,
  KNOWN_SECRET_LENGTH_MIN,
  PATTERNS,
  REDACTED,
  UNREDACTABLE,
} from "./redaction.ts";

const plain = createRedactor();

/** A marker that no test value contains by chance. */
const canary = fc.stringMatching(/^CANARY[A-Za-z0-9+/%"\\ é]{6,20}$/);
const secretKey = fc.constantFrom(
  "password",
  "apiKey",
  "GITHUB_TOKEN",
  "Authorization",
  "client-secret",
  "privateKey",
  "set-cookie",
);

describe("secret keys", () => {
  it.each([
    "password",
    "passwd",
    "DB_PASSWORD",
    "GITHUB_TOKEN",
    "accessToken",
    "accesstoken",
    "apiKey",
    "x-api-key",
    "OPENAI_API_KEY",

    "Authorization",
    "Proxy-Authorization",
    "Cookie",
    "Set-Cookie",
    "clientSecret",
    "secretAccessKey",
    "AWS_ACCESS_KEY_ID",

    "private_key",
    "sshKey",
    "GITHUB_PAT",
    "basicAuth",
    "auth",
    "DATABASE_DSN",
    "sessionId",
    "jwt",
    "credentials",
  ])("include %s", (key) => expect(isSecretKey(key)).toBe(true));

  it.each([
    "max_tokens",
    "tokens",
    "token_count",
    "key",
    "keys",
    "primary_key",
    "sort_key",
    "publicKey",
    "monkey",
    "author",
    "path",
    "PATH",
    "pattern",
    "secretary",
    "description",
    "name",
    "",
  ])("do not include %j", (key) => expect(isSecretKey(key)).toBe(false));
});

describe("by key", () => {
  it("blots out whatever stands under a secret key, at any depth, and keeps the rest", () => {
    const input = {
      user: "ann",
      list: [{ apiKey: "abc", n: 1 }],
      auth: { user: "x", pass: "y" },
      token: "",
      password: null,
    };
    expect(plain.value(input)).toEqual({
      user: "ann",
      list: [{ apiKey: REDACTED, n: 1 }],
      auth: REDACTED,
      token: "",
      password: null,
    });
  });

  it("understands a key that stands in a field of its own", () => {
    expect(
      plain.value([
        { name: "Authorization", value: "abc" },
        { name: "Accept", value: "json" },
      ]),
    ).toEqual([
      { name: "Authorization", value: REDACTED },
      { name: "Accept", value: "json" },
    ]);
  });
});

describe("by value pattern", () => {
  it.each([
    ["an API key", `key sk-${"ABCDEFGH12".repeat(3)} used`],
    ["a GitHub token", `gho_${"abcdefgh12".repeat(4)}`],
    ["an AWS key id", "id AKIAIOSFODNN7EXAMPLE"],
    ["a JWT", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"],
    ["a Slack token", "xoxb-123456789012-abcdefGHIJKL"],
    ["a bearer header", "Authorization: Bearer abcdefgh12345678"],
    ["a password in a URL", "postgres://ann:hunter2hunter@db/x"],
    ["a query parameter", "https://x/y?access_token=abcdefgh123&z=1"],
    ["a private key", "-----BEGIN RSA PRIVATE KEY-----\nMIIEabc\n-----END RSA PRIVATE KEY-----"],
    ["an unfinished private key", "-----BEGIN PRIVATE KEY-----\nMIIEabc"],
  ])("blots out %s", (_, text) => {
    const output = plain.text(text);
    expect(output).toContain(REDACTED);
    for (const part of ["ABCDEFGH", "abcdefgh", "hunter2", "MIIE", "AKIA", "c2lnbm", "abcdefGH"])
      expect(output).not.toContain(part);
  });

  it("leaves ordinary text alone", () => {
    const text =
      "Basic training at https://example.com:8080/a?page=2 costs 3 tokens; see sk-1 and task-force-one-two-three.";
    expect(plain.text(text)).toBe(text);
  });
});

describe("by known value", () => {
  it("finds a canary in texts, keys, errors and nested data, plain or encoded", () => {
    fc.assert(
      fc.property(canary, fc.string(), fc.jsonValue({ maxDepth: 3 }), (secret, noise, rest) => {
        const redactor = createRedactor([secret]);
        const base64 = Buffer.from(secret).toString("base64");
        const input = {
          text: `${noise}${secret}${noise}`,
          [`k${secret}`]: 1,
          encoded: [base64, encodeURIComponent(secret), JSON.stringify({ secret })],
          error: new Error(`failed with ${secret}`, { cause: secret }),
          rest: [rest, { deep: { deeper: secret } }],
          map: new Map([["x", secret]]),
          set: new Set([secret]),
        };
        const output = JSON.stringify(redactor.value(input));
        for (const form of [
          secret,
          JSON.stringify(secret).slice(1, -1),
          base64.replace(/=+$/, ""),
          encodeURIComponent(secret),
        ]) {
          expect(output).not.toContain(form);
        }
      }),
    );
  });

  it("finds a canary under a secret key without knowing it", () => {
    fc.assert(
      fc.property(canary, secretKey, fc.jsonValue({ maxDepth: 3 }), (secret, key, rest) => {
        const output = JSON.stringify(
          plain.value({ a: [{ [key]: secret, rest }], [key]: { inner: [secret] } }),
        );
        expect(output).not.toContain("CANARY");
      }),
    );
  });

  it("removes the longer of two secrets that overlap", () => {
    expect(createRedactor(["secret-abc", "secret-abc-def"]).text("x secret-abc-def y")).toBe(
      `x ${REDACTED} y`,
    );
  });

  it("T158: leaves values alone that are too short to be told from words", () => {
    const redactor = createRedactor(["a", "true", "123456", "1234567"]);
    expect(redactor.text("a true story of 1234567")).toBe("a true story of 1234567");
    expect(createRedactor(["12345678"]).text("of 12345678")).toBe(`of ${REDACTED}`);
    expect(KNOWN_SECRET_LENGTH_MIN).toBe(8);
  });

  it("is idempotent, and leaves data without secrets as it was", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const once = plain.value(value);
        expect(plain.value(once)).toEqual(once);
      }),
    );
    const harmless = { a: [1, "x", { b: null, c: true }], "": "y" };
    expect(plain.value(harmless)).toEqual(harmless);
  });
});

describe("T157: hostile values", () => {
  const throwing = {
    ok: 1,
    get bad(): never {
      throw new Error("no");
    },
  };
  const cyclic: Record<string, unknown> = { a: 1 };
  cyclic["self"] = cyclic;

  it.each([
    ["a getter that throws", throwing],
    [
      "a proxy that throws",
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error("no");
          },
        },
      ),
    ],
  ])("%s replaces the whole value", (_, value) => {
    expect(plain.value(value)).toBe(UNREDACTABLE);
  });

  it("a cycle ends at the depth limit", () => {
    const text = JSON.stringify(plain.value(cyclic));
    expect(text).toContain(UNREDACTABLE);
    expect(text.length).toBeLessThan(2_000);
  });

  it("depth 100,000 and a million items are cut", () => {
    expect(JSON.stringify(plain.value(JSON.parse("[".repeat(100_000) + "]".repeat(100_000))))).toContain(
      UNREDACTABLE,
    );
    const list = plain.value(Array.from({ length: 1_000_000 }, () => "x")) as unknown[];
    expect(list.at(-1)).toBe(UNREDACTABLE);
    expect(list.length).toBeLessThan(200_000);
  });

  it("a text beyond the limit is not shown at all", () => {
    expect(plain.text("x".repeat(10 * 1024 * 1024))).toBe("[unredactable: 10485760 characters]");
  });

  it.each([
    "eyJ-",
    "ghp_",
    "sk-",
    "a://b:",
    "-----BEGIN PRIVATE KEY-----",
    "Bearer ",
    "token=",
    "_token",
    "xoxb-",
  ])("a megabyte of %j takes no more than linear time", (unit) => {
    const time = (length: number) => {
      const text = unit.repeat(length / unit.length);
      const start = performance.now();
      plain.text(text);
      return performance.now() - start;
    };
    time(1_000);
    const small = Math.max(time(100_000), time(100_000), 1);
    // Ten times the text: a quadratic pattern would take a hundred times as long.
    expect(time(1_000_000)).toBeLessThan(small * 40 + 200);
  });

  it("binary, dates, functions and bigints become harmless text", () => {
    const value = {
      b: Buffer.from("secret"),
      d: new Date(0),
      bad: new Date(Number.NaN),
      f: () => 1,
      n: 1n,
      s: Symbol("x"),
    };
    expect(plain.value(value)).toEqual({
      b: "[6 bytes]",
      d: "1970-01-01T00:00:00.000Z",
      bad: null,
      f: "[function]",
      n: "1",
      s: "[symbol]",
    });
  });

  it("does not let __proto__ reach a prototype", () => {
    const output = plain.value(JSON.parse(`{"__proto__": {"polluted": 1}}`)) as object;
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(JSON.stringify(output)).toBe(`{"__proto__":{"polluted":1}}`);
  });
});

it.each(PATTERNS.map(({ find }) => [String(find), find] as const))(
  "%s finds nothing without its hint",
  (_, find) => {
    // The hints do not mind the case, so one case of each text will do.
    const pattern = new RegExp(find.source.replaceAll(String.raw`\b`, ""));
    fc.assert(fc.property(fc.stringMatching(pattern), (text) => HINTS.test(text)));
  },
);
