export function isJsonType(type: string): boolean {
  return /^(?:application\/json|text\/json|[\w.+-]+\/[\w.+-]+\+json)$/.test(type);
}
