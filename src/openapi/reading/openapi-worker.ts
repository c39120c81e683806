/** The thread in which descriptions are read: megabytes of somebody else's JSON or YAML. */
import { messageOf } from "../../core/errors.ts";
import { serveThread } from "../../process/thread-program.ts";
import { readTextFile } from "../../process/text-file.ts";
import { cut } from "../../text/cut.ts";
import type { ApiDescription } from "../api-description.ts";
import { DESCRIPTION_BYTES_MAX } from "./limits.ts";
import { parseDescription } from "./parse-description.ts";
import { readDescription } from "./read-description.ts";

/** The file, which the thread reads itself, or the text that came over the network. */
export type ReadRequest = { readonly path: string } | { readonly text: string };

export type ReadReply =
  | { readonly ok: true; readonly description: ApiDescription }
  | { readonly ok: false; readonly message: string };

serveThread<ReadRequest, ReadReply>((request) => ({ reply: answer(request) }));

function answer(request: ReadRequest): ReadReply {
  try {
    return read(request);
  } catch (error) {
    // A document that nests without end overflows the stack; the thread is as good as before.
    return { ok: false, message: `it cannot be read: ${cut(messageOf(error), 300)}` };
  }
}

function read(request: ReadRequest): ReadReply {
  const path = "path" in request ? request.path : undefined;
  const file = "path" in request ? readTextFile(request.path, DESCRIPTION_BYTES_MAX) : undefined;
  if (file?.ok === false) return { ok: false, message: file.message };
  const text = file?.text ?? (request as { readonly text: string }).text;
  const parsed = parseDescription(text);
  if (!parsed.ok) return parsed;
  return { ok: true, description: readDescription(parsed.root, path) };
}
