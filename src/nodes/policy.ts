/**
 * What the config lets the built-in nodes do. It is asked for with every call, so that a reload takes effect at once.
 */
export interface NodePolicy {
  readonly allowShell: boolean;
  readonly allowPrivateHttp: boolean;
  /** Absolute. */
  readonly fileRoots: readonly string[];
  /** An OpenAI-compatible endpoint. */
  readonly llm?: LlmEndpoint;
}

export interface LlmEndpoint {
  readonly url: string;
  readonly model: string;
  readonly apiKey?: string;
}
