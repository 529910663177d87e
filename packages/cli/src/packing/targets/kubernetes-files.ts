import { stringify } from "yaml";
import { type ClusterOptions, kubernetesObjects } from "./kubernetes-objects.ts";

const FOLDER = "k8s";

/** Manifests for `kubectl apply -k`. */
export function kubernetesFiles(options: ClusterOptions): ReadonlyMap<string, string> {
  const objects = kubernetesObjects(options);
  const kustomization = {
    apiVersion: "kustomize.config.k8s.io/v1beta1",
    kind: "Kustomization",
    resources: [...objects.keys()],
  };
  return new Map(
    [...objects, ["kustomization.yaml", kustomization] as const].map(([file, object]) => [
      `${FOLDER}/${file}`,
      // No aliases: what is said twice is written twice, as people expect it.
      stringify(object, { aliasDuplicateObjects: false, lineWidth: 0 }),
    ]),
  );
}
