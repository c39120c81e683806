import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/fixtures/temporary.ts";
import { loadSecretKeys } from "./secret-key.ts";

const KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
const BYTES = Buffer.from(KEY, "base64url");
const other = (): string => randomBytes(32).toString("base64url");

function fileOf(text: string): string {
  const file = join(temporaryFolder(), "key");
  writeFileSync(file, text);
  return file;
}

describe("a key for secrets", () => {
  it("is known by the beginning of its hash", () => {
    const keys = loadSecretKeys({ REPERTOIRE_SECRET_KEY: KEY });
    // sha256 of the bytes 0 to 31.
    expect(keys).toEqual({ current: { id: "630dcd29", bytes: BYTES } });
  });

  it("can be in a file, with the end of line that editors write, and in plain base64", () => {
    const bytes = Buffer.from("ff".repeat(32), "hex");
    const env = { REPERTOIRE_SECRET_KEY_FILE: fileOf(`${bytes.toString("base64")}\n`) };
    expect(loadSecretKeys(env)?.current.bytes).toEqual(bytes);
  });

  it("has another beside it while it is changed", () => {
    const keys = loadSecretKeys({
      REPERTOIRE_SECRET_KEY: other(),
      REPERTOIRE_SECRET_KEY_PREVIOUS_FILE: fileOf(KEY),
    });
    expect(keys?.previous?.bytes).toEqual(BYTES);
  });

  it("is not needed, and an empty variable is none", () => {
    expect(loadSecretKeys({})).toBeUndefined();
    expect(loadSecretKeys({ REPERTOIRE_SECRET_KEY: "", REPERTOIRE_SECRET_KEY_FILE: " " })).toBeUndefined();
  });

  it.each([
    [{ REPERTOIRE_SECRET_KEY: "correct horse battery staple" }, "32 bytes in base64url"],
    [{ REPERTOIRE_SECRET_KEY: `${KEY}AA` }, "32 bytes in base64url"],
    [{ REPERTOIRE_SECRET_KEY: KEY.replace("A", "!") }, "32 bytes in base64url"],
    [{ REPERTOIRE_SECRET_KEY: KEY, REPERTOIRE_SECRET_KEY_FILE: "/x" }, "are both set"],
    [{ REPERTOIRE_SECRET_KEY_FILE: "/nothing/is/here" }, "cannot be read"],
    [{ REPERTOIRE_SECRET_KEY_PREVIOUS: KEY }, "REPERTOIRE_SECRET_KEY is not"],
  ] as [NodeJS.ProcessEnv, string][])("that cannot be one is refused: %#", (env, words) => {
    const load = (): unknown => loadSecretKeys(env);
    expect(load).toThrow(words);
    expect(load).not.toThrow(env["REPERTOIRE_SECRET_KEY"] ?? KEY);
  });
});
