/** What code can call, read from the gateway's declarations. Members are read when they are asked for: a gateway may have thousands of tools. */
import { functionOf, membersOf, shortType, type DeclaredFunction, type TypeMember } from "./declared-type.ts";

export interface DeclaredName {
  /** As it is written after a dot; a name that is no identifier can have none. */
  readonly member?: string;
  /** The exact name, for brackets. */
  readonly exact: string;
}

export interface DeclaredTool extends DeclaredName, DeclaredFunction {
  readonly namespace: string;
  readonly doc: string;
}

export interface DeclaredTools {
  readonly namespaces: readonly DeclaredName[];
  /** By either form of the namespace's name. */
  readonly toolsOf: (namespace: string) => readonly DeclaredTool[];
  readonly find: (namespace: string, tool: string) => DeclaredTool | undefined;
}

const ALIAS = /^\(typeof mcp\)(?:\["(?:\\.|[^"\\])*"\])*?\[("(?:\\.|[^"\\])*")\]$/;
const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

export function readDeclarations(text: string): DeclaredTools {
  const begins = text.indexOf("declare const mcp: {");
  const ends = text.indexOf("\n};\n", begins);
  const members = begins < 0 ? [] : membersOf(text.slice(begins, ends < 0 ? text.length : ends + 3));
  const spaces = namesOf(members);
  const byName = new Map(members.map((member) => [member.name, member]));
  const read = new Map<string, readonly DeclaredTool[]>();

  function exactName(namespace: string): string {
    return (
      spaces.find(({ member, exact }) => member === namespace || exact === namespace)?.exact ?? namespace
    );
  }

  function toolsOf(namespace: string): readonly DeclaredTool[] {
    const exact = exactName(namespace);
    const known = read.get(exact) ?? readTools(exact, byName.get(exact)?.type ?? "");
    read.set(exact, known);
    return known;
  }

  return {
    namespaces: spaces,
    toolsOf,
    find: (namespace, tool) =>
      toolsOf(namespace).find(({ member, exact }) => member === tool || exact === tool),
  };
}

function readTools(namespace: string, type: string): DeclaredTool[] {
  const members = membersOf(type);
  const byName = new Map(members.map((member) => [member.name, member]));
  return namesOf(members).flatMap((name) => {
    const { type: signature, doc } = byName.get(name.exact)!;
    const call = functionOf(signature);
    return call === undefined ? [] : [{ ...name, ...call, namespace, doc }];
  });
}

/** Each exact name once, with the member that refers to it. */
function namesOf(members: readonly TypeMember[]): DeclaredName[] {
  const aliases = new Map(
    members.flatMap(({ name, type }) => {
      const exact = ALIAS.exec(type)?.[1];
      return exact === undefined ? [] : [[JSON.parse(exact) as string, name] as const];
    }),
  );
  const referring = new Set(aliases.values());
  return members
    .filter(({ name, type }) => !(referring.has(name) && ALIAS.test(type)))
    .map(({ name }) => {
      const member = IDENTIFIER.test(name) ? name : aliases.get(name);
      return { exact: name, ...(member !== undefined && { member }) };
    });
}

/** `mcp.files.read`, or with brackets where a name is no identifier. */
export function targetOf(
  { namespace, exact, member }: DeclaredTool,
  spaces: readonly DeclaredName[],
): string {
  const space = spaces.find((each) => each.exact === namespace);
  return `mcp${accessTo(space?.member, namespace)}${accessTo(member, exact)}`;
}

function accessTo(member: string | undefined, exact: string): string {
  return member === undefined ? `[${JSON.stringify(exact)}]` : `.${member}`;
}

/** The signature in one line. */
export function signatureText({ args, isArgsOptional, answer }: DeclaredFunction): string {
  return `(args${isArgsOptional ? "?" : ""}: ${shortType(args)}) => Promise<${shortType(answer)}>`;
}
