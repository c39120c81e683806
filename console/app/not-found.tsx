import { Link } from "@tanstack/react-router";
import { Compass } from "lucide-react";
import type { ReactNode } from "react";
import { buttonClass } from "../parts/button.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { Page } from "../parts/page.tsx";

export function NotFound(): ReactNode {
  return (
    <Page title="Not found">
      <EmptyState
        icon={Compass}
        title="There is no such screen"
        actions={
          <Link to="/" className={buttonClass()}>
            Go home
          </Link>
        }
      >
        The address may be of an older version.
      </EmptyState>
    </Page>
  );
}
