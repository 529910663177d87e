import type { RegistryDatabase } from "../../stores/registry/registry-tables.ts";

const HOUR_MS = 3_600_000;
/**
 * Routes that are called at the same time are written together. Not longer: a deploy that drops a route
 * would not be refused until its first call is written.
 */
const SAVE_AFTER_MS = 1_000;

export interface LastCallsOptions {
  readonly db: RegistryDatabase;
  /** No call is lost: the write is retried with the next one. */
  readonly onSaveFailed: (error: unknown) => void;
}

/**
 * When each route was last called in each environment, to the hour: a route that is in use must not
 * be dropped unnoticed. Calls record it in memory; it is written later, once an hour at most.
 */
export class LastCalls {
  readonly #options: LastCallsOptions;
  /** Environment → route → hour. Only routes that builds declare come here. */
  readonly #hours = new Map<string, Map<string, number>>();
  readonly #unsaved = new Map<string, Set<string>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LastCallsOptions) {
    this.#options = options;
  }

  /**
   * @param environment Its id.
   * @param now Milliseconds since 1970.
   */
  note(environment: string, route: string, now: number): void {
    const hour = Math.floor(now / HOUR_MS);
    const routes = entry(this.#hours, environment, () => new Map<string, number>());
    if (routes.get(route) === hour) return;
    routes.set(route, hour);
    entry(this.#unsaved, environment, () => new Set<string>()).add(route);
    this.#timer ??= setTimeout(() => void this.save(), SAVE_AFTER_MS).unref();
  }

  /** Writes what was recorded so far. Never rejects. */
  async save(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const unsaved = [...this.#unsaved];
    if (unsaved.length === 0) return;
    this.#unsaved.clear();
    try {
      for (const [environment, routes] of unsaved) await this.#write(environment, [...routes]);
    } catch (error) {
      for (const [environment, routes] of unsaved) {
        const waiting = entry(this.#unsaved, environment, () => new Set<string>());
        for (const route of routes) waiting.add(route);
      }
      this.#options.onSaveFailed(error);
    }
  }

  async #write(environment: string, routes: readonly string[]): Promise<void> {
    const { db } = this.#options;
    const hours = this.#hours.get(environment);
    const exists = await db
      .selectFrom("environments")
      .select("id")
      .where("id", "=", environment)
      .where("deleted_slug", "is", null)
      .executeTakeFirst();
    if (exists === undefined || hours === undefined) {
      this.#hours.delete(environment);
      return;
    }
    const rows = routes.map((route) => ({
      environment_id: environment,
      route,
      last_called_at: new Date((hours.get(route) ?? 0) * HOUR_MS).toISOString(),
    }));
    await db
      .insertInto("route_calls")
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .columns(["environment_id", "route"])
          .doUpdateSet(({ ref }) => ({ last_called_at: ref("excluded.last_called_at") }))
          // Another replica may know of a later call.
          .whereRef("route_calls.last_called_at", "<", "excluded.last_called_at"),
      )
      .execute();
  }
}

function entry<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const created = create();
  map.set(key, created);
  return created;
}
