/** Which package a command fetches and runs, and whether it says exactly which version of it. */
import { indexOfCommand, programOf } from "./installer.ts";

export interface PackageRun {
  /** Where it comes from: the registry of npm, the Python index, or a registry of images. */
  readonly kind: "npm" | "pypi" | "image";
  readonly name: string;
  /** As it is written: a version, a range, a tag; undefined where nothing is. */
  readonly version?: string;
  /** Whether this is one version for good. A tag of an image can be moved, so only its digest is. */
  readonly isExact: boolean;
  /** The place of the package in the arguments. */
  readonly at: number;
}

/** The words before the package, and the flags among them that take the next word. */
interface Runner {
  readonly kind: PackageRun["kind"];
  /** `exec` of `npm exec`; where there are several, any of them. */
  readonly words?: readonly (readonly string[])[];
  /** Flags whose value is the package itself. */
  readonly named: readonly string[];
  readonly valued: readonly string[];
}

const NPM = {
  kind: "npm",
  named: ["-p", "--package"],
  valued: ["-c", "--call", "--registry", "-w", "--workspace"],
} as const;
const PYPI = {
  kind: "pypi",
  named: ["--from", "--spec"],
  valued: [
    "--with",
    "--python",
    "-p",
    "--index",
    "--index-url",
    "-i",
    "--extra-index-url",
    "--default-index",
    "--pip-args",
  ],
} as const;
const IMAGE = {
  kind: "image",
  words: [["run"], ["container", "run"]],
  named: [],
  valued: (
    "-e --env --env-file -v --volume --mount -p --publish --name --network --net -w --workdir -u --user --entrypoint " +
    "-l --label --platform --add-host -m --memory --cpus --pull -h --hostname --cap-add --cap-drop --security-opt " +
    "--device --gpus --restart --ulimit --tmpfs --dns --ipc --pid --userns --shm-size --log-driver --log-opt --cidfile"
  ).split(" "),
} as const;

const RUNNERS: ReadonlyMap<string, Runner> = new Map<string, Runner>([
  ["npx", NPM],
  ["pnpx", NPM],
  ["bunx", NPM],
  ["npm", { ...NPM, words: [["exec"], ["x"]] }],
  ["pnpm", { ...NPM, words: [["dlx"]] }],
  ["yarn", { ...NPM, words: [["dlx"]] }],
  ["bun", { ...NPM, words: [["x"]] }],
  ["uvx", PYPI],
  ["uv", { ...PYPI, words: [["tool", "run"]] }],
  ["pipx", { ...PYPI, words: [["run"]] }],
  ["docker", IMAGE],
  ["podman", IMAGE],
]);

/** Undefined where the command fetches nothing, or it is not sure what. */
export function findPackageRun(command: string, args: readonly string[]): PackageRun | undefined {
  const program = programOf(command);
  if (program === "env") {
    const at = indexOfCommand(args);
    const inner = at < args.length ? findPackageRun(args[at]!, args.slice(at + 1)) : undefined;
    return inner && { ...inner, at: inner.at + at + 1 };
  }
  const runner = RUNNERS.get(program);
  if (runner === undefined) return undefined;
  const begin = beginOf(args, runner.words ?? [[]]);
  const at = begin === undefined ? undefined : packageAt(args, begin, runner);
  const read = at === undefined ? undefined : READERS[runner.kind](specOf(args[at]!, runner));
  return read && { ...read, kind: runner.kind, at: at! };
}

/** What kind of package a command would fetch, also where it is not sure which. */
export function packageKindOf(command: string, args: readonly string[]): PackageRun["kind"] | undefined {
  const program = programOf(command);
  if (program === "env") {
    const at = indexOfCommand(args);
    return at < args.length ? packageKindOf(args[at]!, args.slice(at + 1)) : undefined;
  }
  const runner = RUNNERS.get(program);
  return runner === undefined || beginOf(args, runner.words ?? [[]]) === undefined ? undefined : runner.kind;
}

function beginOf(args: readonly string[], words: readonly (readonly string[])[]): number | undefined {
  return words.find((some) => some.every((word, i) => args[i] === word))?.length;
}

function packageAt(args: readonly string[], begin: number, { named, valued }: Runner): number | undefined {
  for (let at = begin; at < args.length; at++) {
    const word = args[at]!;
    if (named.includes(word)) return at + 1 < args.length ? at + 1 : undefined;
    if (named.some((flag) => word.startsWith(`${flag}=`))) return at;
    if (valued.includes(word)) at++;
    else if (word !== "--" && !word.startsWith("-")) return at;
  }
  return undefined;
}

function specOf(word: string, { named }: Runner): string {
  const flag = named.find((one) => word.startsWith(`${one}=`));
  return flag === undefined ? word : word.slice(flag.length + 1);
}

type Read = Pick<PackageRun, "name" | "version" | "isExact"> | undefined;

const VERSION = /^\d{1,10}\.\d{1,10}\.\d{1,10}(?:-[0-9A-Za-z.-]{1,100})?(?:\+[0-9A-Za-z.-]{1,100})?$/;
const NPM_SPEC =
  /^((?:@[a-z0-9~][a-z0-9._~-]{0,100}\/)?[a-z0-9~][a-z0-9._~-]{0,100})(?:@([^\s/:]{1,100}))?$/i;
const PYPI_SPEC =
  /^([a-z0-9][a-z0-9._-]{0,100})(?:\[[a-z0-9,._-]{0,100}\])?(?:(?:@|==)([0-9a-z.+!-]{1,100})|[<>~!=].{1,100})?$/i;
const IMAGE_SPEC =
  /^([a-z0-9][a-z0-9._-]{0,100}(?::\d{1,5}(?=\/))?(?:\/[a-z0-9][a-z0-9._-]{0,100}){0,6})(?::([\w.-]{1,128}))?(?:@sha256:([0-9a-f]{64}))?$/i;

/** A path, an address or a git reference is none of these: whoever writes one knows where it comes from. */
const READERS: Readonly<Record<PackageRun["kind"], (spec: string) => Read>> = {
  npm(spec) {
    const [, name, version] = NPM_SPEC.exec(spec) ?? [];
    return name === undefined ? undefined : readOf(name, version, VERSION.test(version ?? ""));
  },
  pypi(spec) {
    const [, name, version] = PYPI_SPEC.exec(spec) ?? [];
    return name === undefined ? undefined : readOf(name, version, /^\d/.test(version ?? ""));
  },
  image(spec) {
    const [, name, tag, digest] = IMAGE_SPEC.exec(spec) ?? [];
    return name === undefined ? undefined : readOf(name, digest ?? tag, digest !== undefined);
  },
};

function readOf(name: string, version: string | undefined, isExact: boolean): Read {
  return { name, ...(version !== undefined && { version }), isExact };
}

/** The arguments with exactly this version of the package. */
export function withVersion(args: readonly string[], { at, name }: PackageRun, version: string): string[] {
  const before = args[at]!;
  const flag = /^--?[a-z-]{1,20}=/.exec(before)?.[0] ?? "";
  return args.with(at, `${flag}${name}@${version}`);
}
