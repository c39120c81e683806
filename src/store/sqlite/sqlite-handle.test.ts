import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { openHandle, requireSqliteVersion } from "./sqlite-handle.ts";
import { testHome } from "./temp-home.testkit.ts";

it.each(["3.51.3", "3.51.10", "3.52.0", "4.0.0"])("accepts SQLite %s", (version) => {
  expect(() => requireSqliteVersion(version)).not.toThrow();
});

it.each(["3.51.2", "3.50.9", "3.9.9", "2.99.99", "0"])("refuses SQLite %s and says what to do", (version) => {
  expect(() => requireSqliteVersion(version)).toThrow(
    expect.objectContaining({
      code: "STORE_UNSUPPORTED",
      message: expect.stringContaining(version) as string,
      hint: expect.stringContaining("Upgrade") as string,
    }) as Error,
  );
});

it("makes no file where there is none", () => {
  const path = testHome();
  expect(() => openHandle(path)).toThrow();
  expect(existsSync(path)).toBe(false);
});
