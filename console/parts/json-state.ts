import { useCallback, useEffect, useRef, useState } from "react";
import { ENTRY_STEP, type JsonState, type Loaded, type ValueSlice } from "./json-rows.ts";

/** Asks for a part of a large value: entries or characters of what is at `path`, from `offset` on. */
export type LoadValue = (path: string, offset: number) => Promise<ValueSlice>;

export interface JsonControl {
  readonly state: JsonState;
  readonly setOpen: (path: string, isOpen: boolean) => void;
  readonly showMore: (path: string) => void;
  /** Asks for the first part, or the next one. */
  readonly load: (path: string) => void;
}

const NOTHING: Loaded = { entries: [], state: "loading" };

/** What is open and what has been asked for, of one value. Another value (`load` changes) begins from nothing. */
export function useJsonState(depth: number, load: LoadValue | undefined): JsonControl {
  const [open, setOpen] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [shown, setShown] = useState<ReadonlyMap<string, number>>(new Map());
  const [loaded, setLoaded] = useState<ReadonlyMap<string, Loaded>>(new Map());
  const known = useRef(loaded);
  const asked = useRef(load);

  const put = useCallback((path: string, next: Loaded) => {
    known.current = new Map(known.current).set(path, next);
    setLoaded(known.current);
  }, []);

  useEffect(() => {
    asked.current = load;
    known.current = new Map();
    setLoaded(known.current);
  }, [load]);

  const loadPart = useCallback(
    (path: string) => {
      const before = known.current.get(path);
      if (load === undefined || before?.state === "loading") return;
      const had = before ?? NOTHING;
      // An answer about the value before is no part of this one.
      const putIfStill = (next: Loaded) => asked.current === load && put(path, next);
      put(path, { ...had, state: "loading" });
      load(path, had.next ?? 0).then(
        (slice) => putIfStill(joined(had, slice)),
        (failure: unknown) => putIfStill({ ...had, state: "failed", message: messageOf(failure) }),
      );
    },
    [load, put],
  );

  return {
    state: { open, shown, loaded, depth },
    setOpen: useCallback((path, isOpen) => setOpen((before) => new Map(before).set(path, isOpen)), []),
    showMore: useCallback(
      (path) =>
        setShown((before) => new Map(before).set(path, (before.get(path) ?? ENTRY_STEP) + ENTRY_STEP)),
      [],
    ),
    load: loadPart,
  };
}

function joined(had: Loaded, { kind, entry_count: count, entries = [], text, next }: ValueSlice): Loaded {
  return {
    kind,
    count,
    state: "ready",
    entries: [...had.entries, ...entries],
    ...(text !== undefined && { text: (had.text ?? "") + text }),
    next,
  };
}

function messageOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}
