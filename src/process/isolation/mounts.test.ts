import {
  accessSync,
  constants,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Isolation } from "./isolation.ts";
import { accessAt, planMounts, type Access, type Mount } from "./mounts.ts";

/** Neither below /tmp, which is empty in a sandbox, nor in the user's folder: the checkout may be in either. */
const CHECKOUT = join(import.meta.dirname, "../../../node_modules");
const PLACE = [CHECKOUT, "/srv", "/opt", "/var/cache"].find(isUsable) ?? CHECKOUT;

function isUsable(place: string): boolean {
  if ([tmpdir(), "/tmp", "/var/tmp", homedir()].some((folder) => place.startsWith(`${folder}/`)))
    return false;
  try {
    accessSync(place, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function makeFolder(): string {
  const folder = realpathSync(mkdtempSync(join(PLACE, ".isolation-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const path of ["work/src", "work/hooks", "work/deep/er/kept", "secret/open/inner", "home"])
    mkdirSync(join(folder, path), { recursive: true });
  writeFileSync(join(folder, "work/file"), "");
  symlinkSync(join(folder, "secret"), join(folder, "work/link"));
  return folder;
}

const NO_RULES: Isolation["filesystem"] = { allowRead: [], denyRead: [], allowWrite: [], denyWrite: [] };

function plan(rules: Partial<Isolation["filesystem"]>, hidden: readonly string[] = []) {
  const folder = makeFolder();
  const place = {
    cwd: join(folder, "work"),
    keptAway: [join(folder, "home")],
    hidden: hidden.map((path) => join(folder, path)),
  };
  const planned = planMounts({ ...NO_RULES, ...rules }, place);
  const mounts: readonly Mount[] = planned.ok ? planned.mounts : [];
  return {
    reason: planned.ok ? undefined : planned.reason.replaceAll(folder, ""),
    at: (path: string): Access => accessAt(join(folder, path), mounts),
    whole: (path: string): Access => accessAt(path, mounts),
    mounts: mounts.map(({ path, access }) => `${path.replace(folder, "")} ${access}`),
  };
}

describe("what a server may do with a path", () => {
  it.each<[string, Partial<Isolation["filesystem"]>, Record<string, Access>]>([
    ["without rules", {}, { work: "read", "work/src": "read", secret: "hidden", home: "hidden" }],
    ["it may write", { allowWrite: ["."] }, { work: "write", "work/src": "write", secret: "hidden" }],
    ["a file alone", { allowWrite: ["file"] }, { "work/file": "write", "work/src": "read" }],
    [
      "a denied folder in it",
      { allowWrite: ["."], denyWrite: ["hooks"] },
      { "work/src": "write", "work/hooks": "read" },
    ],
    ["denied around what is allowed", { allowWrite: ["src"], denyWrite: ["."] }, { "work/src": "read" }],
    ["the same allowed and denied", { allowWrite: ["src"], denyWrite: ["src"] }, { "work/src": "read" }],
    [
      "hidden within it",
      { allowWrite: ["."], denyRead: ["src"] },
      { "work/src": "hidden", "work/hooks": "write" },
    ],
    ["the same readable and denied", { allowRead: ["src"], denyRead: ["src"] }, { "work/src": "hidden" }],
    [
      "opened within a hidden folder",
      { allowRead: ["../secret/open"] },
      { secret: "hidden", "secret/open": "read" },
    ],
    [
      "denied again within that",
      { allowRead: ["../secret/open"], denyRead: ["../secret/open/inner"] },
      { "secret/open": "read", "secret/open/inner": "hidden" },
    ],
    ["a hidden folder opened whole", { allowRead: ["../secret"] }, { secret: "read", "secret/open": "read" }],
    ["a hidden folder to write", { allowWrite: ["../secret"] }, { secret: "write" }],
    [
      "the home, in a folder that is writable",
      { allowWrite: [".."] },
      { work: "write", home: "hidden", "home/db": "hidden" },
    ],
    ["through a link", { allowRead: ["link/open"] }, { "secret/open": "read" }],
    ["by its whole path", { denyRead: ["/usr/share"] }, {}],
  ])("%s", (_what, rules, expected) => {
    const { at, reason } = plan(rules, ["secret"]);
    expect(reason).toBeUndefined();
    expect(Object.fromEntries(Object.keys(expected).map((path) => [path, at(path)]))).toEqual(expected);
  });

  it("is empty in /tmp", () => {
    expect(plan({}).whole("/tmp/other")).toBe("private");
    expect(plan({}).whole("/usr/bin/env")).toBe("read");
    expect(plan({ denyRead: ["~"] }).whole(join(homedir(), "notes"))).toBe("hidden");
  });
});

it("keeps each folder around a protected place from being renamed", () => {
  const { mounts } = plan({ allowWrite: ["."], denyWrite: ["deep/er/kept"] });
  expect(mounts.filter((mount) => mount.startsWith("/work"))).toEqual([
    "/work write",
    "/work/deep write",
    "/work/deep/er write",
    "/work/deep/er/kept read",
  ]);
});

it("lists the user's folders around credentials, and no others", () => {
  const folder = join(homedir(), ".config");
  const planned = planMounts(NO_RULES, {
    cwd: "/usr",
    keptAway: [],
    hidden: [join(homedir(), ".no-such-credential"), join(folder, "no-such-one"), "/usr/no-such-one"],
  });
  const mounts = planned.ok ? planned.mounts : [];
  const listed = mounts.filter(({ access }) => access === "listed").map(({ path }) => path);
  expect(listed).toContain(realpathSync(homedir()));
  expect(listed).not.toContain("/usr");
  expect(accessAt(join(homedir(), "anything"), mounts)).toBe("read");
});

it("hides nothing within what is hidden", () => {
  const { mounts } = plan({ denyRead: ["../secret/open", "../secret"] });
  expect(mounts).toContain("/secret hidden");
  expect(mounts).not.toContain("/secret/open hidden");
});

it.each<[string, Partial<Isolation["filesystem"]>, string]>([
  [
    "is not there",
    { allowWrite: ["nowhere"] },
    "allowWrite names nowhere, which does not exist (/work/nowhere): create it first",
  ],
  [
    "could be made by the server",
    { allowWrite: ["."], denyWrite: ["later"] },
    "later is denied within a folder of allowWrite and does not exist",
  ],
  [
    "could be replaced by the server",
    { allowWrite: ["."], denyRead: ["link"] },
    "link is denied within a folder of allowWrite and is a link",
  ],
  ["is the gateway's", { allowRead: ["../home"] }, "../home is in the gateway's own folder or file"],
  [
    "is in the gateway's folder",
    { allowWrite: ["../home"] },
    "../home is in the gateway's own folder or file",
  ],
  ["is the system's", { allowRead: ["/proc/1"] }, "/proc/1 is of the system"],
  ["is all devices", { allowWrite: ["/dev"] }, "/dev is of the system"],
  [
    "leads out by a link of the server's",
    { allowWrite: [".", "link/open"] },
    "link/open leads to /secret/open by a link in a folder of allowWrite",
  ],
  ["hides where it works", { denyRead: ["."] }, "the working folder /work is hidden"],
])("refuses a path that %s", (_what, rules, reason) => {
  expect(plan(rules).reason).toContain(reason);
});

it("takes no notice of a denied path that is nowhere", () => {
  expect(plan({ denyRead: ["/nowhere/at/all"], denyWrite: ["nowhere"] }).reason).toBeUndefined();
});
