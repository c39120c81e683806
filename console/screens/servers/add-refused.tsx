import type { ReactNode } from "react";
import { toolErrorOf, type ApiError } from "../../api/api-error.ts";
import type { Answer, AskInput } from "../../api/client.ts";
import { CommandTwin } from "../../parts/command-twin.tsx";
import { ErrorText } from "../../parts/error-state.tsx";
import { addCommand } from "./add-command.ts";

export interface AddRefusedProps {
  readonly failure: ApiError;
  readonly body: AskInput<"addServers">["body"];
  /** What the gateway found in it, where it came so far. */
  readonly checked: Answer<"addServers"> | undefined;
}

/** Why it was not added. What may not be done from a browser, the command line of the machine still can. */
export function AddRefused({ failure, body, checked }: AddRefusedProps): ReactNode {
  const error = toolErrorOf(failure);
  return (
    <div role="alert" className="space-y-2 border-t border-line pt-3">
      <ErrorText error={error} />
      {error.code === "SECURITY_ERROR" && (
        <>
          <p className="text-muted">On the machine of the gateway:</p>
          <CommandTwin command={addCommand(body, checked)} />
        </>
      )}
    </div>
  );
}
