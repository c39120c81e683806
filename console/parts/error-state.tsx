import { CircleX, RotateCw } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { Visible } from "./visible.tsx";
import { CommandTwin } from "./command-twin.tsx";

/** The parts of a `ToolError` that a person reads. */
export interface ShownError {
  readonly code?: string | undefined;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly reason?: string | undefined;
  readonly field?: string | undefined;
  readonly nearest?: readonly string[] | undefined;
}

export interface ErrorStateProps {
  readonly error: ShownError;
  readonly title?: string;
  readonly command?: string;
  readonly onRetry?: () => void;
}

/** Something failed: what happened, what to do, and trying again. For a whole screen or panel. */
export function ErrorState({ error, title, command, onRetry }: ErrorStateProps): ReactNode {
  return (
    <div role="alert" className="mx-auto flex max-w-lg flex-col gap-3 px-4 py-12">
      <ErrorText error={error} {...(title !== undefined && { title })} />
      {command !== undefined && <CommandTwin command={command} />}
      {onRetry !== undefined && (
        <div>
          <Button icon={RotateCw} onClick={onRetry}>
            Try again
          </Button>
        </div>
      )}
    </div>
  );
}

/** The same inside of a form or a panel. */
export function ErrorText({
  error,
  title,
}: {
  readonly error: ShownError;
  readonly title?: string;
}): ReactNode {
  const { code, reason, message, hint, field, nearest = [] } = error;
  const kind = [code, reason].filter((each) => each !== undefined && each !== "").join(" · ");
  return (
    <div className="flex min-w-0 gap-2">
      <CircleX aria-hidden size={16} className="mt-0.5 shrink-0 text-fail" />
      <div className="min-w-0 space-y-1">
        {title !== undefined && <h2 className="text-base">{title}</h2>}
        <p className="foreign text-fail">
          {field !== undefined && <code className="mr-1 font-mono text-xs">{field}:</code>}
          <Visible text={message} />
        </p>
        {hint !== undefined && (
          <p className="foreign text-muted">
            <Visible text={hint} />
          </p>
        )}
        {nearest.length > 0 && (
          <p className="foreign text-muted">
            Near: <Visible text={nearest.join(", ")} />
          </p>
        )}
        {kind !== "" && <p className="font-mono text-2xs text-faint">{kind}</p>}
      </div>
    </div>
  );
}
