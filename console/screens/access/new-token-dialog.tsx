import type { ReactNode } from "react";
import type { Answer } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { Code } from "../../parts/code.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { connectSnippets, endpointOf } from "./connect-snippet.ts";

export interface NewTokenDialogProps {
  readonly made: Answer<"createToken">;
  readonly onClose: () => void;
}

/** The text of a new token: here once, and nowhere else. It leaves the page with this dialog. */
export function NewTokenDialog({ made, onClose }: NewTokenDialogProps): ReactNode {
  const { name, token, profiles } = made;
  const url = endpointOf(location.origin, profiles as readonly string[] | undefined);
  return (
    <Dialog
      open
      onClose={onClose}
      title={`The token ${name}`}
      description="Copy it now: it is not shown again. Anyone who has it can do what it allows."
      footer={
        <Button look="primary" onClick={onClose}>
          I have copied it
        </Button>
      }
    >
      <div className="space-y-4">
        <div className="flex items-center gap-1 rounded-md border border-line bg-code-bg py-1 pr-1 pl-3">
          <code aria-label="The token" className="min-w-0 flex-1 font-mono text-xs break-all">
            {token}
          </code>
          <CopyButton text={token} label="Copy the token" labelled />
        </div>
        {connectSnippets(url, token).map(({ title, text, language }) => (
          <section key={title} aria-label={title}>
            <header className="mb-1 flex items-center">
              <h3 className="text-sm">{title}</h3>
              <span className="ml-auto">
                <CopyButton text={text} label={`Copy: ${title}`} />
              </span>
            </header>
            <Code
              text={text}
              language={language}
              label={title}
              lineNumbers={false}
              className="rounded-md border border-line"
            />
          </section>
        ))}
      </div>
    </Dialog>
  );
}
