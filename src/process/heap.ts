/**
 * Keeps the heap near what is alive. V8 reckons with all the memory of the machine: after 100,000 calls over HTTP a gateway that
 * keeps 35 MB had 360 MB, and stayed there. With these two it has 160 MB, and collects more often: a forwarded call takes some
 * 7 % more processor time.
 *
 * Both flags are read whenever a heap grows, so they work in a process that has begun; the ones with a size are not.
 */
import { setFlagsFromString } from "node:v8";

/** The young generation stays at the 2 MB it begins with: what most calls need is dead before these are full. */
const YOUNG_GENERATION_AS_IT_IS = "--semi-space-growth-factor=1";
/** The next whole collection comes when the old generation is half as large again; V8 waits for up to four times. */
const HALF_AS_LARGE_AGAIN = "--heap-growing-percent=50";

/** Before the compile cache is opened: what V8 compiled counts for one set of flags. */
export function keepHeapSmall(): void {
  setFlagsFromString(YOUNG_GENERATION_AS_IT_IS);
  setFlagsFromString(HALF_AS_LARGE_AGAIN);
}
