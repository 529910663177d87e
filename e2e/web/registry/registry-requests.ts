/** Changes a registry as a colleague or the command line would: over HTTP. */
export interface RegistryRequests {
  /** @param path Below `/registry`: `/applications/quickstart/variants`. */
  send<Answer>(method: string, path: string, body?: unknown): Promise<Answer>;
}

export function registryRequests(url: string): RegistryRequests {
  return {
    async send(method, path, body) {
      const response = await fetch(`${url}/registry${path}`, {
        method,
        ...(body !== undefined && {
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return text === "" ? undefined : JSON.parse(text);
    },
  };
}
