/**
 * A launch → the same one behind bubblewrap. The server keeps its arguments, its streams and its folder; its environment
 * loses what leads out of the sandbox.
 *
 * Nothing of that environment is that of the shell and of bwrap, which run outside: a variable such as LD_PRELOAD would
 * bring the server's code there. They have none, and bwrap reads the variables from a descriptor, where no list of
 * processes shows them.
 */
import { existsSync } from "node:fs";
import type { Socket } from "node:net";
import { dirname, resolve } from "node:path";
import { networkOf, type Isolation } from "./isolation.ts";
import { CHANNEL_FD, FILTER_FD, OPTIONS_FD, type Launch } from "../launch.ts";
import { IS_SOURCE, programFile } from "../program-file.ts";
import { bubblewrapArgs, type LentFile } from "./bubblewrap.ts";
import { hiddenPlaces, WITHHELD_VARIABLES } from "./hidden-places.ts";
import { accessAt, isUnseen, planMounts, realPathOf, type Mount } from "./mounts.ts";
import { systemCallFilter } from "./system-call-filter.ts";

export interface IsolatedWith {
  readonly isolation: Isolation;
  /** What no config opens: the gateway's own home and config. */
  readonly keptAway: readonly string[];
  /** The file of `bwrap`. */
  readonly backend: string;
  /** Gets the gateway's end of the way out, where the network is filtered. */
  readonly onChannel?: ((channel: Socket) => void) | undefined;
}

export type IsolatedLaunch =
  | { readonly ok: true; readonly launch: Launch }
  | { readonly ok: false; readonly reason: string };

/** The only port in the server's network, which is its own; so it is always free. */
const RELAY_PORT = 3128;
const RELAY_NODE = "/run/repertoire/node";
const RELAY_FILE = `/run/repertoire/relay.${IS_SOURCE ? "mts" : "mjs"}`;

export function isolateLaunch(
  launch: Launch,
  { isolation, keptAway, backend, onChannel }: IsolatedWith,
): IsolatedLaunch {
  const planned = planMounts(isolation.filesystem, { cwd: launch.cwd, keptAway, hidden: hiddenPlaces() });
  if (!planned.ok) return planned;
  const unseen = findUnseenProgram(launch.file, planned.mounts);
  if (unseen !== undefined) return { ok: false, reason: unseen };
  const filter = systemCallFilter();
  if (filter === undefined) return { ok: false, reason: `the system calls of ${process.arch} are not known` };
  const network = networkOf(isolation);
  const isFiltered = network === "filtered";
  const lent = isFiltered ? relayFiles() : network === "all" ? resolverFiles(planned.mounts) : [];
  const options = bubblewrapArgs({
    mounts: planned.mounts,
    network,
    cwd: realPathOf(launch.cwd),
    lent,
    filterFd: FILTER_FD,
    env: isolatedEnvironment(launch.env, isFiltered),
  });
  const relay = isFiltered ? [RELAY_NODE, RELAY_FILE, String(CHANNEL_FD), String(RELAY_PORT)] : [];
  return {
    ok: true,
    launch: {
      file: backend,
      args: ["--args", String(OPTIONS_FD), "--", ...relay, launch.file, ...launch.args],
      env: {},
      cwd: launch.cwd,
      isolated: {
        filter,
        options: asOptions(options),
        ...(isFiltered && onChannel !== undefined && { onChannel }),
      },
    },
  };
}

/** As bwrap reads them: each ends with a NUL. */
function asOptions(options: readonly string[]): Buffer {
  return Buffer.from(options.map((option) => `${option}\0`).join(""));
}

/** Without this, bubblewrap would only say that there is no such file. */
function findUnseenProgram(file: string, mounts: readonly Mount[]): string | undefined {
  const path = realPathOf(file);
  const isHidden = [file, path].some((one) => isUnseen(accessAt(resolve(one), mounts)));
  return isHidden
    ? `its program ${file} is in a hidden folder: name ${dirname(path)} in allowRead`
    : undefined;
}

function relayFiles(): LentFile[] {
  return [
    { source: realPathOf(process.execPath), path: RELAY_NODE },
    { source: programFile("relay"), path: RELAY_FILE },
  ];
}

const RESOLVER = "/etc/resolv.conf";

/** With a network of its own kind, names are resolved by a file that is often kept in a folder that is hidden. */
function resolverFiles(mounts: readonly Mount[]): LentFile[] {
  const path = realPathOf(RESOLVER);
  return existsSync(path) && isUnseen(accessAt(path, mounts)) ? [{ source: path, path }] : [];
}

type Environment = Readonly<Record<string, string>>;

function isolatedEnvironment(env: Environment, isFiltered: boolean): Record<string, string> {
  const kept = Object.entries(env).filter(
    ([name]) => !WITHHELD_VARIABLES.includes(name) && !(isFiltered && PROXY_NAMES.has(name.toUpperCase())),
  );
  return { ...Object.fromEntries(kept), TMPDIR: "/tmp", ...(isFiltered && proxyVariables()) };
}

const PROXY_NAMES: ReadonlySet<string> = new Set(["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"]);

function proxyVariables(): Record<string, string> {
  const proxy = `http://127.0.0.1:${RELAY_PORT}`;
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
  const both = names.flatMap((name) => [name, name.toLowerCase()]);
  // Node asks for it; everything else reads the names.
  return { ...Object.fromEntries(both.map((name) => [name, proxy])), NODE_USE_ENV_PROXY: "1" };
}
