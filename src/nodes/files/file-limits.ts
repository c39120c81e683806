/** A text that a model or a node works on is rarely over 1 MiB; 4 MiB is the largest JSON value that the gateway takes. */
export const FILE_LIMITS = { bytes: 1024 * 1024, bytesMax: 4 * 1024 * 1024 } as const;
