import { createContext, use } from "react";
import { PERMISSION_OF, type RouteName } from "../../src/operator/routes.ts";
import type { Answer } from "./client.ts";

/** Who looks, and what they may do. */
export type Session = Answer<"getSession">;

export const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = use(SessionContext);
  if (session === undefined) throw new Error("This part of the page is outside of SessionContext");
  return session;
}

/** Whether who looks has the permission that a route asks for; the gateway itself decides in the end. */
export function useMay(name: RouteName): boolean {
  return mayAsk(useSession(), name);
}

function mayAsk({ scopes }: Pick<Session, "scopes">, name: RouteName): boolean {
  const needed = PERMISSION_OF[name] ?? "read";
  return needed === "public" || scopes.includes(needed);
}
