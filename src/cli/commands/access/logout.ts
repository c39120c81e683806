import type { Command } from "commander";
import type { LogoutView } from "../../../app/app.ts";
import { useApp } from "../../app-call.ts";
import type { Finish } from "../../program.ts";
import { globalOptionsOf } from "../../session.ts";
import { green, note } from "../../terminal/terminal.ts";

export function addLogout(program: Command, finish: Finish): void {
  program
    .command("logout")
    .argument("<server>", "the remote server")
    .description("End the login to a remote server, and forget it")
    .addHelpText("after", "\nExamples:\n  $ repertoire logout github")
    .action(async (server: string, _options: unknown, command: Command) => {
      finish(await useApp(globalOptionsOf(command), (app) => app.logins.logout(server), { show }));
    });
}

const REVOCATIONS = {
  revoked: "the server has ended it",
  not_offered: "the server offers no way to end it; what was given runs out by itself",
  failed: "the server could not be told; what was given runs out by itself",
} as const;

function show({ server, wasLoggedIn, revocation = "not_offered" }: LogoutView): void {
  if (!wasLoggedIn) return note(`${server} was not logged in to`);
  note(`${green("logged out")} of ${server}; ${REVOCATIONS[revocation]}`);
}
