import { describe, expect, it } from "vitest";
import { findPlainSecrets } from "../../clients/import/plain-secrets.ts";
import { isSecretEntry } from "./secret-entry.ts";
import { collectSecrets } from "./secrets.ts";

const VALUE = "f3Kq9Zt2Lw8Xb5Rm";

describe("N10: a variable or header that ends in KEY", () => {
  it.each([
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

  it("is named and moved with the other secrets of an entry", () => {
    const entry = { command: "x", env: { OPENAI_KEY: VALUE, SORT_KEY: "created_at" } };
    expect(findPlainSecrets("srv", entry).map(({ name }) => name)).toEqual(["OPENAI_KEY"]);
    const remote = { url: "https://h/", headers: { "Ocp-Apim-Subscription-Key": VALUE } };
    expect(findPlainSecrets("srv", remote).map(({ name }) => name)).toEqual(["Ocp-Apim-Subscription-Key"]);
  });

  it("is known to the redactor", () => {
    const remote = { kind: "http", url: "https://h/", headers: { "X-Functions-Key": VALUE } } as const;
    expect(collectSecrets(remote)).toContain(VALUE);
  });
});
