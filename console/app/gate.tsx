import { useQueryClient } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useMemo, useState, useSyncExternalStore, type ReactNode } from "react";
import { openEventStream, type EventStream } from "../api/events.ts";
import { LiveContext } from "../api/live.ts";
import { createRefresher } from "../api/refresh.ts";
import { SessionContext, type Session } from "../api/session.ts";
import { Brand } from "./brand.tsx";
import { router } from "./router.tsx";
import type { SigningIn } from "./signing-in.ts";

// Most people who open the page are signed in.
const SignIn = lazy(async () => ({ default: (await import("./sign-in.tsx")).SignIn }));
const ErrorState = lazy(async () => ({ default: (await import("../parts/error-state.tsx")).ErrorState }));

/** Shows the console to whom the gateway knows, and to others how to come in. */
export function Gate({ signingIn }: { readonly signingIn: SigningIn }): ReactNode {
  const state = useSyncExternalStore(signingIn.subscribe, signingIn.state);
  switch (state.kind) {
    case "signed_in":
      return <SignedIn session={state.session} onLost={signingIn.check} />;
    case "signed_out":
      return (
        <Suspense>
          <SignIn error={state.error} ended={state.ended === true} />
        </Suspense>
      );
    case "unreachable":
      return (
        <Outside>
          <Suspense>
            <ErrorState error={state.error} onRetry={signingIn.retry} />
          </Suspense>
        </Outside>
      );
    case "asking":
      return (
        <Outside>
          <p role="status" className="sr-only">
            Loading
          </p>
        </Outside>
      );
  }
}

function Outside({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <main className="flex h-full flex-col items-center justify-center gap-4 px-4">
      <Brand />
      {children}
    </main>
  );
}

interface SignedInProps {
  readonly session: Session;
  /** A stream cannot tell that the session has ended; asking who looks can. */
  readonly onLost: () => void;
}

function SignedIn({ session, onLost }: SignedInProps): ReactNode {
  const client = useQueryClient();
  const refresher = useMemo(() => createRefresher(client), [client]);
  const [stream, setStream] = useState<EventStream>();
  useEffect(() => {
    const opened = openEventStream({ refresher, onLost });
    setStream(opened);
    return opened.stop;
  }, [refresher, onLost]);
  const live = useMemo(() => (stream === undefined ? undefined : { refresher, stream }), [refresher, stream]);
  if (live === undefined) return null;
  return (
    <SessionContext value={session}>
      <LiveContext value={live}>
        <RouterProvider router={router} />
      </LiveContext>
    </SessionContext>
  );
}
