import { Monitor, Moon, Sun } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "../parts/button.tsx";
import { chooseTheme, THEMES, useTheme } from "./theme-choice.ts";

const ICONS = { system: Monitor, light: Sun, dark: Moon } as const;

/** From the system's theme to light, to dark, and back. */
export function ThemeButton(): ReactNode {
  const theme = useTheme();
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]!;
  return (
    <IconButton
      icon={ICONS[theme]}
      label={`Theme: ${theme}. Change to ${next}`}
      onClick={() => chooseTheme(next)}
    />
  );
}
