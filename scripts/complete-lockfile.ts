/**
 * `npm run lockfile`: adds the optional packages of other platforms to package-lock.json.
 *
 * npm leaves out an optional package that it could not fetch while it made the lock (a registry may not carry the binaries of
 * every platform), and `npm ci` then refuses the lock as incomplete. What is added says for which platform it is, so that no
 * other platform ever asks for it. Run it after every `npm install` that changes the lock.
 */
import { readFileSync, writeFileSync } from "node:fs";

interface LockEntry {
  version?: string;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

const file = new URL("../package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(file, "utf8")) as { packages: Record<string, LockEntry> };

const SYSTEMS = [
  "aix",
  "android",
  "darwin",
  "freebsd",
  "linux",
  "netbsd",
  "openbsd",
  "openharmony",
  "sunos",
  "win32",
];
const PROCESSORS: Readonly<Record<string, string>> = {
  arm: "arm",
  arm64: "arm64",
  x64: "x64",
  ia32: "ia32",
  ppc64: "ppc64",
  riscv64: "riscv64",
  s390x: "s390x",
  loong64: "loong64",
  mips64el: "mips64el",
  wasm32: "wasm32",
};

/** The platform that a package's name speaks of, as `linux-arm64-musl` does. */
function platformOf(name: string): Pick<LockEntry, "os" | "cpu" | "libc"> | undefined {
  if (name === "fsevents") return { os: ["darwin"] };
  const words = name.split("/").at(-1)!.split("-");
  const os = SYSTEMS.find((system) => words.includes(system));
  const cpu = words.map((word) => PROCESSORS[word]).find((processor) => processor !== undefined);
  if (os === undefined && cpu === undefined) return undefined;
  const libc = words.some((word) => word.startsWith("musl"))
    ? "musl"
    : words.some((word) => word.startsWith("gnu"))
      ? "glibc"
      : undefined;
  return {
    ...(cpu === undefined ? {} : { cpu: [cpu] }),
    ...(libc === undefined || os !== "linux" ? {} : { libc: [libc] }),
    ...(os === undefined ? {} : { os: [os] }),
  };
}

/** The version of a package that a folder of the tree would load, walking up as Node does. */
function findVersion(folder: string, name: string): string | undefined {
  for (let at = folder; ; at = at.slice(0, Math.max(0, at.lastIndexOf("/node_modules/")))) {
    const entry = lock.packages[at === "" ? `node_modules/${name}` : `${at}/node_modules/${name}`];
    if (entry !== undefined) return entry.version;
    if (at === "") return undefined;
  }
}

let count = 0;
for (const [folder, { optionalDependencies = {}, dev }] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const platform = platformOf(name);
    if (platform === undefined || findVersion(folder, name) === version || /[^\d.]/.test(version)) continue;
    const isFree = lock.packages[`node_modules/${name}`] === undefined;
    const path = isFree ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    lock.packages[path] ??= { version, ...(dev === true ? { dev } : {}), optional: true, ...platform };
    count++;
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${count} packages of other platforms added`);
