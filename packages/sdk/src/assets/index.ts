// `@agate/sdk/assets`.
export {
  supportedLlmModels,
  /** The contract's spelling. */
  supportedLlmModels as supported_llm_models,
} from "./supported-llm-models.ts";
