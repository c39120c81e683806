/**
 * What this machine has to isolate a server: bubblewrap, where the kernel lets it. It is found out by running it, once in
 * a process and not before a server needs it. A machine without it starts no isolated server.
 */
import { execFile } from "node:child_process";
import { accessSync, constants, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { DEVICES, NAMESPACES } from "./bubblewrap.ts";
import { systemCallFilter } from "./system-call-filter.ts";

export type Backend =
  | { readonly kind: "bubblewrap"; readonly file: string }
  | ({ readonly kind: "none"; readonly reason: string } & Cure);

/** `hint` is a sentence; `command` is what it says, where it is one command. */
interface Cure {
  readonly hint: string;
  readonly command?: string;
}

/** It takes some milliseconds; a machine that needs longer does not answer at all. */
const TRIAL_MS_MAX = 10_000;

let found: Promise<Backend> | undefined;

export function findBackend(): Promise<Backend> {
  found ??= lookForBackend();
  return found;
}

/** `findBackend` without its memory, for another PATH or platform. */
export async function lookForBackend(
  path: string = process.env["PATH"] ?? "/usr/bin:/bin",
  platform: NodeJS.Platform = process.platform,
): Promise<Backend> {
  if (platform !== "linux") return none(`${platform} has no bubblewrap`, OTHER_PLATFORM);
  if (systemCallFilter() === undefined)
    return none(`the system calls of ${process.arch} are not known`, OTHER_PROCESSOR);
  const file = findProgram("bwrap", path);
  if (file === undefined) return none("bubblewrap (bwrap) is not in PATH", INSTALL);
  const problem = await tryOut(file);
  return problem === undefined ? { kind: "bubblewrap", file } : none(problem, cureForKernel());
}

const INSTALL: Cure = {
  hint: "Install bubblewrap where the gateway runs: apt install bubblewrap, dnf install bubblewrap, apk add bubblewrap or pacman -S bubblewrap.",
  command: "sudo apt install bubblewrap",
};
const OTHER_PLATFORM: Cure = {
  hint: 'Sandboxed servers need Linux (or WSL): run the gateway there or in a container, or set "sandboxEnabled": false.',
};
const OTHER_PROCESSOR: Cure = { hint: "Run the gateway on x64 or arm64." };

function none(reason: string, cure: Cure): Backend {
  return { kind: "none", reason, ...cure };
}

function findProgram(name: string, path: string): string | undefined {
  const files = path.split(delimiter).filter((folder) => folder.startsWith("/"));
  return files.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Everything that a server's isolation asks of the kernel, around a program that does nothing. */
function tryOut(file: string): Promise<string | undefined> {
  const args = [...NAMESPACES, "--unshare-net", "--ro-bind", "/", "/", ...DEVICES, "--tmpfs", "/tmp"];
  return new Promise((resolve) => {
    const options = { timeout: TRIAL_MS_MAX, killSignal: "SIGKILL" as const };
    execFile(file, [...args, "--", "/bin/sh", "-c", ":"], options, (error, _stdout, stderr) => {
      resolve(
        error === null ? undefined : `bubblewrap does not work here: ${firstLine(stderr, error.message)}`,
      );
    });
  });
}

/** Its own words are about the kernel; more than a line says nothing more. */
const LINE_LENGTH_MAX = 200;

function firstLine(stderr: string, otherwise: string): string {
  const line = stderr.trim() === "" ? otherwise : stderr.trim();
  return line.split("\n")[0]!.slice(0, LINE_LENGTH_MAX);
}

/** The switches of the kernel say what is in the way; the words of bubblewrap do not decide. */
function cureForKernel(): Cure {
  if (readSwitch("kernel/apparmor_restrict_unprivileged_userns") === "1")
    return sysctl(
      "AppArmor keeps programs from making user namespaces; a profile for bwrap is the narrower cure",
      {
        name: "kernel.apparmor_restrict_unprivileged_userns",
        value: 0,
      },
    );
  if (readSwitch("kernel/unprivileged_userns_clone") === "0")
    return sysctl("The kernel keeps users from making user namespaces", {
      name: "kernel.unprivileged_userns_clone",
      value: 1,
    });
  if (readSwitch("user/max_user_namespaces") === "0")
    return sysctl("The kernel allows no user namespaces", {
      name: "user.max_user_namespaces",
      value: 15_000,
    });
  return {
    hint: "In a container, allow user namespaces and mounts within it (docs/servers.md), or run the gateway outside.",
  };
}

function sysctl(why: string, { name, value }: { name: string; value: number }): Cure {
  const command = `sudo sysctl -w ${name}=${value}`;
  return { hint: `${why}: ${command}`, command };
}

function readSwitch(name: string): string | undefined {
  try {
    return readFileSync(`/proc/sys/${name}`, "utf8").trim();
  } catch {
    return undefined;
  }
}
