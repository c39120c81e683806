import { expect, it } from "vitest";
import { isInstaller, startLimitOf } from "./installer.ts";

it.each([
  "npx -y pkg",
  "npx.cmd -y pkg",
  "C:\\nodejs\\npx.cmd -y pkg",
  "/usr/local/bin/npx pkg",
  "npm exec -- pkg",
  "npm --yes x pkg",
  "pnpm dlx pkg",
  "yarn dlx pkg",
  "bunx pkg",
  "bun x pkg",
  "uvx pkg",
  "uv run pkg",
  "uv tool run pkg",
  "pipx run pkg",
  "docker run -i --rm image",
  "podman run image",
  "env npx pkg",
  "/usr/bin/env -i -u HOME A=b npx pkg",
  "cmd /c npx -y pkg",
  "CMD.EXE /d /C npx pkg",
])("C1: %s may download what it runs", (line) => {
  const [command = "", ...args] = line.split(" ");
  expect(isInstaller(command, args)).toBe(true);
});

it("C1: sees what a shell is to run", () => {
  expect(isInstaller("bash", ["-lc", "exec npx -y pkg"])).toBe(true);
  expect(isInstaller("sh", ["-c", "node server.js"])).toBe(false);
});

it.each([
  "node npx",
  "npm start",
  "npm run exec",
  "yarn start",
  "uv pip",
  "python -m npx",
  "env",
  "cmd",
  "sh script.sh",
  "./npxx",
])("C1: %s runs what is there", (line) => {
  const [command = "", ...args] = line.split(" ");
  expect(isInstaller(command, args)).toBe(false);
});

it("C1: a command has a minute to start, one that may download two, and what the config says is exact", () => {
  const limits = { connectTimeoutMs: 5_000 };
  const stdio = (command: string) => ({ kind: "stdio" as const, command, args: [], env: {} });
  const http = { kind: "http" as const, url: "http://a", headers: {} };
  const longest = 600_000;
  expect(startLimitOf({ transport: stdio("node") }, limits)).toEqual({ ms: 60_000, msMax: longest });
  expect(startLimitOf({ transport: stdio("npx") }, limits)).toEqual({ ms: 120_000, msMax: longest });
  expect(startLimitOf({ transport: stdio("npx"), startTimeoutMs: 7 }, limits)).toEqual({ ms: 7, msMax: 7 });
  expect(startLimitOf({ transport: stdio("a") }, { connectTimeoutMs: 90_000 })).toMatchObject({ ms: 90_000 });
  expect(startLimitOf({ transport: http, startTimeoutMs: 7 }, limits)).toEqual({ ms: 5_000, msMax: 5_000 });
});
