import type { ConfigReference } from "./config-source.ts";

/** Where a registry is, and what is sent along to it. */
export interface RegistryAddress {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly hasKey: boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** Null where no URL can name the application. */
  config(reference: ConfigReference): string | null;
  changes(application: string): string | null;
}

/** The address of a registry. The base URL and the key are those that `httpConfigSource` has checked. */
export function registryAddress(baseUrl: string, apiKey: string | undefined): RegistryAddress {
  const resource = (application: string, name: string): string | null =>
    // As a path segment dots go up, however they are encoded; half a character cannot be encoded.
    /^\.{0,2}$/.test(application) || !application.isWellFormed()
      ? null
      : `${baseUrl}/registry/applications/${encodeURIComponent(application)}/${name}`;

  return {
    baseUrl,
    hasKey: apiKey !== undefined,
    headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
    config(reference) {
      const resourceUrl = resource(reference.application, "config");
      return resourceUrl === null ? null : `${resourceUrl}?${queryOf(reference)}`;
    },
    changes: (application) => resource(application, "changes"),
  };
}

function queryOf(reference: ConfigReference): string {
  if (reference.by === "environment") {
    return new URLSearchParams({ environment: reference.environment }).toString();
  }
  const query = new URLSearchParams({ variant: reference.variant });
  if (reference.revision !== null) query.set("revision", String(reference.revision));
  return query.toString();
}
