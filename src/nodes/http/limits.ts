/** An API answers in seconds; a slow export may take minutes. No more is read than the largest HTTP body that the gateway takes. */
export const HTTP_LIMITS = { timeoutMs: 30_000, timeoutMsMax: 300_000, bytesMax: 4 * 1024 * 1024 } as const;
