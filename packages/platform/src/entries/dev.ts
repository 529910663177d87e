// What `agate dev` runs a program with, beside the platform itself.

export { ProcessGroups } from "../deployments/processes/process-groups.ts";
export type { SupervisedBuild } from "../deployments/processes/process-slot.ts";
export type { BuildProcess, StartFailure } from "../deployments/processes/start-build-process.ts";
export { startBuildProcess } from "../deployments/processes/start-build-process.ts";
export type { SupervisionEvent } from "../deployments/processes/supervision-events.ts";
export { describeSupervision } from "../deployments/processes/supervision-events.ts";
export { Supervisor } from "../deployments/processes/supervisor.ts";
export type { Service, Services } from "../deployments/services.ts";
export { EvaluatorClient } from "../evaluations/evaluator-client.ts";
export type {
  DescribedEvaluations,
  EvaluatedBuild,
  EvaluatedFile,
  EvaluatorFailure,
  EvaluatorStart,
  Evaluators,
  RunningEvaluator,
} from "../evaluations/evaluators.ts";
export type { ApplicationRef, Registry } from "../registry/registry.ts";
export type { RegistryOutcome, RegistryProblem } from "../registry/registry-outcome.ts";
export { done } from "../registry/registry-outcome.ts";
