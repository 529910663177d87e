import { afterAll, beforeAll, describe } from "vitest";
import { describeApplications } from "./applications.contract.ts";
import { describeBuilds } from "./builds.contract.ts";
import { describeConcurrency } from "./concurrency.contract.ts";
import { describeDeployments } from "./deployments.contract.ts";
import { describeModel } from "./model.contract.ts";
import { describeProjects } from "./projects.contract.ts";
import { describeRedaction } from "./redaction.contract.ts";
import { describeReopening } from "./reopening.contract.ts";
import { describeRunExchange } from "./run-exchange.contract.ts";
import { describeRunLeases } from "./run-leases.contract.ts";
import { describeRunResults } from "./run-results.contract.ts";
import { describeRunWorkers } from "./run-workers.contract.ts";
import { describeRuns } from "./runs.contract.ts";
import { describeSchema } from "./schema.contract.ts";
import { describeScorers } from "./scorers.contract.ts";
import { describeServerReports } from "./server-reports.contract.ts";
import type { RegistryUnderTest } from "./subject.fixture.ts";
import { Subject } from "./subject.fixture.ts";
import { describeTestSets } from "./testsets.contract.ts";
import { describeVariables } from "./variables.contract.ts";
import { describeVariants } from "./variants.contract.ts";

/**
 * What the registry must do in every database. One registers with one call, in a test file:
 *
 * @example describeRegistry("SQLite", { open: () => openRegistryDatabase(address), dispose })
 */
export function describeRegistry(name: string, under: RegistryUnderTest): void {
  describe(`registry in ${name}`, () => {
    const subject = new Subject(under);

    beforeAll(() => subject.open());
    afterAll(async () => {
      await subject.registry.close();
      await under.dispose();
    });

    describeProjects(subject);
    describeRedaction(subject);
    describeApplications(subject);
    describeVariants(subject);
    describeVariables(subject);
    describeDeployments(subject);
    describeSchema(subject);
    describeBuilds(subject);
    describeServerReports(subject);
    describeTestSets(subject);
    describeScorers(subject);
    describeRuns(subject);
    describeRunResults(subject);
    describeRunLeases(subject);
    describeRunWorkers(subject);
    describeRunExchange(subject);
    describeConcurrency(subject);
    describeModel(subject);
    describeReopening(subject);
  });
}
