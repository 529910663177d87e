import { isSlug } from "@agate/protocol";
import { appName } from "../packing/app-name.ts";
import { type Project, type Refusal, refused } from "../packing/project.ts";

/** What a project's application is called: what is given, else what the environment or the project says. */
export function nameApp(
  project: Project,
  given: string | undefined,
  environment: NodeJS.ProcessEnv,
): string | Refusal {
  const name = given ?? appName(project, environment);
  if (name !== undefined && isSlug(name)) return name;
  const fault =
    name === undefined
      ? `${project.folder} has no name to call the application by.`
      : `An application cannot be called ${JSON.stringify(name)}.`;
  return refused(
    `${fault} Name it with --app: lower-case letters and digits, with single "-", "_" or "." between them.`,
  );
}

/**
 * Tells a program what its application is called. A name that somebody gave comes before the one in
 * its code; that of the project comes after it.
 */
export function nameVariables(
  application: string,
  given: string | undefined,
  environment: NodeJS.ProcessEnv,
): Record<string, string> {
  const isNamed = given !== undefined || Boolean(environment.AGATE_APPLICATION);
  return { [isNamed ? "AGATE_APPLICATION" : "AGATE_APPLICATION_DEFAULT"]: application };
}
