import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/fixtures/temporary.ts";
import { createRedactors } from "../text/redactors.ts";
import { createKnownSecrets, openSecretStore } from "./secrets.ts";

function openKnown(config: readonly string[] = ["from-the-config"]) {
  const known = createKnownSecrets({ current: () => ({ secrets: config }) });
  const open = () => openSecretStore({ home: temporaryFolder(), env: { REPERTOIRE_KEYRING: "off" } });
  return { known, redactors: createRedactors(() => known.all()), open };
}

const LOGIN = JSON.stringify({
  issuer: "https://issuer.example",
  tokens: { access_token: "CANARY-access", refresh_token: "CANARY-refresh", scope: "read" },
  client: { client_id: "public-client", client_secret: "CANARY-client" },
});

describe("D9: the secrets of the home", () => {
  it("are known once they were written or read, and nothing else of a login is", async () => {
    const { known, redactors, open } = openKnown();
    const store = open();
    await store.set("oauth one", LOGIN);
    expect(redactors.current().mask("CANARY-access")).toBe("CANARY-access");
    expect(await known.watch(store).get("oauth one")).toBe(LOGIN);
    const told = redactors
      .current()
      .mask("CANARY-access CANARY-refresh CANARY-client public-client from-the-config");
    expect(told).toBe("[redacted] [redacted] [redacted] public-client [redacted]");
    await known.watch(open()).set("other", "CANARY-plain-value");
    expect(redactors.current().mask("a CANARY-plain-value")).toBe("a [redacted]");
  });

  it("of an earlier config stay known: a server that was started with them may still answer", () => {
    let secrets: readonly string[] = ["CANARY-first"];
    const known = createKnownSecrets({ current: () => ({ secrets }) });
    expect(known.all()).toEqual(["CANARY-first"]);
    secrets = ["CANARY-second"];
    expect(known.all()).toEqual(["CANARY-second", "CANARY-first"]);
    expect(known.all()).toBe(known.all());
  });

  it("make no new redactor where nothing is new", async () => {
    const { known, redactors, open } = openKnown();
    const store = known.watch(open());
    await store.set("oauth one", LOGIN);
    const redactor = redactors.current();
    await store.get("oauth one");
    expect(redactors.current()).toBe(redactor);
  });

  it("are no more than a thousand, the newest", async () => {
    const { known, open } = openKnown([]);
    const many = Object.fromEntries(Array.from({ length: 1_100 }, (_, n) => [`n${n}_token`, `CANARY-${n}`]));
    await known.watch(open()).set("many", JSON.stringify(many));
    expect(known.all()).toHaveLength(1_000);
    expect(known.all()).toContain("CANARY-1099");
  });
});

it("secrets of the environment are known from the start, and never forgotten", () => {
  const known = createKnownSecrets({ current: () => ({ secrets: ["of-the-config"] }) }, [
    "of-the-environment",
  ]);
  expect(known.all()).toEqual(["of-the-environment", "of-the-config"]);
});
