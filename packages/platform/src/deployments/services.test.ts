import fc from "fast-check";
import { expect, it } from "vitest";
import type { HostedEnvironment, Service } from "./services.ts";
import { Services } from "./services.ts";

const SUPPORT = { id: "app_1", slug: "support" };

function environment(slug: string, said: Partial<HostedEnvironment> = {}): HostedEnvironment {
  return {
    project: "default",
    application: SUPPORT,
    id: `env_${slug}`,
    slug,
    isDefault: slug === "production",
    number: 1,
    playground: true,
    ...said,
  };
}

function service(application = SUPPORT): Service {
  const unavailable = { kind: "unavailable", reason: "", retryAfterSeconds: 1 } as const;
  return { application, acquire: async () => unavailable };
}

it("finds an environment by slugs and ids, and the default one without a name", () => {
  const services = new Services();
  const [staging, production] = [service(), service()];
  services.add(environment("staging"), staging);
  services.add(environment("production"), production);
  for (const application of ["support", "app_1"]) {
    expect(services.find("default", application, "staging")?.service).toBe(staging);
    expect(services.find("default", application, "env_staging")?.service).toBe(staging);
    expect(services.find("default", application, "production")?.service).toBe(production);
    expect(services.find("default", application, null)?.service).toBe(production);
  }
  for (const name of ["", "development", "staging@", "env_", "*"]) {
    expect(services.find("default", "support", name)).toBeUndefined();
  }
  expect(services.find("other", "support", null)).toBeUndefined();
  expect(services.find("default", "support@staging", null)).toBeUndefined();
});

it("prefers an environment's own service to the one for all, but not to the program of agate dev", () => {
  const services = new Services();
  const application = { project: "default", ...SUPPORT };
  const [all, staging, development, dev] = [service(), service(), service(), service()];
  const found = (name: string | null) => services.find("default", "support", name)?.service;
  services.addForAll(application, all);
  services.add(environment("staging"), staging);
  services.add(environment("development"), development);
  expect([null, "production", "staging", "development"].map(found)).toEqual([
    all,
    all,
    staging,
    development,
  ]);
  const entry = services.override(application, dev);
  expect([null, "production", "staging", "development"].map(found)).toEqual([
    dev,
    dev,
    staging,
    dev,
  ]);
  entry.remove();
  expect(found(null)).toBe(all);
});

it("finds the playground of the first environment that has it on", () => {
  const services = new Services();
  const [development, staging, production] = [service(), service(), service()];
  const playground = () => services.findPlayground("default", "support")?.service;
  services.add(environment("production", { number: 3, playground: false }), production);
  expect(playground()).toBeUndefined();
  services.add(environment("staging", { number: 2 }), staging);
  expect(playground()).toBe(staging);
  const entry = services.add(environment("development", { number: 1 }), development);
  expect(playground()).toBe(development);
  entry.update(environment("development", { number: 1, playground: false }));
  expect(playground()).toBe(staging);
  const dev = service();
  services.override({ project: "default", ...SUPPORT }, dev);
  expect(playground()).toBe(dev);
});

/** What one of a few hosts is told next: names that others have had, too. */
const step = fc.record({
  host: fc.nat(2),
  change: fc.option(
    fc.record({
      application: fc.constantFrom("support", "triage"),
      slug: fc.constantFrom("a", "b", "c"),
      isDefault: fc.boolean(),
    }),
  ),
});

it("keeps every name with the service that was given it last", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const services = new Services();
      const hosts = [service(), service(), service()];
      const entries = hosts.map((host, n) => services.add(environment("x", { id: `${n}` }), host));
      const model = new Map<string, Service>();
      hosts.forEach((host, n) => {
        for (const app of ["support", "app_1"]) {
          model.set(`${app}@x`, host);
          model.set(`${app}@${n}`, host);
        }
      });
      for (const { host, change } of steps) {
        for (const [key, holder] of [...model]) if (holder === hosts[host]) model.delete(key);
        if (change === null) {
          entries[host]?.remove();
          continue;
        }
        const { application, slug, isDefault } = change;
        const named = { application: { id: "app_1", slug: application }, isDefault };
        entries[host]?.update(environment(slug, { ...named, id: `${host}` }));
        for (const app of ["app_1", application]) {
          const keys = [`${app}@${slug}`, `${app}@${host}`, ...(isDefault ? [app] : [])];
          for (const key of keys) model.set(key, hosts[host] as Service);
        }
      }
      const names = [null, "x", "a", "b", "c", "0", "1", "2"];
      for (const app of ["app_1", "support", "triage"]) {
        for (const name of names) {
          const found = services.find("default", app, name);
          expect(found?.service).toBe(model.get(name === null ? app : `${app}@${name}`));
        }
      }
    }),
  );
});
