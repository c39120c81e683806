import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { cut } from "../../text/cut.ts";
import { quote } from "../../text/quote.ts";
import {
  BODY_ARGUMENT,
  PARAMETER_PLACES,
  PARAMETER_STYLES,
  type ParameterPlace,
  type ParameterPlan,
  type ParameterStyle,
} from "../api-description.ts";
import { objectOf, type ApiDocument, type ApiDocuments, type Located } from "./api-documents.ts";
import { boundedSchema } from "./bounded-schema.ts";
import { INPUT_BOUNDS, NAME_LENGTH_MAX, PARAMETER_COUNT_MAX, WORDS_LENGTH_MAX } from "./limits.ts";
import { Unusable } from "./unusable.ts";

export interface ReadParameter {
  readonly plan: ParameterPlan;
  readonly schema: Json;
  readonly isRequired: boolean;
}

/** The parts of a path item and an operation that hold parameters, outermost first: what is nearer wins. */
export type ParameterLists = readonly { readonly list: unknown; readonly document: ApiDocument }[];

/** These are said by the body, the answer and the login; a parameter of that name is to be ignored, as the standard has it. */
const IGNORED_HEADERS: ReadonlySet<string> = new Set(["accept", "content-type", "authorization"]);
/** These say where a request ends and whom it is for. */
const OWN_HEADERS: ReadonlySet<string> = new Set(
  "host connection content-length transfer-encoding te trailer upgrade expect keep-alive proxy-connection accept-encoding".split(
    " ",
  ),
);
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Throws `Unusable` or `BrokenReference` for an operation that cannot be called for it. */
export function readParameters(
  lists: ParameterLists,
  path: string,
  documents: ApiDocuments,
): ReadParameter[] {
  const found = new Map<string, ReadParameter>();
  for (const { list, document } of lists) {
    if (list === undefined) continue;
    if (!Array.isArray(list)) throw new Unusable("its parameters are not a list");
    if (list.length > PARAMETER_COUNT_MAX)
      throw new Unusable(`it has more than ${PARAMETER_COUNT_MAX} parameters`);
    for (const value of list as unknown[]) {
      const read = readParameter(documents.settle({ value, document }), documents);
      if (read !== undefined) found.set(`${read.plan.in} ${read.plan.name}`, read);
    }
  }
  const all = [...found.values()].filter(({ plan }) => plan.in !== "path" || isIn(path, plan.name));
  return withArguments([...all, ...undescribed(path, all)]);
}

function readParameter(located: Located, documents: ApiDocuments): ReadParameter | undefined {
  const parameter = objectOf(located);
  const { name, in: place } = parameter;
  if (typeof name !== "string" || name === "" || name.length > NAME_LENGTH_MAX)
    throw new Unusable("a parameter has no name, or one that is too long");
  if (!isOneOf(PARAMETER_PLACES, place))
    throw new Unusable(`the parameter ${quote(name)} is in none of ${PARAMETER_PLACES.join(", ")}`);
  if (place === "header" && IGNORED_HEADERS.has(name.toLowerCase())) return undefined;
  if (place === "header" && (!HEADER_NAME.test(name) || OWN_HEADERS.has(name.toLowerCase())))
    throw new Unusable(`the parameter ${quote(name)} is no header that a caller may set`);
  const content = contentOf(parameter);
  const schema = boundedSchema(content?.schema ?? parameter["schema"] ?? {}, located.document, {
    documents,
    bounds: INPUT_BOUNDS,
    hides: "readOnly",
  });
  return {
    plan: { argument: name, name, in: place, ...styleOf(parameter, place), isJson: content !== undefined },
    schema: describe(schema, parameter),
    isRequired: place === "path" || parameter["required"] === true,
  };
}

/** A parameter that is described by a media type is written as JSON. */
function contentOf({ content }: JsonObject): { readonly schema: unknown } | undefined {
  const [media] = isJsonObject(content) ? Object.values(content) : [];
  return isJsonObject(media) ? { schema: media["schema"] ?? {} } : undefined;
}

const DEFAULT_STYLE: Readonly<Record<ParameterPlace, ParameterStyle>> = {
  path: "simple",
  query: "form",
  header: "simple",
  cookie: "form",
};
const STYLES: Readonly<Record<ParameterPlace, readonly ParameterStyle[]>> = {
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
  header: ["simple"],
  cookie: ["form"],
};

function styleOf(parameter: JsonObject, place: ParameterPlace): Pick<ParameterPlan, "style" | "explode"> {
  const named = parameter["style"];
  const style =
    isOneOf(PARAMETER_STYLES, named) && STYLES[place].includes(named) ? named : DEFAULT_STYLE[place];
  const { explode } = parameter;
  return { style, explode: typeof explode === "boolean" ? explode : style === "form" };
}

function describe(schema: Json, { description, deprecated }: JsonObject): Json {
  const words = typeof description === "string" ? description.trim() : "";
  if (!isJsonObject(schema)) return words === "" ? schema : { description: cut(words, WORDS_LENGTH_MAX) };
  return {
    ...schema,
    ...(words !== "" && { description: cut(words, WORDS_LENGTH_MAX) }),
    ...(deprecated === true && { deprecated: true }),
  };
}

function isIn(path: string, name: string): boolean {
  return path.includes(`{${name}}`);
}

/** Names in the path that no parameter describes are texts: without a value the path is no path. */
function undescribed(path: string, known: readonly ReadParameter[]): ReadParameter[] {
  const described = new Set(known.filter(({ plan }) => plan.in === "path").map(({ plan }) => plan.name));
  const names = new Set([...path.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1]!));
  return [...names]
    .filter((name) => !described.has(name))
    .map((name) => ({
      plan: { argument: name, name, in: "path", style: "simple", explode: false, isJson: false },
      schema: { type: "string" },
      isRequired: true,
    }));
}

/** A name that two places share is that of the first; the others say where they are. */
function withArguments(parameters: readonly ReadParameter[]): ReadParameter[] {
  const taken = new Set<string>([BODY_ARGUMENT]);
  return parameters.map((parameter) => {
    const { name, in: place } = parameter.plan;
    let argument = name;
    for (let count = 1; taken.has(argument); count++)
      argument = count === 1 ? `${name}_${place}` : `${name}_${place}_${count}`;
    taken.add(argument);
    return { ...parameter, plan: { ...parameter.plan, argument } };
  });
}

function isOneOf<T extends string>(values: readonly T[], value: unknown): value is T {
  return values.some((one) => one === value);
}
