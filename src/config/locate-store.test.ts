import { expect, it } from "vitest";
import { locateStore } from "./locate-store.ts";
import { createTempProject, textOf } from "./temp-project.testkit.ts";

it("is a file of the home where nothing speaks of a store, also beside a broken file", async () => {
  const { options, home, write } = createTempProject();
  expect(await locateStore(options)).toMatchObject({ ok: true, home, store: { pooler: false } });
  write("user/.config/repertoire/repertoire.json", { limits: { callTimeoutMs: "soon" } });
  const located = await locateStore(options);
  expect(located.ok && located.store.url).toBeUndefined();
  expect(located.ok).toBe(true);
});

it("is found without the rest of the config", async () => {
  const { options, write } = createTempProject();
  write("user/.config/repertoire/repertoire.json", {
    limits: { callTimeoutMs: "soon" },
    workflows: { llm: { url: "http://x", model: "m", apiKey: "${input:key}" } },
    store: { url: "postgres://u:${WORD}@db/x", poolSize: 5 },
  });
  const located = await locateStore({ ...options, env: { WORD: "very-hidden" } });
  expect(located).toMatchObject({ ok: true, store: { place: "db/x", poolSize: 5 } });
  expect(located.ok && located.store.url).toBe("postgres://u:very-hidden@db/x");
  expect(located.ok && located.secrets).toContain("very-hidden");
});

it("is where the environment says", async () => {
  const { options, write } = createTempProject();
  write("user/.config/repertoire/repertoire.json", { store: { waitMs: 5000 } });
  const located = await locateStore({ ...options, env: { REPERTOIRE_DATABASE_URL: "postgres://h/d" } });
  expect(located).toMatchObject({ ok: true, store: { place: "h/d", waitMs: 5000 } });
});

it("is not taken from a project file that is not trusted", async () => {
  const { options, write } = createTempProject();
  write("project/repertoire.json", { store: { url: "postgres://theirs/db" } });
  const located = await locateStore(options);
  expect(located.ok && located.store.url).toBeUndefined();
});

it.each([
  [{ store: { url: "postgres://u:${WORD}@db/x" } }, {}, "the environment variable WORD is not set"],
  [{ store: { url: "postgres://u:${input:word}@db/x" } }, {}, "an input is not allowed here"],
  [{ store: { poolSize: 0 } }, {}, "store.poolSize: must be a whole number from 2 to 200"],
  [{}, { REPERTOIRE_DATABASE_URL: "mysql://h/d" }, "REPERTOIRE_DATABASE_URL: must begin with postgres://"],
  ["{ not JSON", { REPERTOIRE_DATABASE_URL: "postgres://h/d" }, "repertoire.json:1"],
])("says what is wrong with %j", async (file, env, message) => {
  const { options, write } = createTempProject();
  write("user/.config/repertoire/repertoire.json", file);
  const located = await locateStore({ ...options, env });
  expect(!located.ok && textOf(located.problems)).toContain(message);
});
