// The names that the dialects have for providers, to those of the price table.
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["azure.ai.openai", "azure"],
  ["azure.ai.inference", "azure"],
  ["azure_openai", "azure"],
  ["azure-openai", "azure"],
  ["azureopenai", "azure"],
  ["az", "azure"],
  ["vertex", "google"],
  ["vertexai", "google"],
  ["vertex_ai", "google"],
  ["google-vertex", "google"],
  ["google_vertexai", "google"],
  ["google_genai", "google"],
  ["gemini", "google"],
  ["gcp", "google"],
  ["gcp.gemini", "google"],
  ["gcp.gen_ai", "google"],
  ["gcp.vertex_ai", "google"],
  ["aws.bedrock", "aws"],
  ["aws_bedrock", "aws"],
  ["amazon", "aws"],
  ["amazon-bedrock", "aws"],
  ["amazon_bedrock", "aws"],
  ["bedrock", "aws"],
  ["mistral_ai", "mistral"],
  ["mistral-ai", "mistral"],
  ["mistralai", "mistral"],
  ["cohere_chat", "cohere"],
  ["xai", "x-ai"],
  ["x_ai", "x-ai"],
  ["togetherai", "together"],
  ["together_ai", "together"],
  ["together-ai", "together"],
  ["fireworks_ai", "fireworks"],
  ["fireworks-ai", "fireworks"],
  ["moonshot", "moonshotai"],
  ["moonshot_ai", "moonshotai"],
  ["voyage", "voyageai"],
  ["deep_seek", "deepseek"],
  ["z_ai", "zai"],
  ["workers-ai", "cloudflare"],
  ["workersai", "cloudflare"],
]);

// Whose models a provider sells at the maker's price, where the table lists none of its own.
const RESELLS: ReadonlyMap<string, readonly string[]> = new Map([
  ["azure", ["openai", "anthropic", "deepseek", "x-ai", "moonshotai"]],
  ["google", ["anthropic"]],
]);

// Names of something between the client and a provider: they say nothing of whose model it is.
const GATEWAYS: ReadonlySet<string> = new Set([
  "gateway",
  "vercel",
  "litellm",
  "portkey",
  "helicone",
  "langchain",
  "custom",
]);

/** The providers to search for a model without a provider: the makers of models. */
export const MODEL_MAKERS: readonly string[] = [
  "openai",
  "anthropic",
  "google",
  "mistral",
  "cohere",
  "deepseek",
  "x-ai",
  "moonshotai",
  "zhipuai",
  "minimax",
  "voyageai",
  "perplexity",
];

/** A list of prices to look into, and the model's name there where it is not the one given. */
export interface PricePlace {
  readonly provider: string;
  readonly model: string | null;
}

/** The providers that prices are listed for. */
export interface ListedProviders {
  isListed(provider: string): boolean;
  /** Those to ask for a model without a provider. */
  readonly makers: readonly string[];
}

/** The name that the price table has for a provider. */
export function canonicalProvider(name: string): string {
  const lower = name.trim().toLowerCase();
  return ALIASES.get(lower) ?? lower;
}

/**
 * Whom a call went to, by any of the provider's names and whichever of its interfaces:
 * `azure.ai.openai` is `azure`, `openai.responses` is `openai`. Null for the name of a gateway.
 */
export function calledProvider(name: string): string | null {
  const lower = name.trim().toLowerCase();
  const dot = lower.indexOf(".");
  if (GATEWAYS.has(dot < 0 ? lower : lower.slice(0, dot))) return null;
  let candidate = lower;
  for (;;) {
    const alias = ALIASES.get(candidate);
    if (alias !== undefined) return alias;
    const last = candidate.lastIndexOf(".");
    if (last <= 0) return candidate;
    candidate = candidate.slice(0, last);
  }
}

/** Where to look for a model's prices, in order. */
export function placesToLook(
  provider: string | null,
  model: string,
  listed: ListedProviders,
): readonly PricePlace[] {
  const places: PricePlace[] = [];
  const add = (name: string, ownModel: string | null) => {
    places.push({ provider: name, model: ownModel });
    for (const maker of RESELLS.get(name) ?? []) places.push({ provider: maker, model: ownModel });
  };

  const known = provider === null ? null : listedProvider(provider, listed);
  if (known !== null) add(known, null);
  else if (provider !== null && !isGateway(provider)) return [];

  // `openai/gpt-5-mini`, as routers name models.
  const slash = model.indexOf("/");
  if (slash > 0) {
    const maker = listedProvider(model.slice(0, slash), listed);
    if (maker !== null) add(maker, model.slice(slash + 1));
    if (known === null) add("openrouter", null);
  }
  if (known === null) for (const maker of listed.makers) add(maker, null);
  return places;
}

// `openai.responses`, `google.vertex.chat`: what follows a dot is the provider's interface.
function listedProvider(name: string, listed: ListedProviders): string | null {
  let candidate = name.trim().toLowerCase();
  while (candidate !== "") {
    const provider = canonicalProvider(candidate);
    if (listed.isListed(provider)) return provider;
    candidate = candidate.slice(0, Math.max(candidate.lastIndexOf("."), 0));
  }
  return null;
}

function isGateway(provider: string): boolean {
  return GATEWAYS.has(provider.trim().toLowerCase().split(".")[0] ?? "");
}
