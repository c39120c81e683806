/** How much of a schema its type says, and what is written for the rest. */
export interface TypeStyle {
  /** Stands for a schema that says nothing or cannot be followed. */
  readonly anything: "any" | "unknown";
  /** Marks what is left out. */
  readonly elision?: string;
  /** Descriptions become comments, and an object has a line for each property. */
  readonly docs: boolean;
  /** A required property with a default may be left out: the server that applies the default fills it in. */
  readonly defaultsOptional: boolean;
  /** Stands for an object of which nothing is known. */
  readonly anyObject: string;
  readonly depthMax: number;
  /** How often a reference may be inside what it refers to. */
  readonly recursionMax: number;
  readonly fieldsMax: number;
  /** Of an enum, a union or a tuple. */
  readonly membersMax: number;
  readonly literalLengthMax: number;
  readonly schemasMax: number;
  readonly textLengthMax: number;
}

/** For people and models, in one line: read at a glance, while the whole schema is one call away. */
export const SHOWN: TypeStyle = {
  anything: "unknown",
  elision: "…",
  docs: false,
  defaultsOptional: false,
  anyObject: "object",
  depthMax: 3,
  recursionMax: Number.POSITIVE_INFINITY,
  fieldsMax: 40,
  membersMax: 8,
  // A longer literal says less than its type does.
  literalLengthMax: 60,
  schemasMax: 300,
  textLengthMax: 20_000,
};

/** For the compiler: what a tool answers. The limits lie far above the schemas of real tools. */
export const DECLARED_OUTPUT: TypeStyle = {
  anything: "any",
  docs: false,
  defaultsOptional: false,
  // A Record would be reported wherever it is passed on to a tool that requires something.
  anyObject: "any",
  depthMax: 12,
  recursionMax: 1,
  fieldsMax: 300,
  membersMax: 200,
  literalLengthMax: 200,
  schemasMax: 2_000,
  textLengthMax: 60_000,
};

/** For the compiler: what a tool takes. */
export const DECLARED_INPUT: TypeStyle = {
  ...DECLARED_OUTPUT,
  defaultsOptional: true,
  anyObject: "Record<string, any>",
};
