import { describe, expect, it } from "vitest";
import { describeConfig, describeSettingsForTrust } from "./describe.ts";
import { loadConfig } from "./load.ts";
import { replicaUrlOf } from "./store.ts";
import { createTempProject, loadText, problemsOf, requireConfig, textOf } from "./temp-project.testkit.ts";

const PASSWORD = "p%40ssw0rd-0815";
const URL_WITH_PASSWORD = `postgres://gateway:${PASSWORD}@db.example:6432/repertoire`;

describe("the store", () => {
  it("is a file of the home unless a URL is given", () => {
    const { store } = requireConfig({});
    expect({ ...store, url: store.url }).toEqual({
      url: undefined,
      poolSize: 10,
      pooler: false,
      waitMs: 30_000,
    });
  });

  it("is where the file says, with variables expanded", () => {
    const { store } = requireConfig(
      { store: { url: "postgresql://gateway:${DB_WORD}@db.example/repertoire", poolSize: 4, pooler: true } },
      { DB_WORD: "hidden-word" },
    );
    expect(store.url).toBe("postgresql://gateway:hidden-word@db.example/repertoire");
    expect(store).toMatchObject({ place: "db.example/repertoire", poolSize: 4, pooler: true });
  });

  it("is where the environment says, whatever the file says", () => {
    const file = { store: { url: "postgres://elsewhere/other", poolSize: 3 } };
    const { store } = requireConfig(file, { REPERTOIRE_DATABASE_URL: URL_WITH_PASSWORD });
    expect(store.url).toBe(URL_WITH_PASSWORD);
    expect(store).toMatchObject({ place: "db.example:6432/repertoire", poolSize: 3 });
    expect(requireConfig(file, { REPERTOIRE_DATABASE_URL: "" }).store.place).toBe("elsewhere/other");
  });

  it("shows its place, and never its URL or its password", () => {
    const env = { REPERTOIRE_DATABASE_URL: URL_WITH_PASSWORD, PGPASSWORD: "from-the-environment" };
    const config = requireConfig({}, env);
    const shown = JSON.stringify([describeConfig(config), config.store, { ...config.store }]);
    expect(shown).toContain("db.example:6432/repertoire");
    expect(shown).not.toMatch(/ssw0rd|postgres:/);
    expect(config.secrets).toEqual(
      expect.arrayContaining([URL_WITH_PASSWORD, PASSWORD, "p@ssw0rd-0815", "from-the-environment"]),
    );
  });

  it.each([
    ["mysql://host/db", "must begin with postgres:// or postgresql://"],
    ["host/db", "must begin with postgres:// or postgresql://"],
    ["postgres://", "names no database"],
    ["postgres://host", "names no database"],
    ["postgres://a:1,b:2/db", "is not a URL"],
    ["postgres://u:a#b@host/db", 'has a "#"'],
    ["postgres://u:a%zz@host/db", 'has a "%" that encodes nothing'],
  ])("cannot be at %s", (url, message) => {
    const [inFile] = problemsOf({ store: { url } });
    expect(inFile).toContain(`store.url: ${message}`);
    const [inEnvironment] = problemsOf({}, { REPERTOIRE_DATABASE_URL: url });
    expect(inEnvironment).toContain(`environment  REPERTOIRE_DATABASE_URL: ${message}`);
  });

  it("has bounds for its numbers, and no other keys", () => {
    expect(problemsOf({ store: { poolSize: 1, waitMs: 1, pooler: "yes", uri: "" } })).toEqual([
      expect.stringContaining("store.poolSize: must be a whole number from 2 to 200"),
      expect.stringContaining("store.waitMs: must be a whole number from 1000 to 600000"),
      expect.stringContaining("store.pooler: must be true or false"),
      expect.stringContaining('store.uri: unknown key; did you mean "url"?'),
    ]);
  });

  it("takes no input, because those are kept in it", () => {
    expect(problemsOf({ store: { url: "postgres://u:${input:word}@h/d" } }).join("\n")).toContain(
      "an input is not allowed here, because the values of inputs are kept in the store",
    );
  });

  it("is not moved by a project file that is not trusted", () => {
    const { options, write } = createTempProject();
    write("project/repertoire.json", { store: { url: URL_WITH_PASSWORD } });
    const loaded = loadConfig(options);
    expect(loaded.ok && loaded.config.store.url).toBeUndefined();
    expect(loaded.ok && textOf(loaded.warnings)).toContain(
      "store: has no effect until this project file is trusted",
    );
    const assumed = loadConfig({ ...options, assumeTrusted: true });
    expect(assumed.ok && describeSettingsForTrust(assumed.config)).toEqual([
      { path: "store.url", value: '"db.example:6432/repertoire"' },
    ]);
  });

  it("stays where the user's own file puts it, whatever a trusted project says", () => {
    const { options, write } = createTempProject();
    write("user/.config/repertoire/repertoire.json", { store: { url: "postgres://mine/db" } });
    write("project/repertoire.json", { store: { url: "postgres://theirs/db" } });
    const loaded = loadConfig({ ...options, assumeTrusted: true });
    expect(loaded.ok && loaded.config.store.place).toBe("mine/db");
  });
});

describe("the address of a replica", () => {
  const listening = { host: "0.0.0.0", port: 7373 };

  it("is the machine's name where it listens everywhere, else where it listens", () => {
    expect(replicaUrlOf({}, listening, "pod-1")).toBe("http://pod-1:7373");
    expect(replicaUrlOf({}, { host: "::", port: 1 }, "fd00::7")).toBe("http://[fd00::7]:1");
    expect(replicaUrlOf({}, { host: "10.1.2.3", port: 80 }, "pod-1")).toBe("http://10.1.2.3:80");
    expect(replicaUrlOf({}, { host: "::1", port: 80 }, "pod-1")).toBe("http://[::1]:80");
  });

  it("is what the environment says", () => {
    const config = requireConfig({}, { REPERTOIRE_REPLICA_URL: "https://[fd00::1]:8443/" });
    expect(replicaUrlOf(config, listening)).toBe("https://[fd00::1]:8443");
    expect(requireConfig({}, { REPERTOIRE_REPLICA_URL: "" }).replicaUrl).toBeUndefined();
  });

  it.each([
    ["pod:7373", "must begin with http:// or https://"],
    ["nowhere", "is not a URL"],
    ["ws://pod", "must begin with http:// or https://"],
    ["http://u:p@pod", "must not contain a user name or password"],
    ["http://pod/mcp", "must have nothing behind the port"],
  ])("cannot be %s", (url, message) => {
    const loaded = loadText({}, { REPERTOIRE_REPLICA_URL: url });
    expect(!loaded.ok && textOf(loaded.problems)).toContain(`REPERTOIRE_REPLICA_URL: ${message}`);
  });
});
