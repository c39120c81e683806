const BLOCK = 512;

export interface TarFile {
  readonly name: string;
  readonly text: () => string;
}

/** The files of an unzipped tarball that are no larger than that. */
export function* filesOfTarball(bytes: Buffer, bytesMax: number): Generator<TarFile> {
  const field = (from: number, to: number) => bytes.toString("utf8", from, to).replace(/\0.*$/s, "");
  for (let at = 0; at + BLOCK <= bytes.length;) {
    const name = field(at, at + 100);
    if (name === "") return;
    const size = Number.parseInt(field(at + 124, at + 136), 8) || 0;
    const from = at + BLOCK;
    if (size <= bytesMax) yield { name, text: () => bytes.toString("utf8", from, from + size) };
    at = from + Math.ceil(size / BLOCK) * BLOCK;
  }
}
