import { Link } from "@tanstack/react-router";
import { TriangleAlert } from "lucide-react";
import { useCallback, useMemo, type ReactNode } from "react";
import { ask } from "../../api/client.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { ErrorText, type ShownError } from "../../parts/error-state.tsx";
import { isHandle, JsonView } from "../../parts/json-view.tsx";
import { Section } from "../../parts/page.tsx";
import { Visible } from "../../parts/visible.tsx";
import { WaitsNotice } from "../../parts/waits-notice.tsx";
import type { CodeRun } from "./code-run.ts";

/** What the code returned, or why it did not. */
export function RunResult({
  run,
  runId,
}: {
  readonly run: CodeRun;
  readonly runId: string | undefined;
}): ReactNode {
  const { executed, error, state, isLost } = run;
  if (state === "under_way")
    return (
      <p className="text-muted">
        It runs. You can leave this page: the run goes on, and its result is here when you come back.
      </p>
    );
  const told = error ?? executed?.error;
  return (
    <div className="space-y-4">
      {told !== undefined &&
        (executed?.status === "paused" ? <Waits message={told.message} /> : <RunError error={told} />)}
      {isLost === true && runId !== undefined && (
        <p className="text-muted">No answer came. What became of the run is on its own page.</p>
      )}
      {executed?.warnings?.map((warning) => (
        <p key={warning} className="foreign flex gap-2">
          <TriangleAlert aria-hidden size={16} className="mt-0.5 shrink-0 text-wait" />
          <Visible text={warning} max={1_000} />
        </p>
      ))}
      {executed?.success === true && <Outputs outputs={executed.outputs} runId={runId} />}
    </div>
  );
}

function Waits({ message }: { readonly message: string }): ReactNode {
  const link = (
    <Link to="/inbox" className="text-accent underline underline-offset-2">
      Open the inbox
    </Link>
  );
  return <WaitsNotice message={message} link={link} />;
}

interface PlacedError extends ShownError {
  readonly place?: { readonly line: number; readonly column: number };
}

function RunError({ error }: { readonly error: PlacedError }): ReactNode {
  return (
    <div role="alert">
      <ErrorText error={error} />
      {error.place !== undefined && (
        <p className="mt-1 pl-6 text-xs text-muted">Line {error.place.line} is marked in the editor.</p>
      )}
    </div>
  );
}

function Outputs({
  outputs,
  runId,
}: {
  readonly outputs: unknown;
  readonly runId: string | undefined;
}): ReactNode {
  const isLarge = isHandle(outputs) && runId !== undefined;
  const load = useCallback(
    (path: string, offset: number) =>
      ask("readValue", { params: { run: runId ?? "", step: "outputs" }, query: { path, offset } }),
    [runId],
  );
  const text = useMemo(() => () => JSON.stringify(outputs, null, 2), [outputs]);
  if (outputs === null || outputs === undefined) return <p className="text-muted">It returned nothing.</p>;
  return (
    <Section title="Outputs" actions={!isLarge && <CopyButton text={text} label="Copy the outputs" />}>
      <div className="rounded-md bg-code-bg px-2 py-2 inset-ring inset-ring-line">
        {isLarge ? (
          <JsonView load={load} bytes={outputs.bytes} label="Outputs" />
        ) : (
          <JsonView value={outputs} label="Outputs" depth={3} />
        )}
      </div>
    </Section>
  );
}
