/**
 * The files of the console, as they were built. The folder is listed once, with the first request, and only what was in it
 * then is served: no path of a request ever reaches the file system.
 */
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { replyBytes, replyText } from "./reply.ts";
import type { HttpCall } from "./http-call.ts";
import { CONSOLE_PATH } from "./security-headers.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".webmanifest": "application/manifest+json",
};

const PAGE = "index.html";
/** Names below it hold a hash of their content. */
const HASHED = "assets/";
/** Below it, the header of gzip costs more than it saves. */
const GZIP_BYTES_MIN = 1_024;
const pack = promisify(gzip);

export interface ConsoleFiles {
  answer(call: HttpCall): Promise<void>;
}

export function createConsoleFiles(folder: string): ConsoleFiles {
  let names: ReadonlySet<string> | undefined;

  return {
    async answer(call) {
      const { request, response, path } = call;
      if (request.method !== "GET" && request.method !== "HEAD")
        return replyText(response, 405, "The console is read with GET.\n", { ...PLAIN, Allow: "GET, HEAD" });
      names ??= listFiles(folder);
      const name = fileOf(path, names);
      if (names.size === 0) return replyText(response, 503, NOT_BUILT, PLAIN);
      if (name === undefined) return replyText(response, 404, "There is no such file.\n", PLAIN);
      const content = await readFile(join(folder, name));
      const headers = headersOf(name);
      const isPacked = content.length >= GZIP_BYTES_MIN && acceptsGzip(request.headers["accept-encoding"]);
      const body = isPacked ? await pack(content) : content;
      replyBytes(response, 200, body, { ...headers, ...(isPacked && { "Content-Encoding": "gzip" }) });
    },
  };
}

const PLAIN = { "Content-Type": "text/plain; charset=utf-8" };
const NOT_BUILT = "This copy of Repertoire has no console. In a checkout, build it with: npm run build\n";

function listFiles(folder: string): ReadonlySet<string> {
  try {
    const found = readdirSync(folder, { recursive: true, withFileTypes: true });
    return new Set(
      found
        .filter((entry) => entry.isFile() && TYPES[extname(entry.name)] !== undefined)
        .map(({ parentPath, name }) =>
          join(parentPath, name)
            .slice(folder.length + 1)
            .replaceAll("\\", "/"),
        ),
    );
  } catch {
    return new Set();
  }
}

/** A path without an ending is a screen: the page finds out which. */
function fileOf(path: string, names: ReadonlySet<string>): string | undefined {
  const rest = path.slice(CONSOLE_PATH.length).replace(/^\//, "");
  if (names.has(rest)) return rest;
  return rest.startsWith(HASHED) || !names.has(PAGE) ? undefined : PAGE;
}

function headersOf(name: string): Record<string, string> {
  return {
    "Content-Type": TYPES[extname(name)]!,
    "Cache-Control": name.startsWith(HASHED) ? "public, max-age=31536000, immutable" : "no-cache",
    Vary: "Accept-Encoding",
  };
}

function acceptsGzip(header: string | string[] | undefined): boolean {
  return /\bgzip\b/i.test(String(header ?? ""));
}
