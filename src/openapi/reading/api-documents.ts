/**
 * A description and the files beside it that it refers to. References are followed one at a time, when they are needed:
 * nothing is ever written out in full. A file outside of the description's folder is not read, and nothing is fetched.
 */
import { realpathSync } from "node:fs";
import { dirname, resolve, sep } from "node:path";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { messageOf } from "../../core/errors.ts";
import { readTextFile } from "../../process/text-file.ts";
import { readPointer } from "../../text/json-pointer.ts";
import { quote } from "../../text/quote.ts";
import { parseDescription } from "./parse-description.ts";
import { DESCRIPTION_BYTES_MAX, FILE_COUNT_MAX, REFERENCE_COUNT_MAX } from "./limits.ts";

export interface ApiDocument {
  readonly root: unknown;
  /** Undefined for one that came over the network. */
  readonly path: string | undefined;
}

/** A value, with the document that its references start from. */
export interface Located {
  readonly value: unknown;
  readonly document: ApiDocument;
  /** Of the last reference that led here, which tells circles. */
  readonly key?: string;
}

/** A reference that leads nowhere; the message names it. */
export class BrokenReference extends Error {
  constructor(reference: string, why: string) {
    super(`$ref ${quote(reference)} ${why}`);
    this.name = "BrokenReference";
  }
}

export interface ApiDocuments {
  readonly main: ApiDocument;
  /** What a reference names. Throws `BrokenReference`. */
  follow(reference: string, from: ApiDocument): Located;
  /** The value itself, or what its references lead to in the end. Throws `BrokenReference`. */
  settle(located: Located): Located;
}

export function createApiDocuments(main: ApiDocument): ApiDocuments {
  const files = new Map<string, ApiDocument>();
  const folder = main.path === undefined ? undefined : dirname(realpathSync(main.path));
  let bytesLeft = DESCRIPTION_BYTES_MAX;

  function documentOf(reference: string, file: string, from: ApiDocument): ApiDocument {
    if (folder === undefined || from.path === undefined || /^[a-z][a-z0-9+.-]*:/i.test(file)) {
      throw new BrokenReference(
        reference,
        "leads out of the description; only files beside a local one are read",
      );
    }
    const path = realOf(resolve(dirname(from.path), decode(file)), reference);
    if (path === realOf(main.path!, reference)) return main;
    if (!path.startsWith(folder + sep)) {
      throw new BrokenReference(reference, "leads out of the folder of the description, and is not read");
    }
    return files.get(path) ?? read(path, reference);
  }

  function read(path: string, reference: string): ApiDocument {
    if (files.size >= FILE_COUNT_MAX) {
      throw new BrokenReference(reference, `is not read: a description has at most ${FILE_COUNT_MAX} files`);
    }
    const text = readTextFile(path, bytesLeft);
    if (!text.ok) throw new BrokenReference(reference, `cannot be read: ${text.message}`);
    bytesLeft -= Buffer.byteLength(text.text);
    const parsed = parseDescription(text.text, { versionOf: main.root });
    if (!parsed.ok) throw new BrokenReference(reference, `cannot be read: ${parsed.message}`);
    const document = { root: parsed.root, path };
    files.set(path, document);
    return document;
  }

  function follow(reference: string, from: ApiDocument): Located {
    const at = reference.indexOf("#");
    const file = at === -1 ? reference : reference.slice(0, at);
    const document = file === "" ? from : documentOf(reference, file, from);
    const pointer = at === -1 || reference.slice(at) === "#" ? "#" : reference.slice(at);
    const value = pointer === "#" ? document.root : readPointer(document.root, pointer);
    if (value === undefined) throw new BrokenReference(reference, "names nothing in the description");
    return { value, document, key: `${document.path ?? ""}${pointer}` };
  }

  return {
    main,
    follow,
    settle(located) {
      let now = located;
      for (let count = 0; count < REFERENCE_COUNT_MAX; count++) {
        const reference = referenceIn(now.value);
        if (reference === undefined) return now;
        now = follow(reference, now.document);
      }
      throw new BrokenReference(referenceIn(located.value) ?? "", "leads to no end");
    },
  };
}

export function referenceIn(value: unknown): string | undefined {
  const reference = isJsonObject(value) ? value["$ref"] : undefined;
  return typeof reference === "string" ? reference : undefined;
}

/** The object that a reference leads to, or an empty one. */
export function objectOf({ value }: Located): JsonObject {
  return isJsonObject(value) ? value : {};
}

function realOf(path: string, reference: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === "ENOENT";
    throw new BrokenReference(reference, isAbsent ? "names a file that is not there" : messageOf(error));
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
