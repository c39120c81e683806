/** `repertoire secrets rotate`: after the key for secrets in a shared database was changed. */
import { rotateSecrets } from "../../../app/app.ts";
import { silentLog } from "../../../core/log.ts";
import { fail } from "../../../core/result.ts";
import { refuse } from "../../app-call.ts";
import { defineCommand } from "../../command.ts";
import { beginDryRun, endDryRun, type DryRunOptions } from "../../dry-run.ts";
import { useStore } from "../../store-call.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import { green, note, printJson, tell, yellow } from "../../terminal/terminal.ts";
import { countOf } from "../../terminal/wording.ts";

export const secretsCommand = defineCommand({
  name: "secrets",
  group: "access",
  summary: "Seal the secrets in a shared database with a new key",
  help: `Logins and inputs of gateways that share a database are sealed with REPERTOIRE_SECRET_KEY. To change the key, set the
new one, and the old one as REPERTOIRE_SECRET_KEY_PREVIOUS; docs/scale.md has the steps. Secrets in the home folder are
protected by the keyring or the permissions of their file, and have no such key.`,
  examples: ["repertoire secrets rotate"],
  commands: [
    defineCommand({
      name: "rotate",
      summary: "Seal all of them with the current key; the previous one is not needed then",
      dryRun: "own",
      run: rotate,
    }),
  ],
});

async function rotate(options: DryRunOptions): Promise<number> {
  const isDry = options.dryRun === true;
  if (isDry) beginDryRun();
  const rotation = await useStore(options, (store) => rotateSecrets(store, { log: silentLog, isDry }));
  if (rotation === undefined) return refuse(NOT_SHARED.error, options);
  const { sealedCount, changedCount, unreadable } = rotation;
  if (options.json === true) printJson({ secrets: sealedCount, sealed_again: changedCount, unreadable });
  else {
    note(
      `${green("sealed")} ${countOf(sealedCount, "secret")} with the current key, ${changedCount} of them now.`,
    );
    for (const name of unreadable)
      tell(`${yellow("warning")} ${name} is sealed with a key that is not here.`);
  }
  const exitCode = unreadable.length === 0 ? EXIT.ok : EXIT.failed;
  return isDry ? endDryRun(exitCode) : exitCode;
}

const NOT_SHARED = fail(
  "TOOL_INVALID_INPUT",
  "The secrets of this home are not sealed with a key of the environment.",
  {
    hint: "There is nothing to do. Only gateways that share a database (store.url, REPERTOIRE_DATABASE_URL) have such a key.",
  },
);
