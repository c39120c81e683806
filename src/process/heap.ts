/**
 * Keeps the heap near what is alive. V8 reckons with all the memory of the machine: after 100,000 calls over HTTP a gateway that
 * keeps 35 MB had 360 MB, and stayed there. Of these, 128 MB were for young objects: that space grows with all that was ever
 * copied within it, and does not shrink while calls come.
 *
 * So it grows only where it is crowded by what is alive at once, and the old generation by half of itself. While large
 * messages come, there is more room: one of 1 MB is parsed to more than a small space holds, would be copied among what is old,
 * and would cost half as much again. It is looked at in a turn of its own, some time after each collection.
 *
 * Both flags are read whenever a heap grows, so they work in a process that has begun; the ones with a size are not.
 */
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** By how many percent the old generation grows between two whole collections: without it, by up to 300. */
const OLD_GROWTH = "--heap-growing-percent";
const HALF_AS_LARGE_AGAIN = 50;
const AS_V8_LIKES = 0;
/** How many times as large the young space becomes when it grows. */
const YOUNG_GROWTH = "--semi-space-growth-factor";
const STAYS = 1;
const DOUBLES = 2;
/** With more of it in use so soon after a collection, the next ones copy the same objects again and again. */
const CROWDED_SHARE = 0.4;
/** A space of this size does not grow for being crowded; it may have doubled once more before it is looked at. */
const CROWDED_BYTES_MAX = 8 * 1024 * 1024;
/** Of a smaller message, all that is made of it fits into the space as it is. */
export const LARGE_MESSAGE_BYTES = 256 * 1024;
/** The next large message is expected for so long. */
const LARGE_MS = 10_000;
/** Up to this size the space grows for large messages. With half of it, 1 MB of rows takes a tenth more processor time. */
const LARGE_BYTES_MAX = 32 * 1024 * 1024;

const flags = new Map<string, number>();
let isKeptSmall = false;
let largeAt = -Infinity;

/** Before the compile cache is opened: what V8 compiled may count for one set of flags. */
export function keepHeapSmall(): void {
  isKeptSmall = true;
  setFlag(OLD_GROWTH, HALF_AS_LARGE_AGAIN);
  setFlag(YOUNG_GROWTH, STAYS);
  new PerformanceObserver(adapt).observe({ entryTypes: ["gc"] });
}

/** A message of `LARGE_MESSAGE_BYTES` or more is about to be parsed. */
export function expectLargeMessages(): void {
  largeAt = performance.now();
  if (isKeptSmall) adapt();
}

function adapt(): void {
  const expectsLarge = performance.now() - largeAt < LARGE_MS;
  setFlag(OLD_GROWTH, expectsLarge ? AS_V8_LIKES : HALF_AS_LARGE_AGAIN);
  setFlag(YOUNG_GROWTH, mayGrow(expectsLarge) ? DOUBLES : STAYS);
}

function setFlag(flag: string, value: number): void {
  if (flags.get(flag) === value) return;
  flags.set(flag, value);
  setFlagsFromString(`${flag}=${value}`);
}

/** Objects are in one half of the space; the other is for copying. */
function mayGrow(expectsLarge: boolean): boolean {
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
  if (young === undefined) return false;
  if (expectsLarge) return young.space_size < LARGE_BYTES_MAX;
  return (
    young.space_size < CROWDED_BYTES_MAX && young.space_used_size > (CROWDED_SHARE * young.space_size) / 2
  );
}
