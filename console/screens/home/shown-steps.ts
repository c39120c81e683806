import { useState } from "react";
import type { Status } from "./status.ts";

const HIDDEN = "repertoire.first-steps";

/** Whether the steps are shown: while one is missing, and until the page is left after the last was done. */
export function useFirstSteps(steps: Status["steps"]): readonly [isShown: boolean, hide: () => void] {
  const [isHidden, setHidden] = useState(() => localStorage.getItem(HIDDEN) === "hidden");
  const [wasNew] = useState(!(steps.server && steps.client && steps.saved));
  const hide = () => {
    localStorage.setItem(HIDDEN, "hidden");
    setHidden(true);
  };
  return [wasNew && !isHidden, hide];
}
