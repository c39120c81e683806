import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { workedMs } from "../../test/rig/worked.ts";
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

  it("understands a key in a field of its own", () => {
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

describe("by key in a text", () => {
  const inner = JSON.stringify({ user: "ann", password: 'CANARY "quoted" \\ end', n: 1 });
  it.each([
    ["JSON", `400 ${inner}`],
    ["JSON in a text of JSON", JSON.stringify({ body: inner })],
    ["a dict of Python", "KeyError {'user': 'ann', 'api_key': 'CANARY-1'}"],
    ["JSON that was cut off", '{"user": "ann", "access_token": "CANARY-cut-o'],
  ])("S18: takes the value of a secret out of %s, and leaves the rest", (_, text) => {
    const redacted = plain.text(text);
    expect(redacted).not.toMatch(/CANARY|quoted/);
    expect(redacted).toContain(REDACTED);
    expect(redacted).toContain("ann");
  });

  it("leaves names alone that mean no secret", () => {
    const text = '{"max_tokens": "12345678", "pattern": "x", "key": "sort"}';
    expect(plain.text(text)).toBe(text);
  });
});

describe("data", () => {
  const redactor = createRedactor(["S3cret-value", "postgres", "12345678"]);

  it("D9: is masked by known values alone, in texts and keys", () => {
    const data = { next_page_token: "abc", "S3cret-value": [{ text: "x S3cret-value y" }], password: "p" };
    expect(redactor.mask(data)).toEqual({
      next_page_token: "abc",
      [REDACTED]: [{ text: `x ${REDACTED} y` }],
      password: "p",
    });
  });

  it("T158: keeps words and numbers that are also somebody's password", () => {
    const data = { text: "postgres listens on 12345678" };
    expect(redactor.mask(data)).toBe(data);
  });

  it("is the very same where there is nothing to hide, and without known secrets it is not looked at", () => {
    const data = JSON.parse('{"__proto__": {"a": 1}, "list": [1, null, true, "x"]}') as object;
    expect(redactor.mask(data)).toBe(data);
    const unreadable = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("looked at");
        },
      },
    );
    expect(plain.mask(unreadable)).toBe(unreadable);
  });

  it("T157: has no more than a thousand levels", () => {
    let deep: unknown = "S3cret-value";
    for (let level = 0; level < 5_000; level++) deep = [deep];
    const masked = JSON.stringify(redactor.mask(deep));
    expect(masked).toContain(UNREDACTABLE);
    expect(masked).not.toContain("S3cret");
  });

  it("does not let __proto__ reach a prototype", () => {
    const masked = redactor.mask(JSON.parse('{"__proto__": {"polluted": "S3cret-value"}}') as object);
    expect(JSON.stringify(masked)).toBe(`{"__proto__":{"polluted":"${REDACTED}"}}`);
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

  const ODD = `CANARY ä"\\/?&+~${"q7Z".repeat(4)}`;
  const bytes = Buffer.from(ODD);
  it.each([
    ["in hex", bytes.toString("hex")],
    ["in hex with capitals", bytes.toString("hex").toUpperCase()],
    [
      "percent-encoded with small digits",
      encodeURIComponent(ODD).replace(/%../g, (byte) => byte.toLowerCase()),
    ],
    ["in the body of a form", new URLSearchParams({ k: ODD }).toString().slice(2)],
    [
      "in JSON of ASCII alone",
      JSON.stringify(ODD)
        .slice(1, -1)
        .replace("ä", String.raw`\u00e4`),
    ],
    ["in JSON of PHP", JSON.stringify(ODD).slice(1, -1).replaceAll("/", "\\/")],
    ["in JSON of Go", JSON.stringify(ODD).slice(1, -1).replaceAll("&", "\\u0026")],
    ["in a path of Python", encodeURIComponent(ODD).replaceAll("%2F", "/")],
    ["in base64 behind one byte", Buffer.from(`:${ODD}`).toString("base64")],
    ["in base64 behind two bytes", Buffer.from(`a:${ODD}`).toString("base64")],
  ])("S18: finds a known secret %s", (_, form) => {
    const redactor = createRedactor([ODD]);
    expect(redactor.text(`<${form}>`)).not.toContain(form);
    expect(redactor.mask({ a: [`<${form}>`] }).a[0]).not.toContain(form);
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
      return workedMs(() => void plain.text(text));
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
