/** What a description may be. Each limit costs the description itself, or the operation that breaks it. */
import type { JsonLimits } from "../../core/json.ts";

/** The largest public descriptions have 13 to 30 MB; what is larger is no description of one API. */
export const DESCRIPTION_BYTES_MAX = 32 * 1024 * 1024;
/** GitHub's nests 21 levels and has 220,000 keys. What is written out of YAML's aliases counts each time. */
export const DOCUMENT_LIMITS: JsonLimits = {
  depthMax: 128,
  keyCountMax: 2_000_000,
  bytesMax: DESCRIPTION_BYTES_MAX,
};
/** GitHub's has about 1,200. */
export const OPERATION_COUNT_MAX = 2_000;
/** As many as are looked at before a description counts as hostile: what follows is not looked at. */
export const PATH_COUNT_MAX = 20_000;
/** What is told of operations that are left out; more reasons help no reader. */
export const LEFT_OUT_COUNT_MAX = 500;
/** More parameters are no operation that a person has written. */
export const PARAMETER_COUNT_MAX = 200;
/** A name is longer only to do harm; the exposed one ends at 64. */
export const NAME_LENGTH_MAX = 200;
/** A path of a real API has less than 300. */
export const PATH_LENGTH_MAX = 2_000;
/** A longer description is cut by most clients. */
export const DESCRIPTION_LENGTH_MAX = 8 * 1024;
/** Of a parameter or a property: what it says beyond is rarely read. */
export const WORDS_LENGTH_MAX = 600;
/** References from one to the next, before something is reached that is none. */
export const REFERENCE_COUNT_MAX = 32;
/** Beside the description itself. */
export const FILE_COUNT_MAX = 64;

/** How much of a schema is taken: the deepest of these depths at which it stays within its number of schemas. */
export interface SchemaBounds {
  readonly depths: readonly number[];
  readonly schemasMax: number;
}

/** Admission takes 2,000 schemas and 32 levels of JSON for a tool, of which a level here is up to three. */
export const INPUT_BOUNDS: SchemaBounds = { depths: [8, 6, 5, 4, 3, 2, 1], schemasMax: 400 };
/** A type is read at a glance, and answers nest without end: what is deeper is `any`. */
export const ANSWER_BOUNDS: SchemaBounds = { depths: [6, 5, 4, 3, 2, 1], schemasMax: 100 };
