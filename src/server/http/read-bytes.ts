import type { IncomingMessage } from "node:http";

/** The whole body, unless it is too large or its sender goes before it is whole. */
export function readBytes(
  request: IncomingMessage,
  bytesMax: number,
): Promise<Buffer | "too_large" | "gone"> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let byteCount = 0;
    request.on("data", (part: Buffer) => {
      byteCount += part.length;
      if (byteCount <= bytesMax) return void parts.push(part);
      request.pause();
      resolve("too_large");
    });
    // Each comes once, and what settles first counts: no wrapper is needed for that.
    request.on("end", () => resolve(parts.length === 1 ? parts[0]! : Buffer.concat(parts)));
    request.on("close", () => resolve("gone"));
    request.on("error", () => resolve("gone"));
  });
}
