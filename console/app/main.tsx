/** The page. It takes the one-time link out of the address before anything else can read it. */
import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { toolErrorOf } from "../api/api-error.ts";
import { createQueryClient } from "../api/query-client.ts";
import { toast } from "../parts/toast-store.ts";
import { Toasts } from "./toasts.tsx";
import { ErrorBoundary } from "./error-boundary.tsx";
import { Gate } from "./gate.tsx";
import { takeLink } from "./sign-in-link.ts";
import { createSigningIn } from "./signing-in.ts";
import { applyTheme } from "./theme-choice.ts";
import "./theme.css";

const link = takeLink();
applyTheme();

const client = createQueryClient({
  onSignedOut: () => signingIn.signOut(),
  onActFailed: (failure) => {
    const { message, hint } = toolErrorOf(failure);
    toast({ tone: "fail", title: message, detail: hint });
  },
});
const signingIn = createSigningIn(link, () => client.clear());

createRoot(document.querySelector("#app")!).render(
  <StrictMode>
    <ErrorBoundary>
      <QueryClientProvider client={client}>
        <Gate signingIn={signingIn} />
        <Toasts />
      </QueryClientProvider>
    </ErrorBoundary>
  </StrictMode>,
);
