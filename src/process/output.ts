/** The part of a writable stream that is needed to write to a reader and to hear that it has left. */
export interface Output {
  write(part: string | Buffer, done?: (error?: Error | null) => void): boolean;
  once(event: "error", listener: (error: Error) => void): unknown;
}
