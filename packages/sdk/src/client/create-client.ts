import { type OptionNames, unknownOption } from "../runtime/unknown-option.ts";
import type { Client, ClientOptions, ClientSource, UntypedClient } from "./client-types.ts";
import { RouteCall } from "./route-call.ts";

/**
 * A client whose methods are an app's routes, typed by the app itself: `/summarize` is
 * `client.summarize`, `/docs/search` is `client.docs.search`, the entrypoint is `client(…)`. Only the
 * type is imported, so nothing of the app comes along.
 *
 * @example
 * import type { app } from "./app.ts";
 *
 * const client = createClient<typeof app>("http://localhost:4101");
 * const summary = await client.summarize({ text }, { config: { temperature: 0 } });
 * for await (const chunk of client.tell({ about: "agates" })) process.stdout.write(chunk);
 */
export function createClient<Source extends ClientSource = never>(
  url: string,
  options: ClientOptions = {},
): [Source] extends [never] ? UntypedClient : Client<Source> {
  const base = baseOf(url);
  const unknown = unknownOption("createClient()", options, OPTIONS);
  if (unknown !== null) throw new TypeError(unknown);
  return routeAt("", base, options) as [Source] extends [never] ? UntypedClient : Client<Source>;
}

const OPTIONS: OptionNames<ClientOptions> = { headers: true, apiKey: true, fetch: true };

function routeAt(path: string, base: string, options: ClientOptions): unknown {
  const call = (input?: unknown, callOptions = {}) =>
    new RouteCall({ base, path, input, options, callOptions });
  return new Proxy(call, {
    get(target, key) {
      // A client, or a part of one, that is returned from an async function must not look like a promise.
      if (typeof key === "symbol" || key === "then") {
        return Reflect.get(target, key);
      }
      return routeAt(`${path}/${key}`, base, options);
    },
  });
}

function baseOf(url: string): string {
  if (!URL.canParse(url)) {
    throw new TypeError(
      `${JSON.stringify(url)} is no URL for a client: write the app's address, such as "http://localhost:4101".`,
    );
  }
  return url.replace(/\/+$/, "");
}
