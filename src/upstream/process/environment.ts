/** What a program needs to find its files, its user and its language. Anything else of the gateway may be a secret. */
const POSIX_NAMES = new Set(["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TMPDIR", "TERM"]);

/** The same for Windows, where names have no case, and where most programs do not start without these. */
const WINDOWS_NAMES = new Set([
  "PATH",
  "PATHEXT",
  "SYSTEMROOT",
  "SYSTEMDRIVE",
  "WINDIR",
  "COMSPEC",
  "TEMP",
  "TMP",
  "APPDATA",
  "LOCALAPPDATA",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "USERPROFILE",
  "USERNAME",
  "HOMEDRIVE",
  "HOMEPATH",
  "PROCESSOR_ARCHITECTURE",
  "NUMBER_OF_PROCESSORS",
]);

/** The environment of a server: its own variables over the few of the gateway that every program needs. */
export function childEnvironment(
  own: Readonly<Record<string, string>>,
  parent: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const passed = Object.entries(parent).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isPassedOn(entry[0]),
  );
  return Object.fromEntries([...passed, ...Object.entries(own)]);
}

function isPassedOn(name: string): boolean {
  if (process.platform === "win32") return WINDOWS_NAMES.has(name.toUpperCase());
  return POSIX_NAMES.has(name) || name.startsWith("LC_");
}

/**
 * The first variable that `/bin/sh` would not hand on: some shells drop a name that they cannot spell. A server without a
 * variable that its config names is harder to understand than one that does not start.
 */
export function findLostName(environment: Readonly<Record<string, string>>): string | undefined {
  return Object.keys(environment).find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
}
