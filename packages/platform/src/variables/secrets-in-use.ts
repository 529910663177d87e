/** The values that a process was started with. */
export interface StartedValues {
  /** Of the environment's variables. */
  readonly version: number;
  readonly values: readonly {
    readonly name: string;
    readonly value: string;
    readonly isSecret: boolean;
  }[];
}

/** Processes of two earlier changes may still finish their calls, and send spans. */
const KEPT_VERSIONS = 3;

/**
 * The secrets that processes of this server were started with, to be kept out of the spans that they
 * send. A process sends its spans to the server that has started it.
 */
export class SecretsInUse {
  /** By project, then by environment. */
  readonly #known = new Map<string, Map<string, readonly StartedValues[]>>();
  readonly #json = new Map<string, string>();

  /** To be called before a process starts with these. */
  learn(project: string, environmentId: string, started: StartedValues): void {
    const environments = this.#known.get(project) ?? new Map<string, readonly StartedValues[]>();
    const before = environments.get(environmentId) ?? [];
    if (before.length === 0 && !started.values.some(({ isSecret }) => isSecret)) return;
    const others = before.filter(({ version }) => version !== started.version);
    environments.set(environmentId, [...others, started].slice(-KEPT_VERSIONS));
    this.#known.set(project, environments);
    const secrets = [...environments.values()]
      .flat()
      .flatMap(({ values }) => values)
      .filter(({ isSecret }) => isSecret)
      .map(({ name, value }) => ({ name, value }));
    const distinct = new Map(secrets.map((secret) => [secret.value, secret]));
    if (distinct.size === 0) this.#json.delete(project);
    else this.#json.set(project, JSON.stringify([...distinct.values()]));
  }

  /** A list of {name, value} as JSON; null where there are none. */
  of(project: string): string | null {
    return this.#json.get(project) ?? null;
  }
}
