import { Link } from "@tanstack/react-router";
import { useMemo, type ReactNode } from "react";
import { Code } from "../../parts/code.tsx";
import { Visible } from "../../parts/visible.tsx";
import { signatureText, targetOf, type DeclaredTool, type DeclaredTools } from "./declared-tools.ts";

/** The tool at the cursor: how it is called and what it does. */
export function ToolSignature({
  tool,
  declared,
}: {
  readonly tool: DeclaredTool;
  readonly declared: DeclaredTools;
}): ReactNode {
  const text = useMemo(
    () => `${targetOf(tool, declared.namespaces)}${signatureText(tool)}`,
    [tool, declared],
  );
  return (
    <section
      aria-label="The tool at the cursor"
      className="max-h-32 shrink-0 overflow-auto border-t border-line bg-sunken py-1.5"
    >
      <Code
        text={text}
        language="typescript"
        label="Signature"
        lineNumbers={false}
        className="bg-transparent! py-0!"
      />
      <p className="flex min-w-0 gap-3 px-3 pt-0.5 text-xs text-muted">
        <span className="min-w-0 flex-1 truncate">
          <Visible text={tool.doc.replaceAll(/\s+/g, " ")} max={300} />
        </span>
        <Link
          to="/tools/$tool"
          params={{ tool: `${tool.namespace}.${tool.exact}` }}
          className="shrink-0 text-accent hover:underline"
        >
          Open the tool
        </Link>
      </p>
    </section>
  );
}
