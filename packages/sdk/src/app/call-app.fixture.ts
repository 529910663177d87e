import type {
  ConfigReference,
  ConfigResolution,
  ConfigSource,
} from "../config-source/config-source.ts";
import type { App } from "./app.ts";

/** A request to an app in this process, as a client would send it. */
export function post(
  app: App,
  path: string,
  body: unknown,
  init: { readonly headers?: Record<string, string>; readonly signal?: AbortSignal } = {},
): Promise<Response> {
  const request = new Request(`http://workflow.test${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...init.headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...(init.signal ? { signal: init.signal } : {}),
  });
  return app.fetch(request);
}

/** The status and the parsed body of an answer. */
export async function answerOf(response: Promise<Response>) {
  const answer = await response;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape.
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as any };
}

/** The events of a streamed answer. */
export async function eventsOf(response: Response): Promise<{ event: string; data: unknown }[]> {
  const text = await response.text();
  return text
    .split("\n\n")
    .filter((block) => block !== "")
    .map((block) => {
      const [event, data] = block.split("\n");
      return {
        event: event!.replace("event: ", ""),
        data: JSON.parse(data!.replace("data: ", "")) as unknown,
      };
    });
}

/** A registry that knows one revision in one environment, and can be away. */
export class KnownConfig implements ConfigSource {
  readonly asked: ConfigReference[] = [];
  away: "no" | "unknown" | "stale" = "no";
  params: Record<string, Record<string, unknown>>;

  constructor(params: Record<string, Record<string, unknown>>) {
    this.params = params;
  }

  resolve(reference: ConfigReference): ConfigResolution {
    this.asked.push(reference);
    if (this.away === "unknown") {
      return { kind: "unavailable", reason: "The registry cannot be reached." };
    }
    if (reference.by === "environment" && reference.environment !== "production") {
      return { kind: "not-found", reason: `Nothing is deployed to ${reference.environment}.` };
    }
    const revision = reference.by === "variant" ? (reference.revision ?? 3) : 3;
    return {
      kind: "resolved",
      stale: this.away === "stale",
      resolved: {
        application: { id: "app_1", slug: "desk" },
        variant: { id: "var_1", slug: "concise", revision },
        environment: reference.by === "environment" ? reference.environment : null,
        params: this.params,
      },
    };
  }

  async close(): Promise<void> {}
}
