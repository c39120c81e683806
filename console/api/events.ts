/**
 * One stream of events for the whole page. An event says only that something changed; what is on screen is then fetched again.
 *
 * The stream is closed while the tab is hidden, and opened again with the last event that is known. A browser gives up on a
 * stream that was answered with an error, and waits for as long as it likes on a network that fails; so reconnecting is done here.
 */
import {
  API_PREFIX,
  EVENTS_PATH,
  EVERY_TOPIC,
  LAST_EVENT_PARAM,
  TOPICS,
  type Topic,
} from "../../src/operator/routes.ts";
import type { Refresher } from "./refresh.ts";

/** `connecting` before the first answer and after the tab was hidden; `lost` when a stream failed. */
export type ConnectionState = "connecting" | "open" | "lost";

const RETRY_FIRST_MS = 500;
/** Somebody who restarts the gateway should not have to wait for the page. */
const RETRY_MAX_MS = 5_000;

export interface EventStream {
  readonly state: () => ConnectionState;
  readonly subscribe: (listener: () => void) => () => void;
  readonly stop: () => void;
}

interface GatewayEvent {
  readonly seq?: number | string;
  readonly topic: Topic | typeof EVERY_TOPIC;
  readonly id?: string | null;
}

export interface EventStreamDeps {
  readonly refresher: Refresher;
  /** Called with each failure: the session may have ended, which a stream cannot tell. */
  readonly onLost: () => void;
}

export function openEventStream({ refresher, onLost }: EventStreamDeps): EventStream {
  const listeners = new Set<() => void>();
  let state: ConnectionState = "connecting";
  let source: EventSource | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let last = "";

  function become(next: ConnectionState): void {
    if (state === next) return;
    state = next;
    for (const listener of listeners) listener();
  }

  function close(): void {
    clearTimeout(retry);
    retry = undefined;
    source?.close();
    source = undefined;
  }

  function open(): void {
    close();
    source = new EventSource(eventsUrl(last));
    source.addEventListener("open", onOpen);
    source.addEventListener("error", onError);
    source.addEventListener("message", onMessage);
  }

  function onOpen(): void {
    failures = 0;
    // What was fetched before the stream was open may be stale by now; and after a failure another process may answer.
    if (state === "lost" || last === "") refresher.refreshAll();
    become("open");
  }

  function onError(): void {
    close();
    become("lost");
    onLost();
    retry = setTimeout(open, Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** failures));
    failures += 1;
  }

  function onMessage(message: MessageEvent<string>): void {
    const event = parseEvent(message.data);
    last = message.lastEventId === "" ? String(event?.seq ?? last) : message.lastEventId;
    if (event?.topic === EVERY_TOPIC) refresher.refreshAll();
    else if (event !== undefined) refresher.refresh({ topic: event.topic, id: event.id ?? undefined });
  }

  function onVisibility(): void {
    if (!document.hidden) return open();
    close();
    if (state === "open") become("connecting");
  }

  document.addEventListener("visibilitychange", onVisibility);
  if (!document.hidden) open();
  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop() {
      close();
      document.removeEventListener("visibilitychange", onVisibility);
    },
  };
}

function eventsUrl(last: string): string {
  const search = new URLSearchParams({
    topics: TOPICS.join(","),
    ...(last !== "" && { [LAST_EVENT_PARAM]: last }),
  });
  return `${API_PREFIX}${EVENTS_PATH}?${search.toString()}`;
}

function parseEvent(text: string): GatewayEvent | undefined {
  try {
    const event = JSON.parse(text) as Partial<GatewayEvent> | null;
    return typeof event?.topic === "string" ? (event as GatewayEvent) : undefined;
  } catch {
    return undefined;
  }
}
