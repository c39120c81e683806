import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../test/fixtures/temporary.ts";
import { openLive, readLive, type LiveDeps, type ServerStatus } from "./live.ts";
import { createOwner } from "../runs/journal/owner.ts";

const GOOD = { id: "good", target: "node x", state: "ready" };

function open(home: string, deps: Partial<LiveDeps> = {}) {
  const live = openLive({ home, serves: "stdio", servers: () => [GOOD], calls: () => [], ...deps });
  onTestFinished(() => live.close());
  return live;
}

const filesIn = (home: string) => readdirSync(join(home, "live"));

it("C10: what a gateway does is seen by others while it lives, and gone with it", () => {
  const home = temporaryFolder();
  let nowMs = 1_000_000;
  let state = "connecting";
  const live = open(home, { now: () => nowMs, servers: () => [{ ...GOOD, state }] });
  const seen = () => readLive(home, () => statSync(join(home, "live", filesIn(home)[0]!)).mtimeMs);
  expect(seen()).toMatchObject([
    { pid: process.pid, serves: "stdio", servers: [{ id: "good", state: "connecting", since: 1_000_000 }] },
  ]);
  nowMs += 5_000;
  live.tick();
  expect(seen()[0]!.servers[0]).toMatchObject({ state: "connecting", since: 1_000_000 });
  state = "ready";
  live.tick();
  expect(seen()[0]!.servers[0]).toMatchObject({ state: "ready", since: 1_005_000 });
  const file = join(home, "live", filesIn(home)[0]!);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(home, "live")).mode & 0o777).toBe(0o700);
  live.close();
  expect(filesIn(home)).toEqual([]);
});

it("C10: a server that failed stays failed while it rests, and one that was stopped for want of use is left out", () => {
  const home = temporaryFolder();
  let nowMs = 1_000;
  let status: ServerStatus = { ...GOOD, state: "idle" };
  const live = open(home, { now: () => nowMs, servers: () => [status] });
  const seen = () => {
    live.tick();
    return readLive(home)[0]!.servers.map(({ state, error }) =>
      error === undefined ? state : [state, error],
    );
  };
  expect(seen()).toEqual([]);
  const failed = { error: "it exited", cause: "exited", failedAt: 2_000 };
  nowMs = 3_000;
  status = { ...GOOD, state: "idle", ...failed };
  expect(seen()).toEqual([["failed", "it exited"]]);
  status = { ...GOOD, state: "connecting", ...failed };
  expect(seen()).toEqual(["connecting"]);
  status = { ...GOOD, ...failed };
  expect(seen()).toEqual(["ready"]);
  status = { ...GOOD, state: "idle", ...failed };
  expect(seen()).toEqual([]);
});

it("C10: a command has no file until something takes a while", () => {
  const home = temporaryFolder();
  const live = openLive({ home, servers: () => [], calls: () => [] });
  live.begin();
  expect(readdirSync(home)).toEqual([]);
  live.tick();
  expect(filesIn(home)).toHaveLength(1);
  live.close();
  expect(filesIn(home)).toEqual([]);
});

it("C10: it writes only what has changed, and every half minute", () => {
  const home = temporaryFolder();
  let nowMs = 0;
  const live = open(home, { now: () => nowMs });
  const file = join(home, "live", filesIn(home)[0]!);
  const inode = () => statSync(file).ino;
  const first = inode();
  nowMs = 29_000;
  live.tick();
  expect(inode()).toBe(first);
  nowMs = 30_000;
  live.tick();
  expect(inode()).not.toBe(first);
});

it("C10: what a killed process left is deleted; what cannot be read is left alone until it is old", () => {
  const home = temporaryFolder();
  mkdirSync(join(home, "live"));
  const write = (name: string, content: unknown) =>
    writeFileSync(join(home, "live", name), typeof content === "string" ? content : JSON.stringify(content));
  const { pid } = spawnSync(process.execPath, ["--version"]);
  const [place] = createOwner().split("|");
  const body = { pid, startedAt: 1, servers: [GOOD], calls: [] };
  write("1-gone.json", { owner: `${place}|${pid}||x`, ...body });
  write("2-elsewhere.json", { owner: `another-host/ns|${pid}||x`, ...body });
  write("3-broken.json", "{");
  write("4-odd.json", { owner: createOwner(), pid: "x", servers: 7 });
  write("5-being-written.json.tmp", "{");
  expect(readLive(home)).toMatchObject([{ pid }]);
  expect(filesIn(home)).toEqual([
    "2-elsewhere.json",
    "3-broken.json",
    "4-odd.json",
    "5-being-written.json.tmp",
  ]);
  const old = new Date(Date.now() - 121_000);
  for (const name of ["2-elsewhere.json", "3-broken.json"]) utimesSync(join(home, "live", name), old, old);
  expect(readLive(home)).toEqual([]);
  expect(filesIn(home)).toEqual(["4-odd.json", "5-being-written.json.tmp"]);
});

it.skipIf(process.platform === "win32")(
  "AG8: a pipe, a device and entries of another kind hold up no reader",
  () => {
    const home = temporaryFolder();
    open(home);
    const at = (name: string) => join(home, "live", name);
    expect(spawnSync("/usr/bin/mkfifo", [at("1-a.json")]).status).toBe(0);
    symlinkSync("/dev/zero", at("1-b.json"));
    const odd = { owner: createOwner(), pid: 1, startedAt: 1, servers: [null, 5, { id: 5 }], calls: [null] };
    writeFileSync(at("1-c.json"), JSON.stringify(odd));
    expect(readLive(home)).toMatchObject([
      { pid: 1, servers: [], calls: [] },
      { pid: process.pid, servers: [GOOD] },
    ]);
  },
);

it("C10: a home that cannot be written to stops nothing", () => {
  const home = temporaryFolder();
  writeFileSync(join(home, "live"), "not a folder");
  const live = open(home);
  live.tick();
  live.close();
  expect(readLive(home)).toEqual([]);
  expect(readFileSync(join(home, "live"), "utf8")).toBe("not a folder");
});
