import type { ReactNode } from "react";
import type { ToolError } from "../../src/core/errors.ts";
import { CommandTwin } from "../parts/command-twin.tsx";
import { ErrorText } from "../parts/error-state.tsx";
import { useTabTitle } from "../parts/tab-title.ts";
import { Brand } from "./brand.tsx";

/** There is no session: how to get one, and why a link did not give one. */
export function SignIn({
  error,
  ended,
}: {
  readonly error: ToolError | undefined;
  readonly ended: boolean;
}): ReactNode {
  useTabTitle("Sign in");
  return (
    <main className="flex h-full items-center justify-center px-4">
      <div className="w-full max-w-sm space-y-4">
        <Brand />
        <div className="space-y-1">
          <h1 className="text-lg">{headingOf(error, ended)}</h1>
          <p className="text-muted">
            Run this where the gateway runs. It opens the console with a link of its own:
          </p>
        </div>
        <CommandTwin command="repertoire console" />
        {error !== undefined && (
          <div role="alert">
            <ErrorText error={error} />
          </div>
        )}
        <p className="border-t border-line pt-3 text-xs text-muted">
          A link works once, within a minute. There is no password and no account: who can run the command can
          look.
        </p>
      </div>
    </main>
  );
}

function headingOf(error: ToolError | undefined, ended: boolean): string {
  if (error !== undefined) return "This link does not open the console";
  return ended ? "Your session has ended" : "Open the console from the command line";
}
