/**
 * The keyboard. Screens say which keys they know with `useKeys`; one listener on the window finds who answers. Where two know the
 * same key, the one that came last on screen does. In fields, keys are text; in an open dialog, only what belongs to it counts.
 */
import { useEffect, useRef, useSyncExternalStore } from "react";

export interface KeyBinding {
  /** What it does, for the help. */
  readonly label: string;
  readonly run: (event: KeyboardEvent) => void;
  /** Under which heading the help lists it. */
  readonly group?: string;
  /** Also while a field has the focus. */
  readonly inFields?: boolean;
  /** Also while a dialog is open. */
  readonly inDialogs?: boolean;
  /** The help does not list it. */
  readonly hidden?: boolean;
}

/** By key, as `event.key` has it: `j`, `?`, `Enter`, `mod+k`, or two after another: `g h`. */
export type KeyBindings = Readonly<Record<string, KeyBinding>>;

/** How long the first key of two waits for the second. */
const SEQUENCE_MS = 1_200;
const SWITCH = "repertoire.single-keys";

const registered: { readonly current: KeyBindings }[] = [];
const watchers = new Set<() => void>();
let first: { readonly key: string; readonly at: number } | undefined;

/** Answers these keys while the component is on screen. */
export function useKeys(bindings: KeyBindings, enabled: boolean = true): void {
  const current = useRef(bindings);
  useEffect(() => {
    current.current = bindings;
  });
  useEffect(() => (enabled ? register(current) : undefined), [enabled]);
}

function register(entry: { readonly current: KeyBindings }): () => void {
  if (registered.length === 0) globalThis.addEventListener("keydown", onKeyDown);
  registered.push(entry);
  announce();
  return () => {
    registered.splice(registered.indexOf(entry), 1);
    if (registered.length === 0) globalThis.removeEventListener("keydown", onKeyDown);
    announce();
  };
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const key = keyOf(event);
  const before = first !== undefined && event.timeStamp - first.at < SEQUENCE_MS ? first.key : undefined;
  first = undefined;
  const binding = (before !== undefined && find(`${before} ${key}`, event)) || find(key, event);
  if (binding !== undefined) {
    event.preventDefault();
    binding.run(event);
  } else if (beginsSequence(key) && !isInField(event)) {
    first = { key, at: event.timeStamp };
  }
}

function find(key: string, event: KeyboardEvent): KeyBinding | undefined {
  if (!areSingleKeysOn() && !key.startsWith("mod+") && key !== "Escape" && key !== "?") return undefined;
  const inField = isInField(event);
  const inDialog = document.querySelector("dialog:modal") !== null;
  return registered
    .toReversed()
    .map(({ current }) => current[key])
    .find(
      (binding) =>
        binding !== undefined &&
        (!inField || binding.inFields === true) &&
        (!inDialog || binding.inDialogs === true),
    );
}

function beginsSequence(key: string): boolean {
  return registered.some(({ current }) => Object.keys(current).some((each) => each.startsWith(`${key} `)));
}

/** `mod` is the command key of a Mac, and control elsewhere. Shift is part of a letter's own key, and named for others. */
export function keyOf(
  event: Pick<KeyboardEvent, "key" | "metaKey" | "ctrlKey" | "altKey" | "shiftKey">,
): string {
  const isNamed = event.key.length > 1;
  return [
    event.metaKey || event.ctrlKey ? "mod+" : "",
    event.altKey ? "alt+" : "",
    event.shiftKey && isNamed ? "shift+" : "",
    event.key === " " ? "Space" : event.key,
  ].join("");
}

/** Through shadow roots too: the editor is in one. */
function isInField(event: Event): boolean {
  const [target] = event.composedPath();
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName)) &&
    !(target instanceof HTMLInputElement && ["checkbox", "radio", "button"].includes(target.type))
  );
}

function announce(): void {
  for (const watcher of watchers) watcher();
}

/** Every key that does something now, for the help. */
export function listKeys(): readonly { readonly keys: string; readonly binding: KeyBinding }[] {
  const seen = new Set<string>();
  return registered
    .toReversed()
    .flatMap(({ current }) => Object.entries(current))
    .filter(([keys, binding]) => binding.hidden !== true && !seen.has(keys) && seen.add(keys))
    .map(([keys, binding]) => ({ keys, binding }));
}

/** Whether keys without mod do something: people who dictate turn them off. */
function areSingleKeysOn(): boolean {
  return localStorage.getItem(SWITCH) !== "off";
}

export function useSingleKeys(): readonly [isOn: boolean, set: (isOn: boolean) => void] {
  const isOn = useSyncExternalStore(watch, areSingleKeysOn);
  return [
    isOn,
    (next) => {
      localStorage.setItem(SWITCH, next ? "on" : "off");
      announce();
    },
  ];
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}
