import type { ResolvedConfig } from "@agate/protocol";
import { shownValue } from "@agate/protocol";
import type { ChangesConnection } from "./change-stream.ts";
import type { Clock } from "./clock.ts";
import type { ConfigReference } from "./config-source.ts";
import type { RegistryAddress } from "./registry-address.ts";

/** While an earlier answer can be used. */
const TIME_OUT = 2_000;
/** Without one the call would fail: as long as a call waits for a build that is starting. */
const FIRST_TIME_OUT = 10_000;

export type RegistryAnswer =
  | { readonly kind: "config"; readonly resolved: ResolvedConfig; readonly etag: string | null }
  /** Still what the ETag stands for. */
  | { readonly kind: "unchanged" }
  | { readonly kind: "missing"; readonly reason: string }
  | { readonly kind: "failed"; readonly reason: string };

export interface RegistryClient {
  /**
   * Never rejects.
   *
   * @param known What there is to go on with if there is no answer.
   */
  config(
    reference: ConfigReference,
    known: { readonly etag: string | null; readonly isResolved: boolean },
    signal: AbortSignal,
  ): Promise<RegistryAnswer>;
  /** Never rejects. */
  changes(application: string, signal: AbortSignal): Promise<ChangesConnection>;
}

export interface RegistryClientOptions {
  readonly address: RegistryAddress;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
}

/** Speaks to a registry as `docs/reference/config-resolution.md` has it. */
export function createRegistryClient(options: RegistryClientOptions): RegistryClient {
  const { address, clock } = options;
  const registry = `The registry at ${address.baseUrl}`;

  async function config(
    reference: ConfigReference,
    { etag, isResolved }: { readonly etag: string | null; readonly isResolved: boolean },
    signal: AbortSignal,
  ): Promise<RegistryAnswer> {
    const url = address.config(reference);
    if (url === null) {
      const name = JSON.stringify(reference.application);
      return { kind: "missing", reason: `${name} cannot be the name of an application.` };
    }
    const headers = new Headers({ accept: "application/json", ...address.headers });
    if (etag !== null) headers.set("if-none-match", etag);

    const timeOut = new AbortController();
    const stop = (): void => timeOut.abort(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    const patience = isResolved ? TIME_OUT : FIRST_TIME_OUT;
    const cancel = clock.after(patience, () => {
      timeOut.abort(new Error(`no answer within ${patience / 1000} s`));
    });
    try {
      const response = await options.fetch(url, { headers, signal: timeOut.signal });
      const text = await response.text();
      return answerOf(response, text, reference, etag);
    } catch (error) {
      return { kind: "failed", reason: unreachable(error) };
    } finally {
      cancel();
      signal.removeEventListener("abort", stop);
    }
  }

  function answerOf(
    response: Response,
    text: string,
    reference: ConfigReference,
    etag: string | null,
  ): RegistryAnswer {
    if (response.status === 304 && etag !== null) return { kind: "unchanged" };
    if (response.status !== 200) return refusalOf(response.status, text);
    const body = parsed(text);
    if (body === undefined) {
      const type = response.headers.get("content-type") ?? "something without a content type";
      return failed(`answered with ${type} that is not JSON. Is AGATE_BASE_URL right?`);
    }
    const outcome = readResolvedConfig(body);
    if (outcome.kind === "malformed") {
      return failed(`answered with something that is no configuration: ${outcome.problem}.`);
    }
    const { resolved } = outcome;
    const { revision } = resolved.variant;
    // It would be kept for ever.
    if (reference.by === "variant" && (reference.revision ?? revision) !== revision) {
      return failed(`was asked for revision ${reference.revision} and answered with ${revision}.`);
    }
    return { kind: "config", resolved, etag: response.headers.get("etag") };
  }

  async function changes(application: string, signal: AbortSignal): Promise<ChangesConnection> {
    const url = address.changes(application);
    if (url === null) return failed("has no such application.");
    try {
      const headers = { accept: "text/event-stream", ...address.headers };
      const response = await options.fetch(url, { headers, signal });
      if (response.status !== 200) {
        const { reason } = refusalOf(response.status, await response.text());
        return { kind: "failed", reason };
      }
      const type = response.headers.get("content-type") ?? "something without a content type";
      if (response.body === null || !/^text\/event-stream\b/i.test(type)) {
        await response.body?.cancel();
        return failed(`answered with ${type}, not with a stream of events.`);
      }
      return { kind: "open", body: response.body };
    } catch (error) {
      return { kind: "failed", reason: unreachable(error) };
    }
  }

  function refusalOf(status: number, text: string): RegistryAnswer & { reason: string } {
    if (status === 401 || status === 403) {
      return failed(
        address.hasKey
          ? `refused the API key (${status}): check AGATE_API_KEY.`
          : `wants an API key (${status}): check AGATE_API_KEY, which is not set.`,
      );
    }
    const detail = firstDetail(parsed(text));
    if (status === 404 && detail === null) {
      // A proxy or another server may answer 404 too, which must not evict the deployed configuration.
      return failed("answered 404 without saying what is missing. Is AGATE_BASE_URL right?");
    }
    if (status === 404 && detail?.type === "route_not_found") {
      return failed("is a platform without a registry of configurations. Is it up to date?");
    }
    if (status === 404 && detail !== null) return { kind: "missing", reason: detail.msg };
    return failed(`answered ${status}${detail === null ? "." : `: ${detail.msg}`}`);
  }

  function failed(what: string): { readonly kind: "failed"; readonly reason: string } {
    return { kind: "failed", reason: `${registry} ${what}` };
  }

  function unreachable(error: unknown): string {
    return `${registry} could not be reached (${causeOf(error)}). Is it running, and is AGATE_BASE_URL right?`;
  }

  return { config, changes };
}

/** The JSON value of a text; undefined where it is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The first entry of an error body (contract 2.3). */
function firstDetail(body: unknown): { readonly msg: string; readonly type: unknown } | null {
  const list = (body as { readonly detail?: unknown } | null | undefined)?.detail;
  if (!Array.isArray(list)) return null;
  const first = list[0] as { readonly msg?: unknown; readonly type?: unknown } | null | undefined;
  return typeof first?.msg === "string" ? { msg: first.msg, type: first.type } : null;
}

/** `fetch failed` says nothing; its cause does. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause as { readonly code?: unknown; readonly message?: unknown } | null;
  const detail = cause?.code ?? cause?.message;
  return typeof detail === "string" ? detail : error.message;
}

type ReadOutcome =
  | { readonly kind: "read"; readonly resolved: ResolvedConfig }
  /** Which part is wrong, and how: `variant.revision is null, not a whole number from 1`. */
  | { readonly kind: "malformed"; readonly problem: string };

type Json = Readonly<Record<string, unknown>>;

/** Checks what a registry answered. Fields that it does not know are left out: newer registries may add some. */
function readResolvedConfig(body: unknown): ReadOutcome {
  try {
    const root = objectAt(body, "the body");
    const application = objectAt(own(root, "application"), "application");
    const variant = objectAt(own(root, "variant"), "variant");
    const params = objectAt(own(root, "params"), "params");
    for (const [route, config] of Object.entries(params)) {
      objectAt(config, `params[${JSON.stringify(route)}]`);
    }
    const environment = own(root, "environment");
    return {
      kind: "read",
      resolved: {
        application: {
          id: textAt(own(application, "id"), "application.id"),
          slug: textAt(own(application, "slug"), "application.slug"),
        },
        variant: {
          id: textAt(own(variant, "id"), "variant.id"),
          slug: textAt(own(variant, "slug"), "variant.slug"),
          revision: revisionAt(own(variant, "revision"), "variant.revision"),
        },
        environment: environment === null ? null : textAt(environment, "environment"),
        params: params as ResolvedConfig["params"],
      },
    };
  } catch (error) {
    if (error instanceof Malformed) return { kind: "malformed", problem: error.message };
    throw error;
  }
}

class Malformed extends Error {}

/** What a JSON document inherits, or says under `__proto__`, is none of its fields. */
function own(object: Json, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function objectAt(value: unknown, where: string): Json {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  throw new Malformed(`${where} is ${named(value)}, not an object`);
}

function textAt(value: unknown, where: string): string {
  if (typeof value === "string") return value;
  throw new Malformed(`${where} is ${named(value)}, not a text`);
}

function revisionAt(value: unknown, where: string): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 1) return value;
  throw new Malformed(`${where} is ${named(value)}, not a whole number from 1`);
}

function named(value: unknown): string {
  return value === undefined ? "missing" : shownValue(value);
}
