import { Component, lazy, Suspense, type ReactNode } from "react";
import { toolErrorOf } from "../api/api-error.ts";

const ErrorState = lazy(async () => ({ default: (await import("../parts/error-state.tsx")).ErrorState }));

interface State {
  readonly failure: { readonly thrown: unknown } | undefined;
}

/** The last resort: a bug in the page itself is told, not a white page. React has this only as a class. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, State> {
  override readonly state: State = { failure: undefined };

  static getDerivedStateFromError(thrown: unknown): State {
    return { failure: { thrown } };
  }

  override render(): ReactNode {
    const { failure } = this.state;
    return failure === undefined ? this.props.children : <BrokenScreen failure={failure.thrown} />;
  }
}

/** A screen that failed while it was drawn. */
export function BrokenScreen({ failure }: { readonly failure: unknown }): ReactNode {
  return (
    <Suspense>
      <ErrorState
        title="This screen failed"
        error={{
          ...toolErrorOf(failure),
          hint: "This is a bug in the console. Loading the page again may help.",
        }}
        onRetry={() => location.reload()}
      />
    </Suspense>
  );
}
