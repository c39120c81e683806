/**
 * One schema, compiled by ajv, and what it says of arguments.
 *
 * Each schema has an ajv instance of its own (0.15 ms): ajv keeps what it compiled for ever and shares names and ids between
 * schemas, so an instance that outlives its schema grows and lets one schema disturb another.
 * Nothing here throws: what cannot be compiled, or breaks while it runs, is `unchecked`.
 */
import { Ajv, type Options, type ValidateFunction } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { JsonObject } from "../../core/json.ts";
import { cut } from "../../text/cut.ts";
import type { Dialect } from "./dialect.ts";
import { compilePattern } from "./pattern.ts";
import type { ArgumentProblem } from "./finding.ts";
import { describeProblems } from "./problem.ts";
import { readSchema, type SchemaReading } from "./reading.ts";

export type SchemaVerdict =
  /** `filled` is there when defaults were asked for and the schema has some. */
  | { readonly kind: "valid"; readonly filled?: JsonObject }
  | { readonly kind: "invalid"; readonly problems: readonly ArgumentProblem[] }
  | { readonly kind: "unchecked"; readonly reason: string };

export interface SchemaValidator {
  /** Never changes `args`. */
  validate(args: JsonObject, fillDefaults?: boolean): SchemaVerdict;
}

const REASON_LENGTH_MAX = 300;
/** Quotients are compared to six digits: 19.99 is a multiple of 0.01, whatever binary fractions say. */
const QUOTIENT_DIGITS = 6;

/** ajv takes patterns with the same text form for the same pattern, so the form is the source. */
const re2: NonNullable<NonNullable<Options["code"]>["regExp"]> = Object.assign(
  (source: string) => {
    const pattern = compilePattern(source);
    if (pattern === undefined) throw new Error(`the pattern ${source} cannot be checked`);
    return { test: (text: string) => pattern.test(text), toString: () => source };
  },
  { code: "re2" },
);

const OPTIONS: Options = {
  strict: false,
  allErrors: true,
  ownProperties: true,
  // In MCP's schemas a format is an annotation.
  validateFormats: false,
  addUsedSchema: false,
  coerceTypes: false,
  // The copy that is compiled is checked where it is made; a meta-schema would refuse a schema for a bad annotation.
  validateSchema: false,
  meta: false,
  multipleOfPrecision: QUOTIENT_DIGITS,
  // The words for a problem need the schema around it.
  verbose: true,
  logger: false,
  // Optimising takes longer than it saves: a schema is compiled for a handful of checks.
  code: { regExp: re2, optimize: false },
};

const CLASSES: Readonly<Record<Dialect, typeof Ajv | typeof Ajv2019 | typeof Ajv2020>> = {
  "draft-04": Ajv,
  "draft-06": Ajv,
  "draft-07": Ajv,
  "2019-09": Ajv2019,
  "2020-12": Ajv2020,
};

export function createSchemaValidator(schema: JsonObject): SchemaValidator {
  let reading: SchemaReading | undefined;
  let plain: ValidateFunction | undefined;
  let filling: ValidateFunction | undefined;

  function validatePlain(args: JsonObject): SchemaVerdict {
    plain ??= compile(reading!, false);
    return judge(plain, args, reading!);
  }

  function validateFilled(args: JsonObject): SchemaVerdict {
    filling ??= compile(reading!, true);
    const filled = structuredClone(args);
    const verdict = judge(filling, filled, reading!);
    if (verdict.kind === "valid") return { kind: "valid", filled };
    return withoutBlameForDefaults(verdict, validatePlain(args));
  }

  return {
    validate(args, fillDefaults = false) {
      try {
        reading ??= readSchema(schema);
        return fillDefaults && reading.hasDefaults ? validateFilled(args) : validatePlain(args);
      } catch (error) {
        return { kind: "unchecked", reason: reasonOf(error) };
      }
    },
  };
}

function compile({ dialect, schema }: SchemaReading, useDefaults: boolean): ValidateFunction {
  return new CLASSES[dialect]({ ...OPTIONS, useDefaults }).compile(schema);
}

function judge(validate: ValidateFunction, args: JsonObject, reading: SchemaReading): SchemaVerdict {
  if (validate(args)) return { kind: "valid" };
  if (reading.isDoubtful) {
    return {
      kind: "unchecked",
      reason: "a pattern of the schema cannot be checked, and the rest depends on it",
    };
  }
  return { kind: "invalid", problems: describeProblems(validate.errors ?? [], args, reading.schema) };
}

/** Some schemas have defaults that they themselves refuse (`type: "string"` with `default: null`); a caller is not told of these. */
function withoutBlameForDefaults(filled: SchemaVerdict, given: SchemaVerdict): SchemaVerdict {
  if (filled.kind !== "invalid" || given.kind !== "invalid") return given;
  const both = given.problems.filter((problem) =>
    filled.problems.some(({ path, message }) => path === problem.path && message === problem.message),
  );
  return both.length === 0 ? given : { kind: "invalid", problems: both };
}

function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return "the schema refers to itself without end";
  const message = error instanceof Error ? error.message : String(error);
  return `the schema cannot be used: ${cut(message, REASON_LENGTH_MAX)}`;
}
