import { afterEach, beforeEach } from "vitest";
import type { ConfigReference, ConfigResolution, ConfigSource } from "./config-source.ts";
import { FakeClock } from "./fake-clock.fixture.ts";
import { checkedOptions } from "./http-config-source.ts";
import type { HttpConfigSourceOptions } from "./registry-config-source.ts";
import { registryConfigSource } from "./registry-config-source.ts";
import { TestRegistry } from "./test-registry.fixture.ts";

export const PRODUCTION = {
  by: "environment",
  application: "quickstart",
  environment: "production",
} as const satisfies ConfigReference;

/** What each test of `registryConfigSource` has to itself. */
export interface HttpSetUp {
  registry: TestRegistry;
  clock: FakeClock;
  warnings: string[];
  open(options?: Partial<HttpConfigSourceOptions>): ConfigSource;
}

/** A registry behind a real network before each test of a file, and nothing left of it afterwards. */
export function eachWithRegistry(): HttpSetUp {
  const sources: ConfigSource[] = [];
  const setUp: HttpSetUp = {
    registry: new TestRegistry(),
    clock: new FakeClock(),
    warnings: [],
    open(options = {}) {
      const { clock, registry, warnings } = setUp;
      const onWarning = (message: string): void => void warnings.push(message);
      const given = { baseUrl: registry.baseUrl, clock, onWarning, ...options };
      const source = registryConfigSource(checkedOptions(given));
      sources.push(source);
      return source;
    },
  };

  beforeEach(async () => {
    setUp.registry = new TestRegistry();
    setUp.clock = new FakeClock();
    setUp.warnings = [];
    await setUp.registry.listen();
  });

  afterEach(async () => {
    await Promise.all(sources.splice(0).map((source) => source.close()));
    await setUp.registry.die();
  });

  return setUp;
}

/** An answer that must come from memory. */
export function now(
  source: ConfigSource,
  reference: ConfigReference = PRODUCTION,
): ConfigResolution {
  const resolution = source.resolve(reference);
  if (resolution instanceof Promise) throw new Error("It was not answered from memory.");
  return resolution;
}

export function temperatureIn(resolution: ConfigResolution): unknown {
  if (resolution.kind !== "resolved") throw new Error(JSON.stringify(resolution));
  return resolution.resolved.params["/"]?.temperature;
}

export const withTemperature = (temperature: number) => ({ "/": { temperature } });
