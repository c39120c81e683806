import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { afterAll, describe, expect, it } from "vitest";
import { createOwner, isGone } from "./owner.ts";

const [place, pid, start] = createOwner().split("|") as [string, string, string];
const ownerOf = (...fields: readonly (string | number)[]): string => fields.join("|");
const living = spawn(process.execPath, ["-e", "process.stdin.resume()"], {
  stdio: ["pipe", "ignore", "ignore"],
});

afterAll(async () => {
  living.stdin.end();
  await once(living, "exit");
});

describe("an owner", () => {
  it("is another one each time, in one process too", () => {
    expect(createOwner()).not.toBe(createOwner());
  });

  it("is not gone while its process lives", () => {
    expect(isGone(createOwner())).toBe(false);
    expect(isGone(ownerOf(place, living.pid!, "", "x"))).toBe(false);
  });

  it("is gone when its process has ended", () => {
    const ended = spawnSync(process.execPath, ["--version"]);
    expect(isGone(ownerOf(place, ended.pid, "", "x"))).toBe(true);
  });

  it.runIf(start !== "")(
    "is gone when its number belongs to a process that started at another moment",
    () => {
      expect(isGone(ownerOf(place, pid, Number(start) - 1, "x"))).toBe(true);
    },
  );

  it("is not known to be gone on another machine or in another process namespace", () => {
    const ended = spawnSync(process.execPath, ["--version"]);
    expect(isGone(ownerOf("elsewhere/pid:[1]", ended.pid, "", "x"))).toBe(false);
    expect(isGone(ownerOf(`${place}2`, ended.pid, "", "x"))).toBe(false);
  });

  it.each([
    "",
    "|",
    "nobody",
    `${place}|`,
    `${place}|-1||`,
    `${place}|0||`,
    `${place}|1.5||`,
    `${place}|x||`,
  ])("that cannot be read (%j) is not known to be gone, and no process group is asked", (owner) => {
    expect(isGone(owner)).toBe(false);
  });
});
