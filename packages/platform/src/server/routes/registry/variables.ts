import { VARIABLE_NAME_SCHEMA } from "@agate/protocol";
import * as z from "zod/mini";
import type { Deployer } from "../../../deployments/deployer.ts";
import type { Registry } from "../../../registry/registry.ts";
import { readVariablesChange } from "../../../registry/variables-change.ts";
import { problemsAnswer } from "../../answer.ts";
import { documented, name } from "../../inputs/input-kinds.ts";
import type { Route } from "../../route.ts";
import { route, success } from "../../route.ts";
import { refusalAnswer } from "../deployments/deploy-answer.ts";
import { outcomeAnswer, registryRoute } from "./registry-route.ts";

const VARIABLES = "/registry/applications/{app}/environments/{environment}/variables";

const SET_SCHEMA = {
  type: "object",
  propertyNames: VARIABLE_NAME_SCHEMA,
  additionalProperties: {
    anyOf: [
      { type: "string" },
      {
        type: "object",
        properties: { value: { type: "string" }, plain: { type: "boolean" } },
        required: ["value"],
        additionalProperties: false,
      },
    ],
  },
};

const changeBody = () =>
  z.strictObject({
    set: z._default(
      documented(
        z.record(z.string(), z.unknown()),
        {
          description:
            'Values by name. A text is a secret; a plain variable is `{"value": "…", "plain": true}`.',
          example: { OPENAI_API_KEY: "sk-…", REGION: { value: "eu", plain: true } },
        },
        SET_SCHEMA,
      ),
      {},
    ),
    unset: z._default(
      z.array(name({ description: "The name of a variable.", example: "OLD_TOKEN" })),
      [],
    ),
  });

export interface VariableRouteDependencies {
  readonly registry: Registry;
  readonly deployer: Pick<Deployer, "changeVariables">;
  readonly maxBodyBytes: number;
  readonly onStoreUnavailable: (reason: string) => void;
}

/** The variables and secrets of an environment. */
export function variableRoutes(dependencies: VariableRouteDependencies): Route[] {
  const { registry, deployer, maxBodyBytes, onStoreUnavailable } = dependencies;
  const { variables } = registry;
  return [
    registryRoute(maxBodyBytes, {
      method: "GET",
      path: VARIABLES,
      access: "admin",
      limitedTo: registry,
      id: "listVariables",
      summary: "List the variables of an environment",
      description: "With the values of plain ones. The value of a secret is never answered.",
      success: success("EnvironmentVariables", "The variables, and their last changes."),
      answer: async ({ ref, params }, reply) =>
        outcomeAnswer(await variables.list(ref, params.environment), reply),
    }),
    registryRoute(maxBodyBytes, {
      method: "PATCH",
      path: VARIABLES,
      // They reach code that runs, and may change what it does.
      access: "deploy",
      limitedTo: registry,
      id: "changeVariables",
      summary: "Set and unset variables of an environment",
      description:
        "All names are one change, and a secret unless `plain`. The live build of the environment is started anew with the new values; if it cannot be, nothing is changed. Names are as of environment variables; `AGATE_*`, `NODE_OPTIONS`, `LD_*`, `PORT` and `HOST` are refused. At most 64 KiB for a value and 256 KiB for all of an environment.",
      body: changeBody,
      success: success("EnvironmentVariables", "The variables after the change."),
      errors: [
        "variable_not_found",
        "variable_invalid",
        "secret_key_missing",
        "build_unusable",
        "no_room",
        "deploy_superseded",
        "shutting_down",
      ],
      answer: async ({ ref, params, body, caller }, reply) => {
        const change = readVariablesChange(body);
        if (change.kind === "refused") return problemsAnswer(change.problems);
        const { environment } = params;
        const outcome = await deployer.changeVariables(ref, environment, change.value, caller.name);
        if (outcome.kind === "unavailable") onStoreUnavailable(outcome.reason);
        return outcome.kind === "changed" ? reply(outcome.variables) : refusalAnswer(outcome);
      },
    }),
    route({
      method: "POST",
      path: "/registry/rekey",
      // The secrets of all projects.
      access: "deploy",
      id: "rekeySecrets",
      tag: "registry",
      summary: "Encrypt all secrets with the first key",
      description:
        "Reads the server's keys again and encrypts every secret, of all projects, with the first one. Afterwards the other keys are no longer needed.",
      success: success("RekeyResult", "How many secrets were encrypted again."),
      errors: ["secret_key_missing", "store_unavailable"],
      answer: async (_, reply) => outcomeAnswer(await variables.rekey(), reply),
    }),
  ];
}
