/**
 * A row of 8-bit numbers for each tool, and for each request that it was used for, all in one array: 20,000 tools take
 * 2 MB. A row is made when its tool or request comes or changes, and used again when it goes.
 */
import type { ToolDefinition } from "../../core/tool.ts";
import { INTENTS_MAX } from "../search-fields.ts";
import { requestIn } from "../search-query.ts";
import { quantise, type WordVectors } from "./word-vectors.ts";

/** So many numbers of a row tell roughly how near it is. They are kept together: most of the time goes to memory. */
const ROUGH_DIMS = 16;
const ROWS_AT_FIRST = 256;
/** What a tool is called says most of what it is for, in few words: they count again, so much beside the whole text. */
const NAMES_SHARE = 0.5;
/** Its name and its server. */
const NAME_LINES = 2;

export interface ToolRows {
  /**
   * The tools of a source are these now, and were used for these intents. The same definition means the same text, of
   * which the first line is the name, and the second the server.
   */
  put<T extends { readonly definition: ToolDefinition }>(
    source: string,
    tools: ReadonlyMap<string, T>,
    textOf: (tool: T) => string,
    intentsOf?: (id: string) => readonly string[],
  ): void;
  /** How many tools there are. */
  count(): number;
  /** Where the numbers of a tool are; undefined where nothing is known of it. */
  rowOf(id: string): number | undefined;
  /** Where the numbers of the intents are that it was used for. */
  intentRowsOf(id: string): Iterable<number>;
  /** The cosine of that tool with a vector. */
  cosineOf(row: number, vector: Float32Array): number;
  /**
   * What the first numbers say of each of these: about the same order. NaN where nothing is known. The array is written
   * again at the next call for the same index.
   */
  roughlyOf(ids: readonly (string | undefined)[], vector: Float32Array): Float64Array;
}

interface Entry {
  readonly definition: ToolDefinition;
  readonly row: number;
  /** The rows of its intents, by their texts. */
  readonly intents: Map<string, number>;
}

/** Where the tools of an index are, as it was seen last. */
interface Seen {
  readonly ids: (string | undefined)[];
  rows: Int32Array;
  /** How near each is, for as long as one query is looked at. */
  near: Float64Array;
  turn: number;
}

const NO_ROW = -1;

export function createToolRows(words: WordVectors): ToolRows {
  const { dims } = words;
  const rough = Math.min(ROUGH_DIMS, dims);
  const sources = new Map<string, readonly string[]>();
  const entries = new Map<string, Entry>();
  const free: number[] = [];
  const seenOf = new WeakMap<readonly (string | undefined)[], Seen>();
  let numbers = new Int8Array(ROWS_AT_FIRST * dims);
  let heads = new Int8Array(ROWS_AT_FIRST * rough);
  let steps = new Float32Array(ROWS_AT_FIRST);
  let rowCount = 0;
  /** Grows when a tool gets a row or loses it. */
  let turn = 0;

  function drop(id: string): void {
    const entry = entries.get(id);
    if (entry === undefined) return;
    entries.delete(id);
    for (const row of [entry.row, ...entry.intents.values()]) if (row !== NO_ROW) free.push(row);
    turn++;
  }

  function takeRow(): number {
    const row = free.pop() ?? rowCount++;
    if (row * dims < numbers.length) return row;
    numbers = doubled(numbers);
    heads = doubled(heads);
    steps = doubled(steps);
    return row;
  }

  /** Intents come one by one, and most stay. */
  function learn({ intents }: Entry, texts: readonly string[]): void {
    const wanted = new Set(texts.slice(0, INTENTS_MAX));
    for (const [text, row] of intents) {
      if (wanted.has(text)) continue;
      intents.delete(text);
      free.push(row);
    }
    for (const text of wanted) {
      if (intents.has(text)) continue;
      const row = write(words.encode(requestIn(text))?.vector);
      if (row !== NO_ROW) intents.set(text, row);
    }
  }

  function write(vector: Float32Array | undefined): number {
    if (vector === undefined) return NO_ROW;
    const row = takeRow();
    const own = numbers.subarray(row * dims, (row + 1) * dims);
    steps[row] = quantise(vector, own);
    heads.set(own.subarray(0, rough), row * rough);
    return row;
  }

  /** Looks up only what is another tool than last time: to compare 20,000 names is cheap, to find them is not. */
  function look(ids: readonly (string | undefined)[]): Seen {
    let seen = seenOf.get(ids);
    if (seen === undefined)
      seenOf.set(ids, (seen = { ids: [], rows: new Int32Array(0), near: new Float64Array(0), turn }));
    const isOld = seen.turn !== turn;
    if (seen.rows.length < ids.length) {
      const longer = new Int32Array(ids.length * 2).fill(NO_ROW);
      longer.set(seen.rows);
      seen.rows = longer;
      seen.near = new Float64Array(longer.length);
    }
    for (let slot = 0; slot < ids.length; slot++) {
      const id = ids[slot];
      if (!isOld && slot < seen.ids.length && seen.ids[slot] === id) continue;
      seen.ids[slot] = id;
      seen.rows[slot] = id === undefined ? NO_ROW : (entries.get(id)?.row ?? NO_ROW);
    }
    seen.turn = turn;
    return seen;
  }

  return {
    put(source, tools, textOf, intentsOf) {
      for (const id of sources.get(source) ?? []) if (!tools.has(id)) drop(id);
      for (const [id, tool] of tools) {
        let entry = entries.get(id);
        if (entry?.definition !== tool.definition) {
          drop(id);
          const row = write(encodeTool(words, textOf(tool)));
          entries.set(id, (entry = { definition: tool.definition, row, intents: new Map() }));
          turn++;
        }
        learn(entry, intentsOf?.(id) ?? []);
      }
      sources.set(source, [...tools.keys()]);
    },
    rowOf(id) {
      const row = entries.get(id)?.row ?? NO_ROW;
      return row === NO_ROW ? undefined : row;
    },
    count: () => entries.size,
    intentRowsOf: (id) => entries.get(id)?.intents.values() ?? [],
    cosineOf: (row, vector) => steps[row]! * productOf(numbers, row * dims, vector, dims),
    roughlyOf(ids, vector) {
      const { rows, near } = look(ids);
      // Whole numbers on both sides: to make numbers with fractions of 20,000 rows takes longer than to multiply them.
      const head = new Int8Array(rough);
      quantise(vector.subarray(0, rough), head);
      const [all, lengths] = [heads, steps];
      for (let slot = 0; slot < ids.length; slot++) {
        const row = rows[slot]!;
        near[slot] = row === NO_ROW ? NaN : lengths[row]! * roughProductOf(all, row * rough, head);
      }
      return near.subarray(0, ids.length);
    },
  };
}

function encodeTool(words: WordVectors, text: string): Float32Array | undefined {
  const whole = words.encode(text)?.vector;
  const names = words.encode(text.split("\n", NAME_LINES).join("\n"))?.vector;
  if (whole === undefined || names === undefined) return whole;
  const both = whole.map((number, d) => number + NAMES_SHARE * names[d]!);
  const length = Math.hypot(...both);
  return both.map((number) => number / length);
}

function doubled<T extends Int8Array | Float32Array>(numbers: T): T {
  const longer = new (numbers.constructor as new (length: number) => T)(numbers.length * 2);
  longer.set(numbers);
  return longer;
}

function roughProductOf(numbers: Int8Array, from: number, head: Int8Array): number {
  let [first, second] = [0, 0];
  for (let d = 0; d < head.length; d += 4) {
    first += Math.imul(numbers[from + d]!, head[d]!) + Math.imul(numbers[from + d + 1]!, head[d + 1]!);
    second +=
      Math.imul(numbers[from + d + 2]!, head[d + 2]!) + Math.imul(numbers[from + d + 3]!, head[d + 3]!);
  }
  return first + second;
}

function productOf(numbers: Int8Array, from: number, vector: Float32Array, count: number): number {
  // Four sums that do not wait for each other.
  let [first, second, third, fourth] = [0, 0, 0, 0];
  for (let d = 0; d < count; d += 4) {
    first += numbers[from + d]! * vector[d]!;
    second += numbers[from + d + 1]! * vector[d + 1]!;
    third += numbers[from + d + 2]! * vector[d + 2]!;
    fourth += numbers[from + d + 3]! * vector[d + 3]!;
  }
  return first + second + third + fourth;
}
