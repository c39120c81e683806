/** Discrete events in virtual time: processes that wait, and that take and give back what only some can have at once. */

/** A thing of which some can be had at once; the others wait in order. */
export class Resource {
  readonly name: string;
  readonly waitsMs: number[] = [];
  #free: number;
  readonly #waiting: { readonly since: number; readonly go: () => void }[] = [];
  #first = 0;

  constructor(name: string, capacity: number) {
    this.name = name;
    this.#free = capacity;
  }

  take(now: number, go: () => void): void {
    if (this.#free === 0) {
      this.#waiting.push({ since: now, go });
      return;
    }
    this.#free--;
    this.waitsMs.push(0);
    go();
  }

  give(now: number): void {
    const next = this.#waiting[this.#first];
    if (next === undefined) {
      this.#free++;
      return;
    }
    this.#first++;
    this.waitsMs.push(now - next.since);
    next.go();
  }

  /** All waits, also of those that still wait. */
  waitsOf(now: number): number[] {
    return [...this.waitsMs, ...this.#waiting.slice(this.#first).map(({ since }) => now - since)];
  }
}

type Wish = { readonly take: Resource } | { readonly give: Resource } | { readonly waitMs: number };
export type Process = Generator<Wish, void, void>;

/** Events by time: a heap. */
class Agenda {
  readonly #heap: { readonly at: number; readonly go: () => void }[] = [];

  add(at: number, go: () => void): void {
    const heap = this.#heap;
    let place = heap.push({ at, go }) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (heap[parent]!.at <= heap[place]!.at) return;
      [heap[parent], heap[place]] = [heap[place]!, heap[parent]!];
      place = parent;
    }
  }

  next(): { readonly at: number; readonly go: () => void } | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    heap[0] = last;
    for (let place = 0; ;) {
      const [left, right] = [2 * place + 1, 2 * place + 2];
      let least = place;
      if (left < heap.length && heap[left]!.at < heap[least]!.at) least = left;
      if (right < heap.length && heap[right]!.at < heap[least]!.at) least = right;
      if (least === place) return first;
      [heap[least], heap[place]] = [heap[place]!, heap[least]!];
      place = least;
    }
  }
}

export class Events {
  now = 0;
  readonly #agenda = new Agenda();

  /** Lets a process go on until it waits. */
  start(process: Process): void {
    for (;;) {
      const { done, value } = process.next();
      if (done === true) return;
      if ("take" in value) return value.take.take(this.now, () => this.start(process));
      if ("waitMs" in value) return this.#agenda.add(this.now + value.waitMs, () => this.start(process));
      value.give.give(this.now);
    }
  }

  runUntil(endMs: number): void {
    for (
      let event = this.#agenda.next();
      event !== undefined && event.at <= endMs;
      event = this.#agenda.next()
    ) {
      this.now = event.at;
      event.go();
    }
  }
}
