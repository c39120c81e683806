import { useEffect, useRef, useState, type ReactNode } from "react";
import { CodeEditor } from "../code-editor.tsx";

export interface JsonPartProps {
  readonly label: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly error?: string | undefined;
  readonly minLines?: number;
}

/** A value written as JSON. While the text is no JSON, the value stays what it was. */
export function JsonPart({ label, value, onChange, error, minLines = 3 }: JsonPartProps): ReactNode {
  const [text, setText] = useState(() => textOf(value));
  const [problem, setProblem] = useState<string>();
  const given = useRef(value);
  useEffect(() => {
    if (value === given.current) return;
    given.current = value;
    setText(textOf(value));
    setProblem(undefined);
  }, [value]);
  const change = (next: string) => {
    setText(next);
    try {
      given.current = next.trim() === "" ? undefined : JSON.parse(next);
      setProblem(undefined);
      onChange(given.current);
    } catch (failure) {
      setProblem(failure instanceof Error ? failure.message : String(failure));
    }
  };
  const shown = problem ?? error;
  return (
    <div className="min-w-0">
      <CodeEditor
        language="json"
        label={label}
        value={text}
        onChange={change}
        minLines={minLines}
        maxLines={20}
      />
      {shown !== undefined && <p className="foreign mt-1 text-xs text-fail">{shown}</p>}
    </div>
  );
}

function textOf(value: unknown): string {
  return value === undefined ? "" : JSON.stringify(value, null, 2);
}
