/**
 * File + environment → one frozen Config, or everything that is wrong with them at once. Bad input is a value and never a
 * throw. Only data is read: no `.env`, no script, no module of the folder has any say.
 */
import { buildConfig } from "./build.ts";
import { readConfigText, type ConfigText, type LoadOptions } from "./config-text.ts";
import { SECTIONS_IN_NEED_OF_TRUST, type Config } from "./config.ts";
import { parseDocument, type Document } from "./document.ts";
import { readEnvironment } from "./environment.ts";
import { expandTree } from "./expand.ts";
import { checkFile, type FileChecked } from "./file-check.ts";
import type { Environment } from "./locate.ts";
import { arrangeProblems, type Complaint, type Problem } from "./problem.ts";
import { checkProfiles } from "./profile.ts";
import { checkServers, objectAt } from "./server-check.ts";

export type LoadResult =
  | { readonly ok: true; readonly config: Config; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export function loadConfig(options: LoadOptions = {}): LoadResult {
  return parseConfigText(readConfigText(options), options.env ?? process.env);
}

/** Understands what was read: all problems of file and environment at once, or the config and what is odd about it. */
export function parseConfigText(source: ConfigText, env: Environment): LoadResult {
  if (source.problem !== undefined) return { ok: false, problems: [source.problem] };
  const parsed = parseDocument(source.text ?? "{}", source.file);
  if (!parsed.ok) return { ok: false, problems: parsed.problems };
  const { document } = parsed;
  const expansion = expandTree(document.value, env);
  const checked = checkFile(expansion.value);
  const servers = checkServers(expansion.value);
  const environment = readEnvironment(env, servers.known);
  const ids = [...new Set([...servers.known.keys(), ...environment.urls.keys()])].sort();
  const values = [...complaintsOf(checked), ...checkProfiles(expansion.value, ids)];
  const complaints = [
    ...parsed.complaints,
    ...expansion.complaints,
    ...withoutUnexpanded(values, expansion.complaints),
    ...servers.complaints,
  ];
  const problems = [...complaints.map(document.locate), ...environment.problems];
  if (problems.length > 0 || !checked.ok) return { ok: false, problems: arrangeProblems(problems) };
  const config = buildConfig({
    origin: source.origin,
    home: source.location.home,
    trusted: source.trusted,
    file: checked.file,
    written: document.value,
    uses: expansion.uses,
    secrets: expansion.secrets,
    environment,
  });
  const trustWarnings = source.trusted ? [] : findTrustWarnings(source, document, config);
  return { ok: true, config, warnings: [...source.warnings, ...trustWarnings, ...environment.warnings] };
}

function complaintsOf(checked: FileChecked): readonly Complaint[] {
  return checked.ok ? [] : checked.complaints;
}

/** What a text with an unset variable looks like says nothing: the variable is the problem. */
function withoutUnexpanded(complaints: readonly Complaint[], unexpanded: readonly Complaint[]): Complaint[] {
  const paths = new Set(unexpanded.map((complaint) => JSON.stringify(complaint.path)));
  return complaints.filter((complaint) => !paths.has(JSON.stringify(complaint.path)));
}

function findTrustWarnings(source: ConfigText, document: Document, config: Config): Problem[] {
  const hint = "look at it, then run `repertoire trust`";
  const withheld = SECTIONS_IN_NEED_OF_TRUST.filter((key) => objectAt(document.value, key) !== undefined);
  const names = config.servers.filter((server) => !server.trusted).map((server) => server.id);
  const warnings: Problem[] = [];
  if (names.length > 0) {
    const message = `this project file is not trusted, so its servers are not started: ${names.join(", ")}`;
    warnings.push({ file: source.file, path: "", message, hint });
  }
  for (const key of withheld) {
    const message = "has no effect until this project file is trusted";
    warnings.push(document.locate({ path: [key], at: "key", message, hint }));
  }
  return warnings;
}
