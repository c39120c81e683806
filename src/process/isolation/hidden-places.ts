/** What an isolated server never sees unless its config opens it: credentials, and the ways to other programs. */
import { homedir } from "node:os";
import { join } from "node:path";

/** In the user's folder. Each may be a folder or a file; what is not there is not hidden. */
export const CREDENTIAL_PLACES: readonly string[] = [
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".kube",
  ".docker",
  ".config/gh",
  ".config/gcloud",
  ".config/containers",
  ".config/git/credentials",
  ".config/op",
  ".config/rclone",
  ".config/doctl",
  ".config/google-chrome",
  ".config/chromium",
  ".config/BraveSoftware",
  ".config/microsoft-edge",
  ".config/github-copilot",
  ".config/Code/User/globalStorage",
  ".git-credentials",
  ".netrc",
  ".npmrc",
  ".yarnrc.yml",
  ".pypirc",
  ".pgpass",
  ".my.cnf",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".gem/credentials",
  ".terraform.d",
  ".vault-token",
  ".password-store",
  ".local/share/keyrings",
  ".local/share/containers",
  ".mozilla",
  ".thunderbird",
  ".claude",
  ".claude.json",
  ".codex",
  ".gemini",
  ".cursor",
  ".codeium",
  ".bash_history",
  ".zsh_history",
];

/** Emptied for every isolated server: it has folders of its own there, which end with it. */
export const PRIVATE_FOLDERS: readonly string[] = ["/tmp", "/var/tmp"];

/** Sockets and files of other programs. */
const RUNTIME_FOLDERS: readonly string[] = ["/run", "/var/run"];

/** Their values lead out: to folders of sockets, or to a socket itself. */
const SOCKET_VARIABLES = ["SSH_AUTH_SOCK", "XDG_RUNTIME_DIR", "GPG_AGENT_INFO"] as const;
const ADDRESS_VARIABLES = ["DOCKER_HOST", "CONTAINER_HOST", "DBUS_SESSION_BUS_ADDRESS"] as const;

type Environment = Readonly<Record<string, string | undefined>>;

export function hiddenPlaces(env: Environment = process.env): string[] {
  const user = homedir();
  return [
    ...RUNTIME_FOLDERS,
    ...CREDENTIAL_PLACES.map((place) => join(user, place)),
    ...SOCKET_VARIABLES.map((name) => env[name] ?? ""),
    ...ADDRESS_VARIABLES.map((name) => /^unix:(?:\/\/|path=)([^,;]+)/.exec(env[name] ?? "")?.[1] ?? ""),
  ].filter((path) => path.startsWith("/"));
}

/** What leads to the places above, and is not passed on. */
export const WITHHELD_VARIABLES: readonly string[] = [
  ...SOCKET_VARIABLES,
  "DBUS_SESSION_BUS_ADDRESS",
  "WAYLAND_DISPLAY",
  "WSL_INTEROP",
];
