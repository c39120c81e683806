/** Code to begin with, made from the tools that are really there. */
import { targetOf, type DeclaredTool, type DeclaredTools } from "./declared-tools.ts";
import { literalsOf, membersOf } from "./declared-type.ts";

export interface Example {
  readonly title: string;
  readonly code: string;
}

/** So many namespaces are looked through: a gateway may have thousands of tools. */
const NAMESPACES_MAX = 30;

/** Of a tool whose effect is not known, its name says the most. */
const READING_NAME = /^(?:get|list|search|read|find|look|describe|show)/i;

/** Those that are known to only read come first, then those whose names say so; of each, those that need little. */
function pickTools(declared: DeclaredTools, isReading: (tool: DeclaredTool) => boolean): DeclaredTool[] {
  const all = declared.namespaces.slice(0, NAMESPACES_MAX).flatMap(({ exact }) => declared.toolsOf(exact));
  const cost = (tool: DeclaredTool) =>
    (isReading(tool) ? 0 : 100) + (READING_NAME.test(tool.exact) ? 0 : 50) + requiredOf(tool).length;
  return all.toSorted((a, b) => cost(a) - cost(b));
}

/** Nothing where no server has listed a tool yet. */
export function examplesOf(declared: DeclaredTools, isReading: (tool: DeclaredTool) => boolean): Example[] {
  const tools = pickTools(declared, isReading);
  const [first, ...others] = tools;
  if (first === undefined) return [];
  const second = others.find(({ namespace }) => namespace !== first.namespace) ?? others[0];
  return [
    { title: `Call ${first.namespace}.${first.exact}`, code: oneCall(first, declared) },
    ...(second === undefined
      ? []
      : [{ title: `Two calls at once`, code: twoCalls(first, second, declared) }]),
    { title: "Work on inputs", code: WITH_INPUTS },
  ];
}

export function oneCall(tool: DeclaredTool, declared: DeclaredTools): string {
  return `const answer = await ${callOf(tool, declared)};\nconsole.log(answer);\nreturn answer;\n`;
}

function twoCalls(first: DeclaredTool, second: DeclaredTool, declared: DeclaredTools): string {
  const calls = [first, second].map((tool) => `  ${callOf(tool, declared)},\n`).join("");
  return `// Calls that do not wait for each other are made at the same time.\nconst [first, second] = await Promise.all([\n${calls}]);\nreturn { first, second };\n`;
}

const WITH_INPUTS = `// args are the inputs at the right, for example { "names": ["Ada", "Grace"] }.
const names: string[] = args.names ?? [];
console.log(\`\${names.length} names\`);
return names.map((name) => name.toUpperCase());
`;

function callOf(tool: DeclaredTool, declared: DeclaredTools): string {
  const target = targetOf(tool, declared.namespaces);
  const required = requiredOf(tool);
  if (required.length === 0) return `${target}(${tool.isArgsOptional ? "" : "{}"})`;
  const given = required.map(({ name, type }) => `${keyOf(name)}: ${sampleOf(name, type)}`);
  return `${target}({ ${given.join(", ")} })`;
}

function requiredOf({ args }: DeclaredTool) {
  return membersOf(args).filter(({ isOptional }) => !isOptional);
}

function keyOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** A value of the type; a text says what it is for. */
function sampleOf(name: string, type: string): string {
  const [literal] = literalsOf(type);
  if (literal !== undefined) return JSON.stringify(literal);
  if (/^number\b/.test(type)) return "1";
  if (/^boolean\b/.test(type)) return "true";
  if (type.endsWith("[]") || type.startsWith("[")) return "[]";
  if (type.startsWith("{") || type.startsWith("Record<")) return "{}";
  return JSON.stringify(name);
}
