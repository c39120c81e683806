/**
 * The command of a published package: exactly one version, started by the program that fetches it, with its words as
 * they are. What decides how it is fetched, or what a container gets at, is named as a risk, whatever it is.
 */
import { fail, succeed, type ToolResult } from "../core/result.ts";
import { quote } from "../text/quote.ts";
import {
  createQuestions,
  fixedWords,
  wordsOf,
  type Launch,
  type LaunchRisk,
  type Questions,
  type Template,
  type WordGroup,
} from "./launch.ts";
import type { PublishedKeyValue, PublishedPackage } from "./server-json.ts";

/** Enough to show any argument that is meant to be read. */
const SHOWN_LENGTH = 500;

const NPM_NAME = /^(?:@[a-z0-9~][a-z0-9._~-]{0,100}\/)?[a-z0-9~][a-z0-9._~-]{0,213}$/;
const NPM_VERSION = /^\d{1,10}\.\d{1,10}\.\d{1,10}(?:-[0-9A-Za-z.-]{1,100})?(?:\+[0-9A-Za-z.-]{1,100})?$/;
const PYPI_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?$/;
const PYPI_VERSION = /^\d[0-9A-Za-z.!+_-]{0,100}$/;
const IMAGE_PATH = String.raw`[a-z0-9][a-z0-9.-]{0,200}(?::\d{1,5})?(?:\/[a-z0-9][a-z0-9._-]{0,100}){1,6}`;
const IMAGE = new RegExp(
  `^(${IMAGE_PATH})(?::([A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(?:@sha256:([0-9a-f]{64}))?$`,
);

/** Where our own npm, uv and docker fetch from, as their users have set them up. */
const USUAL_SOURCES: Readonly<Record<string, readonly string[]>> = {
  npm: ["https://registry.npmjs.org"],
  pypi: ["https://pypi.org"],
  oci: ["https://docker.io", "https://registry-1.docker.io"],
};

/** Words that change nothing: what is written anyway. */
const HARMLESS: Readonly<Record<string, readonly string[]>> = {
  npm: ["-y", "--yes"],
  pypi: [],
  oci: ["run", "-i", "--interactive", "--rm"],
};

export function launchPackage(published: PublishedPackage): ToolResult<Launch> {
  const kind = published.registryType;
  const source = findForeignSource(published);
  if (source !== undefined) return source;
  switch (kind) {
    case "npm":
      return launchNpm(published);
    case "pypi":
      return launchPypi(published);
    default:
      return launchImage(published);
  }
}

function findForeignSource({
  registryType,
  registryBaseUrl,
}: PublishedPackage): ToolResult<never> | undefined {
  const usual = USUAL_SOURCES[registryType] ?? [];
  if (registryBaseUrl == null || usual.includes(registryBaseUrl.replace(/\/+$/, ""))) return undefined;
  return malformed(`its package is not on ${usual[0]} but on ${quote(registryBaseUrl, SHOWN_LENGTH)}`);
}

function launchNpm(published: PublishedPackage): ToolResult<Launch> {
  const { identifier, version } = published;
  if (!NPM_NAME.test(identifier)) return badName("npm package", identifier);
  if (version == null || !NPM_VERSION.test(version)) return badVersion(identifier, version);
  return succeed(programOf(published, "npm", "npx", [["-y"]], `${identifier}@${version}`));
}

function launchPypi(published: PublishedPackage): ToolResult<Launch> {
  const { identifier, version } = published;
  if (!PYPI_NAME.test(identifier)) return badName("Python package", identifier);
  if (version == null || !PYPI_VERSION.test(version)) return badVersion(identifier, version);
  return succeed(programOf(published, "pypi", "uvx", [], `${identifier}==${version}`));
}

/** Older entries have the tag as a version of its own. */
function launchImage(published: PublishedPackage): ToolResult<Launch> {
  const { identifier, version } = published;
  const [, path, tag = version ?? undefined, digest] = IMAGE.exec(identifier) ?? [];
  if (path === undefined) return badName("image", identifier);
  if (digest === undefined && (tag === undefined || tag === "latest" || !/^[\w][\w.-]{0,127}$/.test(tag)))
    return badVersion(identifier, tag);
  const image = digest === undefined ? `${path}:${tag}` : `${path}@sha256:${digest}`;
  const variables = (published.environmentVariables ?? []).map(({ name }) => ["-e", name]);
  return succeed(programOf(published, "oci", "docker", [["run"], ["-i"], ["--rm"], ...variables], image));
}

function programOf(
  published: PublishedPackage,
  kind: "npm" | "pypi" | "oci",
  command: string,
  before: readonly (readonly string[])[],
  spec: string,
): Launch {
  const questions = createQuestions();
  const fixed = before.map((words) => words.map((word) => [word]));
  const runtime = (published.runtimeArguments ?? [])
    .map((argument) => wordsOf(argument, questions))
    .filter((group) => !isHarmless(kind, group, published));
  const own = (published.packageArguments ?? []).map((argument) => wordsOf(argument, questions));
  const { fileSha256 } = published;
  return {
    kind,
    program: {
      command,
      args: [...fixed, ...runtime, [[spec]], ...own],
      env: variablesOf(published.environmentVariables, questions),
    },
    questions: questions.list,
    risks: [
      ...runtime.map((group) => runtimeRisk(command, group)),
      ...(published.environmentVariables ?? []).flatMap(variableRisk),
    ],
    ...(fileSha256 != null && { sha256: fileSha256.toLowerCase() }),
  };
}

export function variablesOf(
  given: readonly PublishedKeyValue[] | null | undefined,
  questions: Questions,
): Map<string, Template> {
  return new Map(
    (given ?? []).map((variable) => [variable.name, questions.templateOf(variable.name, variable)]),
  );
}

/** `-e NAME` of a variable that is declared is written anyway. */
function isHarmless(kind: string, group: WordGroup, { environmentVariables }: PublishedPackage): boolean {
  const words = fixedWords(group);
  if (words === undefined) return false;
  const [flag, value] = words;
  const isDeclared = (environmentVariables ?? []).some(({ name }) => name === value);
  if (kind === "oci" && words.length === 2 && ["-e", "--env"].includes(flag!) && isDeclared) return true;
  return words.every((word) => HARMLESS[kind]!.includes(word));
}

function runtimeRisk(command: string, group: WordGroup): LaunchRisk {
  const shown = group.map((template) =>
    template.map((part) => (typeof part === "string" ? part : `{${part.ask}}`)).join(""),
  );
  const what = command === "docker" ? "what the container gets at" : "what is fetched and run";
  return {
    kind: "reach",
    message: `${quote(shown.join(" "), SHOWN_LENGTH)} is an argument of ${command} itself, and decides ${what}.`,
  };
}

/** Variables that the programs which fetch it read, or that decide which program is found. */
const DECIDING =
  /^(?:npm_config_|uv_|pip_|docker_|container_|repertoire_|git_|node_|python|(?:path|home|shell|ifs|tmpdir)$)/i;

export function variableRisk({ name }: Pick<PublishedKeyValue, "name">): LaunchRisk[] {
  if (!DECIDING.test(name)) return [];
  return [
    {
      kind: "reach",
      message: `The variable ${quote(name)} decides what is fetched, or which program is found.`,
    },
  ];
}

/** Its words may not move a cursor, end a line or name what no system knows. */
export function findTextProblem(launch: Launch): string | undefined {
  const { program, remote } = launch;
  const named = [...(program?.env.keys() ?? [])];
  const bad = named.find((name) => !/^[A-Za-z_][A-Za-z0-9_]{0,199}$/.test(name) || name === "__proto__");
  if (bad !== undefined) return `${quote(bad)} is no name of a variable`;
  const header = [...(remote?.headers.keys() ?? [])].find(
    (name) => !/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}$/.test(name),
  );
  if (header !== undefined) return `${quote(header)} is no name of a header`;
  const templates = [
    ...(program?.args.flat() ?? []),
    ...(program?.env.values() ?? []),
    ...(remote === undefined ? [] : [remote.url, ...remote.headers.values()]),
  ];
  const texts = [...templates.flat().filter((part) => typeof part === "string"), ...defaultsOf(launch)];
  const text = texts.find((one) => /\p{Cc}/u.test(one));
  return text === undefined ? undefined : `${quote(text)} has control characters`;
}

function defaultsOf({ questions }: Launch): string[] {
  return questions.flatMap((question) => [...(question.default ?? []), ...(question.choices ?? [])]);
}

function badName(what: string, identifier: string): ToolResult<never> {
  return malformed(
    `${quote(identifier, SHOWN_LENGTH)} is no name of an ${what}`.replace("an Python", "a Python"),
  );
}

function badVersion(identifier: string, version: string | null | undefined): ToolResult<never> {
  const written = version == null ? "no version" : `the version ${quote(version)}`;
  return malformed(`${quote(identifier)} has ${written}, which is not exactly one`);
}

/** What a registry says and nobody may be led into. */
export function malformed(what: string): ToolResult<never> {
  return fail("SECURITY_ERROR", `The entry is refused: ${what}.`, {
    reason: "entry_refused",
    hint: "Nothing was changed. Tell its publisher, or add the server by hand: repertoire add NAME -- COMMAND",
  });
}
