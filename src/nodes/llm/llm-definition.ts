import type { ToolDefinition } from "../../core/tool.ts";

/** A long answer of a slow model takes minutes, and so does a person who is asked whether the question may go out. */
export const LLM_LIMITS = { timeoutMs: 300_000, tokens: 1024, tokensMax: 32_768 } as const;

export const llmDefinition: ToolDefinition = {
  name: "llm",
  title: "Ask a language model",
  description:
    "Asks a language model and returns {text, model}, or {json, model} if json is true. The model is the client's own " +
    "(sampling) where it offers that, otherwise the one in workflows.llm of the config. It sees only prompt and system.",
  inputSchema: {
    type: "object",
    properties: {
      prompt: { type: "string", description: "The question, with everything that the model needs to know." },
      system: { type: "string", description: "How the model should behave." },
      max_tokens: {
        type: "integer",
        minimum: 1,
        maximum: LLM_LIMITS.tokensMax,
        default: LLM_LIMITS.tokens,
        description: "How long the answer may be, in tokens.",
      },
      temperature: { type: "number", minimum: 0, maximum: 2, description: "0 for the likeliest answer." },
      json: {
        type: "boolean",
        default: false,
        description: "Whether the answer must be JSON; it is parsed, and anything else is a failure.",
      },
    },
    required: ["prompt"],
    additionalProperties: false,
  },
  outputSchema: {
    type: "object",
    properties: {
      text: { type: "string", description: "The answer, unless json is true." },
      json: { description: "The parsed answer, if json is true." },
      model: { type: "string", description: "The model that answered, where it is known." },
    },
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
};
