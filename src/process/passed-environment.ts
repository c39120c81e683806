/**
 * What a server's process gets of the gateway's own environment. Everything else stays here: a variable may be a
 * secret, or a capability such as the keys of an SSH agent, and a server that needs it says so in its `env`.
 *
 * In are the names by which programs find their files, their user and their language; by which installers find
 * registries, caches and the ways out of a company's network; and none that is a credential by itself. A proxy or an
 * index may carry a password in its URL. It has to work, so it is passed, and known as a secret wherever something is
 * shown.
 */
export interface PassedGroup {
  readonly what: string;
  /** A name that ends in `*` means all that begin so. */
  readonly names: readonly string[];
  /** Written in capitals here, and passed in small letters too. */
  readonly inBothCases?: true;
}

export const PASSED_GROUPS: readonly PassedGroup[] = [
  {
    what: "the user, the programs, the language",
    names: ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_*", "TZ", "TMPDIR", "TERM"],
  },
  {
    what: "folders",
    names: [
      "XDG_CONFIG_HOME",
      "XDG_CACHE_HOME",
      "XDG_DATA_HOME",
      "XDG_STATE_HOME",
      "XDG_RUNTIME_DIR",
      "XDG_CONFIG_DIRS",
      "XDG_DATA_DIRS",
    ],
  },
  {
    what: "proxies",
    names: ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY"],
    inBothCases: true,
  },
  {
    what: "certificates",
    names: [
      "NODE_EXTRA_CA_CERTS",
      "NODE_USE_SYSTEM_CA",
      "NODE_USE_ENV_PROXY",
      "SSL_CERT_FILE",
      "SSL_CERT_DIR",
      "REQUESTS_CA_BUNDLE",
      "CURL_CA_BUNDLE",
      "AWS_CA_BUNDLE",
      "GIT_SSL_CAINFO",
      "GIT_SSL_CAPATH",
      "DENO_CERT",
      "DENO_TLS_CA_STORE",
    ],
  },
  {
    // `npm run` and `npx` set dozens more, and a token may be among them.
    what: "npm",
    names: [
      "NPM_CONFIG_CACHE",
      "NPM_CONFIG_REGISTRY",
      "NPM_CONFIG_PROXY",
      "NPM_CONFIG_HTTP_PROXY",
      "NPM_CONFIG_HTTPS_PROXY",
      "NPM_CONFIG_NOPROXY",
      "NPM_CONFIG_CA",
      "NPM_CONFIG_CAFILE",
      "NPM_CONFIG_STRICT_SSL",
      "NPM_CONFIG_PREFIX",
      "NPM_CONFIG_USERCONFIG",
      "NPM_CONFIG_GLOBALCONFIG",
      "NPM_CONFIG_OFFLINE",
      "NPM_CONFIG_PREFER_OFFLINE",
    ],
    inBothCases: true,
  },
  {
    what: "uv and pip",
    names: [
      "UV_INDEX",
      "UV_INDEX_URL",
      "UV_DEFAULT_INDEX",
      "UV_EXTRA_INDEX_URL",
      "UV_FIND_LINKS",
      "UV_INSECURE_HOST",
      "UV_NATIVE_TLS",
      "UV_SYSTEM_CERTS",
      "UV_HTTP_TIMEOUT",
      "UV_OFFLINE",
      "UV_CACHE_DIR",
      "UV_TOOL_DIR",
      "UV_TOOL_BIN_DIR",
      "UV_PYTHON",
      "UV_PYTHON_PREFERENCE",
      "UV_PYTHON_INSTALL_DIR",
      "UV_PYTHON_INSTALL_MIRROR",
      "UV_CONFIG_FILE",
      "PIP_INDEX_URL",
      "PIP_EXTRA_INDEX_URL",
      "PIP_FIND_LINKS",
      "PIP_TRUSTED_HOST",
      "PIP_CERT",
      "PIP_PROXY",
      "PIP_CACHE_DIR",
      "PIP_CONFIG_FILE",
      "PIPX_HOME",
      "PIPX_BIN_DIR",
    ],
  },
  {
    what: "where programs and packages are installed",
    names: [
      "NVM_DIR",
      "FNM_DIR",
      "VOLTA_HOME",
      "PNPM_HOME",
      "BUN_INSTALL",
      "BUN_INSTALL_CACHE_DIR",
      "DENO_DIR",
      "COREPACK_HOME",
      "YARN_CACHE_FOLDER",
      "YARN_GLOBAL_FOLDER",
      "ASDF_DIR",
      "ASDF_DATA_DIR",
      "MISE_DATA_DIR",
      "MISE_CONFIG_DIR",
      "MISE_CACHE_DIR",
      "PYENV_ROOT",
      "CARGO_HOME",
      "RUSTUP_HOME",
      "GOPATH",
      "GOROOT",
      "GOPROXY",
      "JAVA_HOME",
      "HOMEBREW_PREFIX",
    ],
  },
  {
    what: "containers",
    names: [
      "DOCKER_HOST",
      "DOCKER_CONTEXT",
      "DOCKER_CONFIG",
      "DOCKER_CERT_PATH",
      "DOCKER_TLS_VERIFY",
      "CONTAINER_HOST",
      "CONTAINER_CONNECTION",
    ],
  },
];

/** On Windows as well, where names have no case and most programs do not start without these. */
export const WINDOWS_GROUP: PassedGroup = {
  what: "Windows",
  names: [
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
    "PROGRAMFILES(X86)",
    "PROGRAMW6432",
    "COMMONPROGRAMFILES",
    "ALLUSERSPROFILE",
    "USERPROFILE",
    "USERNAME",
    "HOMEDRIVE",
    "HOMEPATH",
    "PROCESSOR_ARCHITECTURE",
    "NUMBER_OF_PROCESSORS",
  ],
};

const POSIX = matcherOf(PASSED_GROUPS);
const WINDOWS = matcherOf(
  [...PASSED_GROUPS, WINDOWS_GROUP].map((group) => ({ ...group, inBothCases: true })),
);

/** The variables that every server gets; an empty one says nothing, and is left out. */
export function passedEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> {
  const isPassed = platform === "win32" ? WINDOWS : POSIX;
  const passed = Object.entries(environment).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== "" && isPassed(entry[0]),
  );
  return Object.fromEntries(passed);
}

function matcherOf(groups: readonly PassedGroup[]): (name: string) => boolean {
  const exact = new Set<string>();
  const anyCase = new Set<string>();
  const beginnings: string[] = [];
  for (const { names, inBothCases } of groups) {
    for (const name of names) {
      if (name.endsWith("*")) beginnings.push(name.slice(0, -1));
      else (inBothCases === true ? anyCase : exact).add(name);
    }
  }
  return (name) =>
    exact.has(name) ||
    anyCase.has(name.toUpperCase()) ||
    beginnings.some((beginning) => name.startsWith(beginning));
}

/** For the page on servers: a row for each group. */
export function describePassed(): string {
  const rows = [...PASSED_GROUPS, WINDOWS_GROUP].map(({ what, names, inBothCases }) => {
    const listed = names.map((name) => `\`${name}\``).join(", ");
    return `| ${what} | ${listed}${inBothCases === true ? ", also in small letters" : ""} |`;
  });
  return ["| for | names |", "|---|---|", ...rows].join("\n");
}
