const NAME_LENGTH_MAX = 200;

/** The words of a name such as `send_eMail` or `readFile2`, in lower case. */
export function wordsOfName(name: string): string[] {
  return name
    .slice(0, NAME_LENGTH_MAX)
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
}
