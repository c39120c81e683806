import type { UseQueryResult } from "@tanstack/react-query";
import { useCallback, useMemo, useState, type ReactNode } from "react";
import type { ApiError } from "../../api/api-error.ts";
import type { Answer } from "../../api/client.ts";
import { CodeEditor, type CodeProblem } from "../../parts/code-editor.tsx";
import { CheckBar } from "./check-bar.tsx";
import { completeCode } from "./complete-code.ts";
import type { DeclaredTool, DeclaredTools } from "./declared-tools.ts";
import { Introduction } from "./introduction.tsx";
import { ToolSignature } from "./tool-signature.tsx";
import { toolAt } from "./tool-at.ts";
import type { Check } from "./use-check.ts";

export interface EditorPaneProps {
  readonly code: string;
  readonly onCode: (code: string) => void;
  readonly onPlace: (code: string, what: string) => void;
  readonly onRun: () => void;
  readonly declarations: UseQueryResult<Answer<"declareTools">, ApiError>;
  readonly declared: DeclaredTools;
  readonly check: Check;
  readonly runProblems: readonly CodeProblem[];
}

/** The editor, what is wrong, and the signature of the tool at the cursor. */
export function EditorPane(props: EditorPaneProps): ReactNode {
  const { code, onCode, onPlace, onRun, declarations, declared, check, runProblems } = props;
  const [tool, setTool] = useState<DeclaredTool>();
  const problems = useMemo(() => [...problemsOf(check), ...runProblems], [check, runProblems]);
  const complete = useCallback(
    (text: string, position: number, isExplicit: boolean) =>
      completeCode(text, position, isExplicit, declared),
    [declared],
  );
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="relative flex min-h-0 flex-1 flex-col">
        <CodeEditor
          value={code}
          onChange={onCode}
          language="typescript"
          label="Code"
          problems={problems}
          complete={complete}
          onCursor={(position, text) => setTool(toolAt(text, position, declared))}
          onRun={onRun}
          className="flex-1 rounded-none! border-0!"
        />
        {code === "" && <Introduction declared={declared} declarations={declarations} onPlace={onPlace} />}
      </div>
      {tool !== undefined && <ToolSignature tool={tool} declared={declared} />}
      <CheckBar
        check={check}
        runProblems={runProblems}
        missing={declarations.data?.missing ?? []}
        toolCount={declarations.data?.toolCount}
      />
    </div>
  );
}

function problemsOf(check: Check): readonly CodeProblem[] {
  return check.state === "checked" ? check.checked.problems : [];
}
