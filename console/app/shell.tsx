import { Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useRef, useState, type ReactNode } from "react";
import { useKeys, type KeyBindings } from "../parts/keys.ts";
import { BottomBar } from "./bottom-bar.tsx";
import { ConnectionBanner } from "./connection-banner.tsx";
import { Rail } from "./rail.tsx";
import { SECTIONS } from "./sections.ts";
import { TopBar } from "./top-bar.tsx";

const Palette = lazy(async () => ({ default: (await import("./palette.tsx")).Palette }));
const HelpDialog = lazy(async () => ({ default: (await import("./help-dialog.tsx")).HelpDialog }));
const SessionDialog = lazy(async () => ({ default: (await import("./session-dialog.tsx")).SessionDialog }));

/** What is open above the screen. */
export type Overlay = "palette" | "help" | "session";

/** Everything around a screen. */
export function Shell(): ReactNode {
  const [overlay, setOverlay] = useState<Overlay>();
  const main = useRef<HTMLElement>(null);
  useScreenFocus(main);
  useShellKeys(setOverlay);
  const close = () => setOverlay(undefined);
  return (
    <div className="flex h-full flex-col sm:flex-row">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-30 focus:bg-raised focus:p-2"
      >
        Skip to the screen
      </a>
      <Rail onOpen={setOverlay} />
      <TopBar onOpen={setOverlay} />
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <ConnectionBanner />
        <main id="main" ref={main} tabIndex={-1} className="min-h-0 flex-1 overflow-hidden outline-none">
          <Outlet />
        </main>
      </div>
      <BottomBar onOpen={setOverlay} />
      <Suspense>
        {overlay === "palette" && <Palette onClose={close} onOpen={setOverlay} />}
        {overlay === "help" && <HelpDialog onClose={close} />}
        {overlay === "session" && <SessionDialog onClose={close} />}
      </Suspense>
    </div>
  );
}

/** A new screen gets the focus, so that Tab and screen readers begin in it. */
function useScreenFocus(main: React.RefObject<HTMLElement | null>): void {
  const { pathname } = useLocation();
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) main.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [main, pathname]);
}

function useShellKeys(setOverlay: (overlay: Overlay) => void): void {
  const navigate = useNavigate();
  const screens: KeyBindings = Object.fromEntries(
    SECTIONS.map(({ to, label, key }) => [
      `g ${key}`,
      { label, group: "Go to", run: () => void navigate({ to }) },
    ]),
  );
  useKeys({
    ...screens,
    "mod+k": {
      label: "Search and commands",
      group: "Everywhere",
      inFields: true,
      run: () => setOverlay("palette"),
    },
    "?": { label: "Keys", group: "Everywhere", run: () => setOverlay("help") },
  });
}
