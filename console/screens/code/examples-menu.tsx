import { Sparkles } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "../../parts/button.tsx";
import { Menu } from "../../parts/menu.tsx";
import type { DeclaredTools } from "./declared-tools.ts";
import { useExamples } from "./use-examples.ts";

export interface ExamplesMenuProps {
  readonly declared: DeclaredTools;
  readonly onChoose: (code: string, what: string) => void;
}

export function ExamplesMenu({ declared, onChoose }: ExamplesMenuProps): ReactNode {
  const examples = useExamples(declared);
  if (examples.length === 0) return null;
  return (
    <Menu
      trigger={
        <Button look="quiet" icon={Sparkles}>
          Examples
        </Button>
      }
      items={examples.map(({ title, code }) => ({ label: title, run: () => onChoose(code, title) }))}
    />
  );
}
