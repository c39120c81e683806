/** The section `store` alone, with its variables and the environment. */
import type { Config } from "./config.ts";
import { asObject } from "./entries/server-check.ts";
import type { ConfigText } from "./files/config-text.ts";
import { checkFile } from "./files/file-check.ts";
import { mergeLayers } from "./files/merge.ts";
import { parseFiles } from "./load.ts";
import type { Environment } from "./locate.ts";
import { arrangeProblems, type Complaint, type ConfigProblem } from "./problem.ts";
import { buildStore, collectStoreSecrets, readStoreEnvironment } from "./store.ts";
import { expandTree } from "./values/expand.ts";
import { complainOpenSection } from "./values/inputs.ts";

type StoreParsed =
  | { readonly ok: true; readonly store: Config["store"]; readonly secrets: readonly string[] }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

export function parseStoreText(source: ConfigText, env: Environment): StoreParsed {
  const files = parseFiles(source.files);
  if (files.problems.length > 0) return { ok: false, problems: files.problems };
  const merged = mergeLayers(files.layers);
  const section = asObject(merged.value)?.["store"];
  const expansion = expandTree(section === undefined ? {} : { store: section }, env);
  const checked = checkFile(expansion.value);
  const environment = readStoreEnvironment(env);
  const gaps: Complaint[] = [
    ...expansion.complaints,
    ...expansion.unset,
    ...expansion.inputs.map(complainOpenSection),
  ];
  // What a text with an unset variable looks like says nothing.
  const complaints = gaps.length > 0 || checked.ok ? gaps : checked.complaints;
  if (complaints.length > 0 || environment.problems.length > 0 || !checked.ok) {
    const problems = [...complaints.map((one) => merged.locate(one)), ...environment.problems];
    return { ok: false, problems: arrangeProblems(problems) };
  }
  const store = buildStore(checked.file.store, environment);
  return { ok: true, store, secrets: collectStoreSecrets(store.url, env) };
}
