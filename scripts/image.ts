/** The image of deploy/Dockerfile, built by buildah: no daemon, no registry of images. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "..");
const OWN_BASE = "localhost/repertoire-try-base";
export const IMAGE = "localhost/repertoire-try";
/** Where distributions keep the certificates of authorities; a base by debootstrap has none. */
const AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt";
/** What a build prints is kept for its error. */
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/** This machine lacks what the trial needs. */
export class Skipped extends Error {}

export interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Healthcheck: { readonly Test: readonly string[] };
}

export function has(program: string): boolean {
  return spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
}

/** What the program printed. It fails with what it said. */
export function run(program: string, args: readonly string[]): string {
  const options = { cwd: root, encoding: "utf8", maxBuffer: OUTPUT_BYTES_MAX } as const;
  const { status, stdout, stderr } = spawnSync(program, args, options);
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
  return stdout.trim();
}

/** `--format docker`, because the OCI format has no place for the health check. */
export function buildImage(): ImageConfig {
  if (!has("buildah")) throw new Skipped("buildah is missing; the image was not built");
  const base = process.env["TRY_BASE"] ?? requireOwnBase();
  console.log(`building on ${base} …`);
  const cache = run("npm", ["config", "get", "cache"]);
  mkdirSync(cache, { recursive: true });
  const places = `--ignorefile deploy/Dockerfile.dockerignore --file deploy/Dockerfile --tag ${IMAGE} .`;
  const ways = ["--isolation", "chroot", "--format", "docker", "--volume", `${cache}:/root/.npm`];
  run("buildah", ["bud", ...ways, "--build-arg", `BASE=${base}`, ...places.split(" ")]);
  const shown = JSON.parse(run("buildah", ["inspect", "--type", "image", IMAGE])) as {
    readonly Docker: { readonly config: ImageConfig };
  };
  return shown.Docker.config;
}

function requireOwnBase(): string {
  if (spawnSync("buildah", ["inspect", "--type", "image", OWN_BASE]).status === 0) return OWN_BASE;
  if (!has("debootstrap")) throw new Skipped("debootstrap is missing and TRY_BASE names no base image");
  if (process.getuid?.() !== 0) throw new Skipped("debootstrap needs root; name a base image with TRY_BASE");
  const folder = mkdtempSync(join(tmpdir(), "repertoire-base-"));
  try {
    makeBase(join(folder, "base"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return OWN_BASE;
}

/** What node:24-bookworm-slim is in the main: Debian, Node and npm. */
function makeBase(base: string): void {
  const node = join(root, "node_modules/node/bin/node");
  if (!existsSync(node)) throw new Skipped("node_modules has no Node; run npm ci");
  console.log("a base by debootstrap …");
  run("debootstrap", ["--variant=minbase", "bookworm", base]);
  rmSync(join(base, "var/cache/apt/archives"), { recursive: true });
  cpSync(node, join(base, "usr/local/bin/node"));
  addNpm(base);
  const container = run("buildah", ["from", "scratch"]);
  run("buildah", ["add", "--quiet", container, base, "/"]);
  run("buildah", ["commit", "--quiet", container, OWN_BASE]);
  run("buildah", ["rm", container]);
}

/** Of this machine. Its own settings say which authorities the registry's certificate may come from. */
function addNpm(base: string): void {
  const npm = dirname(dirname(realpathSync(run("sh", ["-c", "command -v npm"]))));
  const place = join(base, "usr/local/lib/node_modules/npm");
  cpSync(npm, place, { recursive: true });
  symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", join(base, "usr/local/bin/npm"));
  if (!existsSync(AUTHORITIES)) return;
  mkdirSync(dirname(join(base, AUTHORITIES)), { recursive: true });
  cpSync(realpathSync(AUTHORITIES), join(base, AUTHORITIES));
  writeFileSync(join(place, "npmrc"), `cafile=${AUTHORITIES}\n`);
}
