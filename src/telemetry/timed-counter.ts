/**
 * Counts and durations of things that happen often, by one key (a method, a server) and a few slots (how it ended).
 * prom-client makes an object and a string of all labels with each observation; this is one look-up and some additions,
 * and becomes labels when it is read.
 */
import { Counter, type Metric, type Registry } from "prom-client";

interface TimedCounterNames {
  /** The label that the key becomes; in the counter and in the histogram. */
  readonly keyLabel: string;
  /** The other labels of the counter, one set for each slot. */
  readonly slots: readonly Readonly<Record<string, string>>[];
  readonly counter: { readonly name: string; readonly help: string };
  readonly histogram: { readonly name: string; readonly help: string };
}

/** The caller keeps the keys few. */
type ObserveTimed = (key: string, slot: number, seconds: number) => void;

/** From a look-up in memory to the longest call that a client waits for. */
const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

interface Cell {
  readonly slots: Float64Array;
  /** The last is for what is longer than all. */
  readonly buckets: Float64Array;
  seconds: number;
}

export function registerTimedCounter(registry: Registry, names: TimedCounterNames): ObserveTimed {
  const cells = new Map<string, Cell>();
  registerCounter(registry, names, cells);
  registerHistogram(registry, names, cells);
  return (key, slot, seconds) => {
    let cell = cells.get(key);
    if (cell === undefined) cells.set(key, (cell = emptyCell(names.slots.length)));
    cell.slots[slot]!++;
    cell.buckets[bucketOf(seconds)]!++;
    cell.seconds += seconds;
  };
}

function emptyCell(slotCount: number): Cell {
  return {
    slots: new Float64Array(slotCount),
    buckets: new Float64Array(BUCKETS_SECONDS.length + 1),
    seconds: 0,
  };
}

function bucketOf(seconds: number): number {
  let at = 0;
  while (at < BUCKETS_SECONDS.length && seconds > BUCKETS_SECONDS[at]!) at++;
  return at;
}

function registerCounter(
  registry: Registry,
  { keyLabel, slots, counter }: TimedCounterNames,
  cells: ReadonlyMap<string, Cell>,
): Counter {
  return new Counter({
    ...counter,
    labelNames: [keyLabel, ...Object.keys(slots[0]!)],
    registers: [registry],
    collect() {
      this.reset();
      for (const [key, cell] of cells) {
        cell.slots.forEach((count, slot) => {
          if (count > 0) this.inc({ [keyLabel]: key, ...slots[slot] }, count);
        });
      }
    },
  });
}

interface Row {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

function registerHistogram(
  registry: Registry,
  { keyLabel, histogram }: TimedCounterNames,
  cells: ReadonlyMap<string, Cell>,
): void {
  const { name } = histogram;
  const get = async () => ({
    ...histogram,
    type: "histogram",
    values: [...cells].flatMap(([key, cell]) => histogramRows(name, { [keyLabel]: key }, cell)),
  });
  // The registry reads a metric by its name and `get` alone; the type asks for a class of prom-client.
  registry.registerMetric({ ...histogram, type: "histogram", get } as unknown as Metric);
}

/** Buckets count everything up to their bound. */
function histogramRows(name: string, labels: Readonly<Record<string, string>>, cell: Cell): Row[] {
  let count = 0;
  const buckets = Array.from(cell.buckets, (each, at) => {
    count += each;
    const le = BUCKETS_SECONDS[at] ?? "+Inf";
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: cell.seconds },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
