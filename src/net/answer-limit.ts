/**
 * The limit on what one answer of a remote server may be, counted after decompression: a body that does not end, or a
 * small one that unpacks to gigabytes, ends with an error and not with the gateway's memory. A stream of events may go
 * on for ever; each event in it has the limit.
 */

/** As long as a line over stdio may be. */
export const ANSWER_BYTES_MAX = 8 * 1024 * 1024;

const NEWLINE = 0x0a;
const RETURN = 0x0d;

export class AnswerTooLong extends Error {
  /** In the words of an answer: it, and the limit. */
  readonly problem: string;

  constructor(bytesMax: number) {
    super(`the answer is longer than ${bytesMax} bytes, which is the limit`);
    this.name = "AnswerTooLong";
    this.problem = `it is longer than ${bytesMax} bytes, which is the limit`;
  }
}

/** Takes the next piece of the body; throws where the answer has become too long. */
export type CountBytes = (chunk: Uint8Array) => void;

export function createAnswerLimit(isStream: boolean, bytesMax: number = ANSWER_BYTES_MAX): CountBytes {
  let count = 0;
  let lineBytes = 0;

  /** In a stream of events an empty line ends an event, and the count starts again. */
  function countLines(chunk: Uint8Array): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      const ending = chunk[at - 1] === RETURN && at > from ? 1 : 0;
      const isEmpty = lineBytes + at - from - ending === 0;
      count = isEmpty ? 0 : count + at - from;
      lineBytes = 0;
      from = at + 1;
    }
    count += chunk.length - from;
    // A carriage return at the very end may belong to a line end that comes with the next chunk.
    lineBytes += chunk.length - from - (chunk.at(-1) === RETURN && chunk.length > from ? 1 : 0);
  }

  return (chunk) => {
    if (isStream) countLines(chunk);
    else count += chunk.length;
    if (count > bytesMax) throw new AnswerTooLong(bytesMax);
  };
}
