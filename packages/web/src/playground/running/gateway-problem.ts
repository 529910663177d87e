import type { ApiError } from "../../api/api-error.ts";

/** Why no workflow has answered, and what to do about it. */
export interface GatewayProblem {
  readonly title: string;
  readonly advice: string;
  /** To be typed at a terminal. */
  readonly commands: readonly string[];
}

/** Null where the workflow itself has answered. */
export function gatewayProblem(error: ApiError, app: string): GatewayProblem | null {
  if (error.has("service_not_found") || error.has("application_not_found")) {
    return {
      title: `No build serves ${app}`,
      advice: "Run it from its source, or deploy it; then run this again.",
      commands: [`agate dev app.ts --app ${app}`, `agate deploy app.ts --app ${app}`],
    };
  }
  if (error.has("service_unavailable")) {
    return {
      title: `${app} is being started`,
      advice: "It answers in a moment. If it does not, its log says why.",
      commands: [`agate logs ${app}`],
    };
  }
  if (error.has("service_failed")) {
    return {
      title: `${app} broke off before it answered`,
      advice: "It has crashed, or was reloaded. Its log says why; it is started again by itself.",
      commands: [`agate logs ${app}`],
    };
  }
  return null;
}
