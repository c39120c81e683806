/**
 * The command line of `bwrap` for one isolated server. It gets namespaces of its own for processes, files, users, IPC
 * and, unless the config gives it the whole network, for the network; no capabilities; and new programs cannot gain any.
 *
 * Its processes end with bwrap: the first of them is killed with bwrap, and with the first all of them are.
 */
import type { IsolatedNetwork } from "./isolation.ts";
import type { Entry, Mount } from "./mounts.ts";

/** All that the kernel must allow; what is tried out when the backend is looked for. */
export const NAMESPACES: readonly string[] = words(
  "--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try",
  "--die-with-parent --new-session --cap-drop ALL",
);

function words(...lines: readonly string[]): string[] {
  return lines.join(" ").split(" ");
}

/** A file that the sandbox sees in its own `/run`, such as our own program. */
export interface LentFile {
  readonly source: string;
  readonly path: string;
}

export interface BubblewrapPlan {
  readonly mounts: readonly Mount[];
  readonly network: IsolatedNetwork;
  readonly cwd: string;
  readonly lent: readonly LentFile[];
  /** The descriptor from which bwrap reads the filter of system calls. */
  readonly filterFd: number;
  /** All that the server has of variables. */
  readonly env: Readonly<Record<string, string>>;
}

export const DEVICES: readonly string[] = ["--dev", "/dev", "--proc", "/proc"];

const READ_ONLY_ROOT: Mount = { path: "/", access: "read", isFolder: true };

export function bubblewrapArgs({ mounts, network, cwd, lent, filterFd, env }: BubblewrapPlan): string[] {
  const root = mounts.find(({ path }) => path === "/") ?? READ_ONLY_ROOT;
  const sealed = mounts.filter(
    ({ access, isFolder }) => isFolder && (access === "hidden" || access === "listed"),
  );
  return [
    ...NAMESPACES,
    ...(network === "all" ? [] : ["--unshare-net"]),
    ...mountArgs(root),
    ...DEVICES,
    ...mounts.filter((mount) => mount !== root).flatMap(mountArgs),
    ...lent.flatMap(({ source, path }) => ["--ro-bind", source, path]),
    // What a server writes into a hidden folder would be lost without a word.
    ...sealed.flatMap(({ path }) => ["--remount-ro", path]),
    "--seccomp",
    String(filterFd),
    "--clearenv",
    ...Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]),
    "--chdir",
    cwd,
  ];
}

function mountArgs({ path, access, isFolder, entries = [] }: Mount): string[] {
  if (access === "listed") return ["--tmpfs", path, ...entries.flatMap(entryArgs)];
  if (access === "write") return ["--bind", path, path];
  if (access === "read") return ["--ro-bind", path, path];
  if (access === "private") return ["--perms", "1777", "--tmpfs", path];
  return isFolder ? ["--tmpfs", path] : ["--ro-bind", "/dev/null", path];
}

function entryArgs({ path, target }: Entry): string[] {
  return target === undefined ? ["--ro-bind-try", path, path] : ["--symlink", target, path];
}
