import { environment } from "./environment.ts";

/**
 * A setting that the program may give, and a variable may. The program's own comes first, but for a
 * program that somebody else runs, and tells where to listen: a workflow must not take its deploys,
 * configurations and traces elsewhere than where it is deployed.
 */
export function setting(given: string | undefined, name: string): string | undefined {
  const variable = environment(name);
  const isRunByOthers = environment("AGATE_LISTEN") !== undefined;
  return isRunByOthers ? (variable ?? given) : (given ?? variable);
}

/** The application's slug: the fallback is that of `agate dev`, which knows the project's name. */
export function applicationSetting(given: string | undefined): string | undefined {
  return setting(given, "AGATE_APPLICATION") ?? environment("AGATE_APPLICATION_DEFAULT");
}
