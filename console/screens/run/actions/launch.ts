/**
 * Starting or resuming a run from its page. The request answers only when the run has ended, so the new run is found by the name
 * of the request, and the page goes there at once. One attempt has one name: pressing twice starts once.
 */
import { useNavigate } from "@tanstack/react-router";
import { useCallback, useEffect, useRef, useState } from "react";
import type { AskInput } from "../../../api/client.ts";
import { useAct, useAsk } from "../../../api/queries.ts";
import { newRequestId } from "../../../api/request-id.ts";

type LaunchName = "resumeRun" | "startRun";

export interface Launch<Name extends LaunchName> {
  /** `request_id` is added here. Nothing happens while an attempt is under way. */
  readonly launch: (input: AskInput<Name>) => void;
  readonly isPending: boolean;
  /** Why no run began. */
  readonly error: Error | null;
  readonly reset: () => void;
}

/** Use it where it stays on screen until the new run is there. */
export function useLaunch<Name extends LaunchName>(name: Name): Launch<Name> {
  const [requestId, setRequestId] = useState("");
  // Two clicks may come before the page is drawn again.
  const isSent = useRef(false);
  const goTo = useGoToRun();
  const act = useAct(name, { quiet: true, onSuccess: (answer) => goTo(answer.run_id ?? undefined) });
  const { isPending, mutate } = act;
  const started = useAsk(
    "listRuns",
    { query: { session: `console:${requestId}`, limit: 1 } },
    { enabled: isPending && requestId !== "", keepMs: 0 },
  );
  const found = isPending ? started.data?.runs[0]?.run_id : undefined;
  useEffect(() => goTo(found), [goTo, found]);
  return {
    launch(input) {
      if (isSent.current) return;
      isSent.current = true;
      const id = newRequestId();
      setRequestId(id);
      const { body } = input as { readonly body?: object };
      mutate({ ...input, body: { ...body, request_id: id } }, { onSettled: () => (isSent.current = false) });
    },
    isPending,
    error: act.error,
    reset: act.reset,
  };
}

/** Opens a run once, and only from the page that started it: a run that ends minutes later changes no other screen. */
function useGoToRun(): (run: string | undefined) => void {
  const navigate = useNavigate();
  const isHere = useRef(true);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);
  return useCallback(
    (run) => {
      if (run === undefined || !isHere.current) return;
      isHere.current = false;
      void navigate({ to: "/runs/$run", params: { run } });
    },
    [navigate],
  );
}
