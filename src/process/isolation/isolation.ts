/**
 * What a server that is started in a sandbox may reach, in the words of VS Code's `sandbox` block. Everything that is
 * not allowed here is denied, except reading: files are readable unless they are denied.
 */
export interface Isolation {
  readonly filesystem: {
    /** What stays readable within folders that are hidden. */
    readonly allowRead: readonly string[];
    readonly denyRead: readonly string[];
    readonly allowWrite: readonly string[];
    /** What stays read-only within folders that may be written. */
    readonly denyWrite: readonly string[];
  };
  readonly network: {
    /** Names, `*.name`, addresses, or `*` for the whole network. None: no network. */
    readonly allowedDomains: readonly string[];
    readonly deniedDomains: readonly string[];
  };
}

/** What of the network an isolated server has. */
export type IsolatedNetwork = "none" | "filtered" | "all";

/** Only a `*` without exceptions gives the server the network itself; any exception needs the filter. */
export function networkOf({ network }: Isolation): IsolatedNetwork {
  const { allowedDomains, deniedDomains } = network;
  if (allowedDomains.length === 0) return "none";
  return allowedDomains.includes("*") && deniedDomains.length === 0 ? "all" : "filtered";
}

/** The same rules with other texts, such as without secrets. */
export function mapIsolation({ filesystem, network }: Isolation, map: (text: string) => string): Isolation {
  return {
    filesystem: {
      allowRead: filesystem.allowRead.map(map),
      denyRead: filesystem.denyRead.map(map),
      allowWrite: filesystem.allowWrite.map(map),
      denyWrite: filesystem.denyWrite.map(map),
    },
    network: {
      allowedDomains: network.allowedDomains.map(map),
      deniedDomains: network.deniedDomains.map(map),
    },
  };
}

/** For people, in one line. */
export function describeIsolation(isolation: Isolation): string {
  const { allowWrite, allowRead, denyRead, denyWrite } = isolation.filesystem;
  const files = [
    allowWrite.length === 0 ? "writes nothing" : `writes ${allowWrite.join(", ")}`,
    ...(denyWrite.length === 0 ? [] : [`except ${denyWrite.join(", ")}`]),
    ...(denyRead.length === 0 ? [] : [`does not read ${denyRead.join(", ")}`]),
    ...(allowRead.length === 0 ? [] : [`reads ${allowRead.join(", ")}`]),
  ];
  return `files: ${files.join(", ")}; network: ${describeNetwork(isolation)}`;
}

function describeNetwork(isolation: Isolation): string {
  const { allowedDomains, deniedDomains } = isolation.network;
  if (allowedDomains.length === 0) return "none";
  const except = deniedDomains.length === 0 ? "" : ` except ${deniedDomains.join(", ")}`;
  return `${allowedDomains.includes("*") ? "all" : allowedDomains.join(", ")}${except}`;
}
