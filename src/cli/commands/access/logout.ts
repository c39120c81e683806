import type { GlobalOptions } from "../../global-options.ts";
import type { LogoutView } from "../../../app/app.ts";
import { useApp } from "../../app-call.ts";
import { green, note } from "../../terminal/terminal.ts";
import { defineCommand } from "../../command.ts";

export const logoutCommand = defineCommand({
  name: "logout",
  group: "access",
  summary: "End the login to a remote server, and forget it",
  arguments: [{ words: "<server>", about: "the remote server", completes: ["servers"] }],
  examples: ["repertoire logout github"],
  run: (options: GlobalOptions, server: string) =>
    useApp(options, (app) => app.logins.logout(server), { show }),
});

const REVOCATIONS = {
  revoked: "the server has ended it",
  not_offered: "the server offers no way to end it; what was given runs out by itself",
  failed: "the server could not be told; what was given runs out by itself",
} as const;

function show({ server, wasLoggedIn, revocation = "not_offered" }: LogoutView): void {
  if (!wasLoggedIn) return note(`${server} was not logged in to`);
  note(`${green("logged out")} of ${server}; ${REVOCATIONS[revocation]}`);
}
