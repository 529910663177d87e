import { isSlug } from "@agate/protocol";
import { appName, type Project, type Refusal, refused } from "../packing/project.ts";

/** The name of a project's application: the given one, else that of the environment or the project. */
export function nameApp(
  project: Project,
  given: string | undefined,
  environment: NodeJS.ProcessEnv,
): string | Refusal {
  const name = given ?? appName(project, environment);
  if (name !== undefined && isSlug(name)) return name;
  const fault =
    name === undefined
      ? `${project.folder} has no name that the application could use.`
      : `${JSON.stringify(name)} is not a valid name for an application.`;
  return refused(
    `${fault} Name it with --app: lower-case letters and digits, with single "-", "_" or "." between them.`,
  );
}

/**
 * The variables that tell a program its application's name. A name given by option or environment
 * overrides the one in the code; the project's name is only a default.
 */
export function nameVariables(
  application: string,
  given: string | undefined,
  environment: NodeJS.ProcessEnv,
): Record<string, string> {
  const isNamed = given !== undefined || Boolean(environment.AGATE_APPLICATION);
  return { [isNamed ? "AGATE_APPLICATION" : "AGATE_APPLICATION_DEFAULT"]: application };
}
