/**
 * Packs a PNG again, without filters: letters of a page repeat byte by byte, and filters hide that from zlib. The picture stays
 * the same, bit by bit. Only for what a browser makes: eight bits for each of three or four colours, not interlaced.
 */
import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE_BYTES = 8;
const FRAME_BYTES = 12;

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

export function packPng(png: Buffer): Buffer {
  const chunks = [...chunksOf(png)];
  const first = chunks.findIndex(({ type }) => type === "IDAT");
  const packed = Buffer.concat(chunks.filter(({ type }) => type === "IDAT").map(({ data }) => data));
  const data = deflateSync(withoutFilters(inflateSync(packed), shapeOf(chunks[0]!.data)), { level: 9 });
  const others = chunks.filter(({ type }) => type !== "IDAT");
  const all = [...others.slice(0, first), { type: "IDAT", data }, ...others.slice(first)];
  return Buffer.concat([png.subarray(0, SIGNATURE_BYTES), ...all.map(frame)]);
}

interface Shape {
  readonly rowBytes: number;
  readonly pixelBytes: number;
}

function shapeOf(header: Buffer): Shape {
  const [bits, colour, interlace] = [header[8], header[9], header[12]];
  const pixelBytes = colour === 2 ? 3 : colour === 6 ? 4 : 0;
  if (bits !== 8 || pixelBytes === 0 || interlace !== 0)
    throw new Error("This PNG was not made by a browser");
  return { rowBytes: header.readUInt32BE(0) * pixelBytes, pixelBytes };
}

/** Each row begins with its filter: what was subtracted from each byte is added again. */
function withoutFilters(rows: Buffer, { rowBytes, pixelBytes }: Shape): Buffer {
  const out = Buffer.alloc(rows.length);
  const stride = rowBytes + 1;
  for (let start = 0; start < rows.length; start += stride) {
    const filter = rows[start]!;
    for (let at = start + 1; at < start + stride; at += 1) {
      const left = at - start > pixelBytes ? out[at - pixelBytes]! : 0;
      const up = start === 0 ? 0 : out[at - stride]!;
      const corner = start === 0 || at - start <= pixelBytes ? 0 : out[at - stride - pixelBytes]!;
      out[at] = rows[at]! + guess(filter, left, up, corner);
    }
  }
  return out;
}

/** By the number of the filter, as the format has it. */
function guess(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  return filter === 4 ? nearest(left, up, corner) : 0;
}

function nearest(left: number, up: number, corner: number): number {
  const expected = left + up - corner;
  const [toLeft, toUp, toCorner] = [
    Math.abs(expected - left),
    Math.abs(expected - up),
    Math.abs(expected - corner),
  ];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

function* chunksOf(png: Buffer): Generator<Chunk> {
  for (let at = SIGNATURE_BYTES; at < png.length;) {
    const length = png.readUInt32BE(at);
    const type = png.toString("latin1", at + 4, at + 8);
    yield { type, data: png.subarray(at + 8, at + 8 + length) };
    at += length + FRAME_BYTES;
  }
}

function frame({ type, data }: Chunk): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
