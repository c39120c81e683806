/** A fair queue: owners take turns, so one that asks for much waits behind one that asks for little. */
export interface FairQueue<T> {
  readonly size: number;
  push(owner: string, item: T): void;
  /** The first item of the owner whose turn it is, among those who may have a turn now; the others keep theirs. */
  take(mayHave?: (owner: string) => boolean): T | undefined;
  remove(item: T): void;
}

export function createFairQueue<T>(): FairQueue<T> {
  /** In the order of their turns; an owner is here for as long as something of it waits. */
  const lines = new Map<string, T[]>();
  let size = 0;
  return {
    get size() {
      return size;
    },
    push(owner, item) {
      const line = lines.get(owner);
      if (line === undefined) lines.set(owner, [item]);
      else line.push(item);
      size++;
    },
    take(mayHave = () => true) {
      const turn = lines.entries().find(([owner]) => mayHave(owner));
      if (turn === undefined) return undefined;
      const [owner, line] = turn;
      lines.delete(owner);
      const item = line.shift()!;
      if (line.length > 0) lines.set(owner, line);
      size--;
      return item;
    },
    remove(item) {
      for (const [owner, line] of lines) {
        const at = line.indexOf(item);
        if (at === -1) continue;
        line.splice(at, 1);
        size--;
        if (line.length === 0) lines.delete(owner);
        return;
      }
    },
  };
}
