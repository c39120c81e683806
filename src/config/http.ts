/** What is wrong with a value; the value itself is never repeated. */
export interface ValueProblem {
  readonly message: string;
  readonly hint?: string;
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** What `fetch` can send: no line break, which would begin another header, and nothing beyond Latin-1. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

export function isHttpUrl({ protocol }: URL): boolean {
  return protocol === "http:" || protocol === "https:";
}

export function findUrlProblem(value: string): ValueProblem | undefined {
  const url = URL.parse(value);
  if (url === null) return { message: "is not a URL", hint: "write it as https://host/path" };
  if (!isHttpUrl(url)) return { message: "must begin with http:// or https://" };
  if (url.username === "" && url.password === "") return undefined;
  return {
    message: "must not contain a user name or password",
    hint: 'put them into "headers", for example "Authorization": "Bearer ${TOKEN}"',
  };
}

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** The issuer must be authenticated: https, except on this machine. */
export function findIssuerProblem(value: string): ValueProblem | undefined {
  const problem = findUrlProblem(value);
  if (problem !== undefined) return problem;
  const { protocol, hostname } = new URL(value);
  if (protocol === "https:" || LOOPBACK.test(hostname)) return undefined;
  return { message: "must begin with https://, because it decides who may connect" };
}

export function findHeaderNameProblem(name: string): ValueProblem | undefined {
  return HEADER_NAME.test(name) ? undefined : { message: "is not a valid header name" };
}

export function findHeaderValueProblem(value: string): ValueProblem | undefined {
  if (HEADER_VALUE.test(value)) return undefined;
  return { message: "has a line break or another character that a header cannot carry" };
}
