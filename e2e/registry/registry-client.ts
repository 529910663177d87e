/** The registry of a running platform, for one application. */
export interface RegistryClient {
  /** @param path Below the application: `/variants`. */
  send<Answer>(method: string, path: string, body?: unknown): Promise<Answer>;
  /** The same where it is to be refused. */
  refused(method: string, path: string, body?: unknown): Promise<Refusal>;
  commit(params: object, baseRevision: number): Promise<void>;
  /** @param revision Of the variant `default`. */
  deploy(environment: string, revision: number): Promise<void>;
}

export interface Refusal {
  readonly status: number;
  readonly detail: readonly {
    readonly loc: unknown;
    readonly msg: string;
    readonly type: string;
  }[];
}

/**
 * Makes an application with a variant `default`. A running workflow is registered as the code of every
 * environment that is deployed to.
 */
export async function registerWorkflow(
  platformUrl: string,
  application: string,
  workflowUrl: string,
): Promise<RegistryClient> {
  const applications = `${platformUrl}/registry/applications`;
  const ask = (method: string, path: string, body?: unknown) =>
    fetch(`${applications}/${application}${path}`, {
      method,
      ...(body !== undefined && {
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    });
  const send: RegistryClient["send"] = async (method, path, body) => {
    const response = await ask(method, path, body);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  };
  await fetch(applications, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ slug: application }),
  });
  const openapi = await (await fetch(`${workflowUrl}/openapi.json`)).json();
  await send("POST", "/variants", { slug: "default" });
  return {
    send,
    async refused(method, path, body) {
      const response = await ask(method, path, body);
      return { status: response.status, ...((await response.json()) as Omit<Refusal, "status">) };
    },
    commit: (params, base_revision) =>
      send("POST", "/variants/default/revisions", { params, base_revision }),
    async deploy(environment, revision) {
      await send("PUT", `/schema?environment=${environment}`, openapi);
      const deployments = `/environments/${environment}/deployments`;
      await send("POST", deployments, { variant: "default", revision });
    },
  };
}
