import type { ApiError } from "../../api/api-error.ts";

/** Why no workflow has answered, and what to do about it. */
export interface GatewayProblem {
  readonly title: string;
  readonly advice: string;
  /** To be typed at a terminal. */
  readonly commands: readonly string[];
}

/**
 * Null where the workflow itself has answered.
 *
 * @param isDeployed Whether a build serves it, whose log is kept; else it runs from its source.
 */
export function gatewayProblem(
  error: ApiError,
  app: string,
  isDeployed: boolean,
): GatewayProblem | null {
  if (error.has("service_not_found") || error.has("application_not_found")) {
    return {
      title: `No build serves ${app}`,
      advice: "Run it from its source, or deploy it; then run this again.",
      commands: [`agate dev app.ts --app ${app}`, `agate deploy app.ts --app ${app}`],
    };
  }
  const log = isDeployed ? "Its log says why:" : "The terminal that it was started in says why.";
  const commands = isDeployed ? [`agate logs ${app}`] : [];
  if (error.has("service_unavailable")) {
    // It says which build, what is wrong with it, and how long it takes.
    const advice = `${error.message} Run this again then. ${log}`;
    return { title: `${app} does not answer yet`, advice, commands };
  }
  if (error.has("service_failed")) {
    const advice = `It has crashed, or was reloaded, and is started again by itself. ${log}`;
    return { title: `${app} broke off before it answered`, advice, commands };
  }
  return null;
}
