import { expect, it } from "vitest";
import { RepertoireError } from "../../core/errors.ts";
import { isBusy, storeErrorOf } from "./sqlite-error.ts";

function sqliteError(errcode: number): Error {
  return Object.assign(new Error("some words"), { code: "ERR_SQLITE_ERROR", errcode });
}

it.each([
  ["BUSY", 5, "STORE_BUSY"],
  ["BUSY_RECOVERY", 261, "STORE_BUSY"],
  ["BUSY_SNAPSHOT", 517, "STORE_BUSY"],
  ["PROTOCOL", 15, "STORE_BUSY"],
  ["FULL", 13, "STORE_FULL"],
  ["IOERR_WRITE", 778, "STORE_FULL"],
  ["IOERR_SHMSIZE", 4874, "STORE_FULL"],
  ["IOERR", 10, "STORE_DAMAGED"],
  ["IOERR_READ", 266, "STORE_DAMAGED"],
  ["CORRUPT", 11, "STORE_DAMAGED"],
  ["CORRUPT_INDEX", 779, "STORE_DAMAGED"],
  ["NOTADB", 26, "STORE_DAMAGED"],
  ["READONLY", 8, "HOME_UNSAFE"],
  ["READONLY_DBMOVED", 1032, "HOME_UNSAFE"],
  ["CANTOPEN", 14, "HOME_UNSAFE"],
  ["PERM", 3, "HOME_UNSAFE"],
])("turns %s (%i) into %s, with the path and a way out", (_name, errcode, code) => {
  const cause = sqliteError(errcode);
  const error = storeErrorOf(cause, "/home/x/repertoire.db");
  expect(error).toBeInstanceOf(RepertoireError);
  expect(error).toMatchObject({
    code,
    cause,
    message: expect.stringContaining("/home/x/repertoire.db") as string,
  });
  expect((error as RepertoireError).hint).toMatch(/\w/);
  expect(isBusy(cause)).toBe(code === "STORE_BUSY");
});

it("leaves errors that are bugs as they are", () => {
  for (const error of [sqliteError(2067), sqliteError(1), new TypeError("x"), "text", undefined]) {
    expect(storeErrorOf(error, "/x")).toBe(error);
    expect(isBusy(error)).toBe(false);
  }
});
