/** How many tokens a text has, by its size: exact counts need the tokenizer, which takes 70 MB and a thread. */

/**
 * Definitions of real tools have 3.5 to 5.2 bytes a token, together 4.3; no JSON that means something is outside of 2
 * to 8.
 */
export const BYTES_A_TOKEN = { fewest: 2, usual: 4.35, most: 8 };

export function estimateTokens(bytes: number): number {
  return Math.round(bytes / BYTES_A_TOKEN.usual);
}
