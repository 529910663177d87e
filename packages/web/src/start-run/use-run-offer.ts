import type { ApplicationEvaluations, TestSet } from "@agate/protocol";
import { useQuery } from "@tanstack/react-query";
import { environmentsQuery, variantsQuery } from "../api/applications.ts";
import { evaluationsQuery } from "../api/evaluations.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { testSetsQuery } from "../api/testsets.ts";
import type { KnownConfigs } from "./run-choices.ts";

/** What a run of an application can be made of. */
export interface RunOffer extends ApplicationEvaluations, KnownConfigs {
  readonly testSets: readonly TestSet[];
}

/** @param app Undefined until one is chosen: nothing is loaded then. */
export function useRunOffer(app: string | undefined) {
  const client = usePlatform();
  const enabled = app !== undefined;
  const declared = useQuery({ ...evaluationsQuery(client, app ?? ""), enabled });
  const variants = useQuery({ ...variantsQuery(client, app ?? ""), enabled });
  const environments = useQuery({ ...environmentsQuery(client, app ?? ""), enabled });
  const testSets = useQuery(testSetsQuery(client));
  const all = [declared, variants, environments, testSets];
  const data: RunOffer | undefined =
    declared.data && variants.data && environments.data && testSets.data
      ? {
          ...declared.data,
          variants: variants.data,
          environments: environments.data,
          testSets: testSets.data,
        }
      : undefined;
  return {
    data,
    error: all.find(({ error }) => error !== null)?.error ?? null,
    refetch: () => all.filter(({ error }) => error !== null).map(({ refetch }) => refetch()),
  };
}

/** The code that declares evaluations: under `agate dev` it is no build. */
export function codeText(build: RunOffer["build"]): string {
  return build === null ? "the running code" : `build ${build.number}`;
}
