/**
 * What a registry says of a server (`server.json`, and what the registry adds to it), as far as it is used here.
 * Anybody can publish there, so every text and every list has a bound, and nothing is believed: what it means for this
 * machine is decided where it is used. Keys that are not known are left out.
 */
import * as z from "zod";

/** Longer than any address, path or flag that is meant to be read. */
const TEXT_LENGTH_MAX = 4096;
/** The registry's own bound for descriptions is 100. */
const DESCRIPTION_LENGTH_MAX = 2000;
/** More arguments, variables or packages than any published server has. */
const LIST_LENGTH_MAX = 100;

const text = z.string().max(TEXT_LENGTH_MAX);
const list = <T extends z.ZodType>(item: T) => z.array(item).max(LIST_LENGTH_MAX).nullish();

/** A reverse-DNS namespace and a name: `io.github.acme/notes`. */
export const SERVER_NAME =
  /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,98}[A-Za-z0-9])?\/[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?$/;
/** One version, and not a range or a tag. */
export const VERSION = /^[A-Za-z0-9][A-Za-z0-9.+!_-]{0,254}$/;

const FORMATS = ["string", "number", "boolean", "filepath"] as const;

const input = {
  description: z.string().max(DESCRIPTION_LENGTH_MAX).nullish(),
  isRequired: z.boolean().nullish(),
  isSecret: z.boolean().nullish(),
  format: z.enum(FORMATS).nullish(),
  value: text.nullish(),
  default: text.nullish(),
  placeholder: text.nullish(),
  choices: list(text),
};
const variable = z.object(input);
const variables = z
  .record(z.string().max(100), variable)
  .refine((map) => Object.keys(map).length <= LIST_LENGTH_MAX)
  .nullish();

const keyValue = z.object({ ...input, variables, name: z.string().min(1).max(200) });
const argument = z.discriminatedUnion("type", [
  z.object({
    ...input,
    variables,
    type: z.literal("positional"),
    valueHint: z.string().max(200).nullish(),
    isRepeated: z.boolean().nullish(),
  }),
  z.object({
    ...input,
    variables,
    type: z.literal("named"),
    name: z.string().min(1).max(200),
    isRepeated: z.boolean().nullish(),
  }),
]);

const transport = z.object({
  type: z.string().max(50),
  url: text.nullish(),
  headers: list(keyValue),
  variables,
});

const publishedPackage = z.object({
  registryType: z.string().max(50),
  registryBaseUrl: text.nullish(),
  identifier: z.string().min(1).max(TEXT_LENGTH_MAX),
  version: z.string().max(255).nullish(),
  fileSha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/i)
    .nullish(),
  runtimeHint: z.string().max(100).nullish(),
  transport,
  runtimeArguments: list(argument),
  packageArguments: list(argument),
  environmentVariables: list(keyValue),
});

const detail = z.object({
  name: z.string().regex(SERVER_NAME),
  title: z.string().max(200).nullish(),
  description: z.string().max(DESCRIPTION_LENGTH_MAX).default(""),
  version: z.string().regex(VERSION),
  status: z.string().max(50).nullish(),
  packages: list(publishedPackage),
  remotes: list(transport),
});

const OFFICIAL = "io.modelcontextprotocol.registry/official";
const official = z.object({
  status: z.string().max(50).nullish(),
  statusMessage: z.string().max(DESCRIPTION_LENGTH_MAX).nullish(),
});

/** One item of an answer. */
const response = z.object({
  server: detail,
  _meta: z.object({ [OFFICIAL]: official.nullish() }).nullish(),
});

/** An answer with several; what an item is like is checked for each by itself. */
export const serverListSchema = z.object({
  servers: z.array(z.unknown()).max(1000).nullish(),
  metadata: z.object({ nextCursor: z.string().max(1000).nullish() }).nullish(),
});

export type PublishedInput = z.output<typeof variable> & {
  readonly variables?: z.output<typeof variables>;
};
export type PublishedArgument = z.output<typeof argument>;
export type PublishedKeyValue = z.output<typeof keyValue>;
export type PublishedPackage = z.output<typeof publishedPackage>;
export type PublishedTransport = z.output<typeof transport>;

/** A server as a registry has it. */
export interface PublishedServer extends Omit<z.output<typeof detail>, "status"> {
  /** `active`, `deprecated`, `deleted`, or a word of the registry's own. */
  readonly status: string;
  readonly statusMessage?: string;
}

/** Undefined for what cannot be used. */
export function readPublishedServer(value: unknown): PublishedServer | undefined {
  const read = response.safeParse(value);
  if (!read.success) return undefined;
  const { server, _meta } = read.data;
  const said = _meta?.[OFFICIAL];
  const status = said?.status ?? server.status ?? "active";
  const { statusMessage } = said ?? {};
  return { ...server, status, ...(statusMessage != null && { statusMessage }) };
}

/** How the server is started or reached, a word for each way. */
export function kindsOf({ packages, remotes }: PublishedServer): string[] {
  const kinds = (packages ?? []).map(({ registryType }) => registryType);
  return [...new Set([...kinds, ...((remotes ?? []).length > 0 ? ["remote"] : [])])];
}
