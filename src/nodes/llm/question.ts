export interface LlmQuestion {
  readonly prompt: string;
  readonly system?: string;
  readonly tokensMax: number;
  readonly temperature?: number;
}

export interface LlmReply {
  readonly text: string;
  readonly model?: string;
}
