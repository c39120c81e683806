import { Check, Copy } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import { Button, IconButton, type ButtonSize } from "./button.tsx";
import { toast } from "./toast-store.ts";

/** Long enough to be seen. */
const SHOWN_MS = 1_500;

/** Puts a text into the clipboard; says so where it cannot. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    toast({
      tone: "fail",
      title: "The browser does not allow copying here",
      detail: "Select the text and copy it by hand.",
    });
    return false;
  }
}

export interface CopyButtonProps {
  readonly text: string | (() => string | Promise<string>);
  /** What is copied: "Copy the run id". */
  readonly label: string;
  /** With the label as text, not only as an icon. */
  readonly labelled?: boolean;
  readonly size?: ButtonSize;
}

export function CopyButton({ text, label, labelled = false, size = "sm" }: CopyButtonProps): ReactNode {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => setCopied(await copyText(typeof text === "string" ? text : await text()));
  const icon = isCopied ? Check : Copy;
  return (
    <>
      {labelled ? (
        <Button size={size} icon={icon} onClick={() => void copy()}>
          {label}
        </Button>
      ) : (
        <IconButton size={size} icon={icon} label={label} onClick={() => void copy()} />
      )}
      <span role="status" className="sr-only">
        {isCopied ? "Copied" : ""}
      </span>
    </>
  );
}
