import { useMemo } from "react";
import { useAsk } from "../../api/queries.ts";
import type { DeclaredTool, DeclaredTools } from "./declared-tools.ts";
import { examplesOf, type Example } from "./examples.ts";

/** Examples that begin with a tool that only reads, where one is known to. */
export function useExamples(declared: DeclaredTools): readonly Example[] {
  const known = useAsk("listTools", {});
  return useMemo(() => {
    const reading = new Set(
      known.data?.tools.filter(({ effect }) => effect === "read").map(({ written }) => written),
    );
    const isReading = ({ namespace, exact }: DeclaredTool) => reading.has(`${namespace}.${exact}`);
    return examplesOf(declared, isReading);
  }, [declared, known.data]);
}
