import type { Answer, AskInput } from "../../api/client.ts";
import { twinText } from "../../api/twin.ts";
import { shellWord } from "../../../src/operator/twins.ts";

type Body = AskInput<"addServers">["body"];
type Checked = Pick<Answer<"addServers">, "added" | "entries">;

/**
 * The command that adds the same. A command line needs the name that the gateway found for it, and is pasted as it is, because
 * a shell reads it as the gateway did; with variables in front it becomes JSON.
 */
export function addCommand(body: Body, checked: Checked | undefined): string {
  const { given, replace } = body;
  const isJson = /^\s*(?:\{|"[^"]*"\s*:)/.test(given);
  const name = body.name ?? (checked?.added.length === 1 ? checked.added[0] : undefined);
  const isNamed = isJson && Object.keys(checked?.entries ?? {}).length > 1;
  const named = { ...body, ...(name !== undefined && !isNamed && { name }) };
  if (isJson || /^https?:\/\//i.test(given)) return twinText("addServers", { body: named }) ?? "";
  if (/^[A-Za-z_]\w*=/.test(given) && checked !== undefined) {
    return (
      twinText("addServers", {
        body: { ...named, name: undefined, given: JSON.stringify({ mcpServers: checked.entries }) },
      }) ?? ""
    );
  }
  return [
    "repertoire add",
    shellWord(name ?? "NAME"),
    ...(replace === true ? ["--force"] : []),
    "--",
    given,
  ].join(" ");
}
