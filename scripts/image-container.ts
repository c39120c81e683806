/**
 * A container of an image as an orchestrator with a strict policy runs it: uid 10001, a read-only root, a writable /tmp
 * and nothing else, no capabilities, no new privileges. It shares the network of the machine, so that it is reached on
 * loopback.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./image.ts";

/** What the manifests ask for as well. */
export const CONTAINER_UID = 10_001;
const TMP_SIZE = "256m";

export interface ContainerPlace {
  /** For bundles and the state of crun. */
  readonly folder: string;
  readonly rootfs: string;
  readonly env: Readonly<Record<string, string>>;
  /** A folder of the machine that is `/var/lib/repertoire` inside; without it there is no place for SQLite. */
  readonly home: string | undefined;
}

/**
 * crun refuses a machine with both versions of cgroups, although these containers have no limits and so need none: it
 * sees version two alone, in a mount namespace of its own.
 */
const WITHOUT_CGROUPS =
  'umount -R /sys/fs/cgroup 2>/dev/null; mount -t cgroup2 none /sys/fs/cgroup && exec crun "$@"';

function crun(place: ContainerPlace, args: readonly string[]): string[] {
  const own = ["--cgroup-manager=disabled", "--root", join(place.folder, "state"), ...args];
  return ["--mount", "sh", "-c", WITHOUT_CGROUPS, "crun", ...own];
}

/** What a command printed that ran in a container of its own. */
export function runInContainer(place: ContainerPlace, name: string, args: readonly string[]): string {
  return run("unshare", crun(place, ["run", "--bundle", writeBundle(place, name, args), name]));
}

export interface StartedContainer {
  readonly process: ChildProcess;
  /** The exit code of its command. */
  readonly ended: Promise<number | null>;
  /** What it has printed so far. */
  said(): string;
  exec(args: readonly string[]): string;
  signal(signal: "TERM" | "KILL"): void;
}

export function startContainer(
  place: ContainerPlace,
  name: string,
  args: readonly string[],
): StartedContainer {
  const bundle = writeBundle(place, name, args);
  const child = spawn("unshare", crun(place, ["run", "--bundle", bundle, name]), {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (bytes: Buffer) => (said += bytes.toString()));
  return {
    process: child,
    ended: new Promise((resolve) => child.once("exit", resolve)),
    said: () => said,
    exec: (command) => run("unshare", crun(place, ["exec", name, ...command])),
    signal: (signal) => run("unshare", crun(place, ["kill", name, signal])),
  };
}

/** What `crun run --bundle` reads; the folder of it. */
function writeBundle(place: ContainerPlace, name: string, args: readonly string[]): string {
  const folder = join(place.folder, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "config.json"), JSON.stringify(configOf(place, args), undefined, 2));
  return folder;
}

function configOf({ rootfs, env, home }: ContainerPlace, args: readonly string[]): object {
  const none: string[] = [];
  return {
    ociVersion: "1.0.2",
    hostname: "repertoire-try",
    root: { path: rootfs, readonly: true },
    process: {
      args,
      cwd: "/tmp",
      env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
      user: { uid: CONTAINER_UID, gid: CONTAINER_UID },
      noNewPrivileges: true,
      capabilities: { bounding: none, effective: none, permitted: none, ambient: none, inheritable: none },
    },
    mounts: [
      { destination: "/proc", type: "proc", source: "proc" },
      { destination: "/dev", type: "tmpfs", source: "tmpfs", options: ["nosuid", "mode=755", "size=64k"] },
      {
        destination: "/tmp",
        type: "tmpfs",
        source: "tmpfs",
        options: ["nosuid", "nodev", "mode=1777", `size=${TMP_SIZE}`],
      },
      ...(home === undefined
        ? []
        : [{ destination: "/var/lib/repertoire", type: "bind", source: home, options: ["bind", "rw"] }]),
    ],
    linux: { namespaces: ["pid", "ipc", "uts", "mount"].map((type) => ({ type })) },
  };
}
