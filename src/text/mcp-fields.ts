/**
 * The fields that entries of lists and results share, as the schemas of the protocol have them. Clients check them: SDK 1.x and 2.x
 * refuse a whole list, or a whole result, for one field of the wrong kind.
 */
import {
  anyObject,
  either,
  flag,
  integer,
  listOf,
  Misfit,
  number,
  numberWithin,
  oneOf,
  record,
  text,
  type Fit,
  type RecordFields,
} from "./fit.ts";
import { isJsonObject } from "../core/json.ts";

const INSTANT =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** ISO 8601 with date, time and offset, of a day that exists. */
const instant: Fit = (value) => {
  const parts = typeof value === "string" ? INSTANT.exec(value) : null;
  if (parts === null) return new Misfit(" must be an ISO 8601 date and time with an offset");
  const [, year, month, day] = parts.map(Number) as [number, number, number, number];
  const isReal = new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
  return isReal ? value : new Misfit(" must be a day that exists");
};

/** Decoding asks exactly what clients ask, and is faster than any expression that asks the same. */
const base64: Fit = (value) => {
  if (typeof value !== "string") return new Misfit(" must be a string");
  try {
    atob(value);
    return value;
  } catch {
    return new Misfit(" must be base64");
  }
};

export const ROLE = oneOf("user", "assistant");

export const ICONS = listOf(
  record({
    needs: { src: text },
    may: { mimeType: text, sizes: listOf(text), theme: oneOf("light", "dark") },
  }),
);

/** Of resources and blocks of content. */
const ANNOTATIONS = record({
  may: { audience: listOf(ROLE), priority: numberWithin(0, 1), lastModified: instant },
});

/** As a whole or not at all: a hint that is left alone could mean less harm than all of them did. */
export const TOOL_ANNOTATIONS = record({
  may: {
    title: text,
    readOnlyHint: flag,
    destructiveHint: flag,
    idempotentHint: flag,
    openWorldHint: flag,
  },
});

/** `_meta` of a result, a request or a notification; that of anything smaller is just an object. */
export const MESSAGE_META = record({
  may: {
    progressToken: either(text, integer),
    "io.modelcontextprotocol/related-task": record({ needs: { taskId: text } }),
  },
});

/** A resource as a list or a link in a result describes it. */
export const RESOURCE_FIELDS: RecordFields = {
  needs: { name: text, uri: text },
  hints: {
    title: text,
    description: text,
    mimeType: text,
    size: number,
    icons: ICONS,
    annotations: ANNOTATIONS,
    _meta: anyObject,
  },
};

const RESOURCE_HINTS = { mimeType: text, _meta: anyObject };
const TEXT_CONTENTS = record({ needs: { uri: text, text }, hints: RESOURCE_HINTS });
const BLOB_CONTENTS = record({ needs: { uri: text, blob: base64 }, hints: RESOURCE_HINTS });

export const RESOURCE_CONTENTS: Fit = (value, drops) => {
  if (!isJsonObject(value)) return new Misfit(" must be an object");
  if (value["text"] === undefined && value["blob"] === undefined) {
    return new Misfit(" must have text or blob");
  }
  const isText = typeof value["text"] === "string" || value["blob"] === undefined;
  return isText ? TEXT_CONTENTS(value, drops) : BLOB_CONTENTS(value, drops);
};

const BLOCK_HINTS = { annotations: ANNOTATIONS, _meta: anyObject };
const MEDIA = record({ needs: { data: base64, mimeType: text }, hints: BLOCK_HINTS });
const TEXT_BLOCK = record({ needs: { text }, hints: BLOCK_HINTS });
const RESOURCE_BLOCK = record({ needs: { resource: RESOURCE_CONTENTS }, hints: BLOCK_HINTS });
const RESOURCE_LINK = record(RESOURCE_FIELDS);

/** One block of the content of a result or a prompt. */
export const CONTENT_BLOCK: Fit = (value, drops) => {
  if (!isJsonObject(value)) return new Misfit(" must be an object");
  switch (value["type"]) {
    case "text":
      return TEXT_BLOCK(value, drops);
    case "image":
    case "audio":
      return MEDIA(value, drops);
    case "resource":
      return RESOURCE_BLOCK(value, drops);
    case "resource_link":
      return RESOURCE_LINK(value, drops);
    default:
      // A kind that a later version of the protocol has is for clients to know.
      return typeof value["type"] === "string" ? value : new Misfit(".type must be a string");
  }
};
