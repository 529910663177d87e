import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

/** An object of Kubernetes' or an operator's, as YAML has it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  // biome-ignore lint/suspicious/noExplicitAny: schemas check the whole, tests the fields they name.
  readonly [field: string]: any;
}

interface Kustomization {
  readonly resources: readonly string[];
  readonly patches?: readonly {
    readonly target: { readonly kind: string; readonly name: string };
    readonly patch: string;
  }[];
}

interface Operation {
  readonly op: "test" | "replace" | "remove";
  readonly path: string;
  readonly value?: unknown;
}

export const MANIFESTS = join(import.meta.dirname, "../../deploy/kubernetes");

/** The objects of a folder as `kubectl kustomize` would give them, as far as ours go. */
export function readTopology(folder: string): Manifest[] {
  const { resources, patches = [] } = readKustomization(folder);
  const objects = resources.flatMap((resource) => {
    const path = join(folder, resource);
    return statSync(path).isDirectory()
      ? readTopology(path)
      : [parse(readFileSync(path, "utf8")) as Manifest];
  });
  for (const { target, patch } of patches) {
    applyPatch(objectOf(objects, target.kind, target.name), parse(patch));
  }
  return objects;
}

export function readKustomization(folder: string): Kustomization {
  return parse(readFileSync(join(folder, "kustomization.yaml"), "utf8"));
}

/** The one object of this kind, and of this name where there are several. */
export function objectOf(objects: readonly Manifest[], kind: string, name?: string): Manifest {
  const found = objects.filter(
    (object) => object.kind === kind && (name ?? object.metadata.name) === object.metadata.name,
  );
  const [object] = found;
  if (object === undefined || found.length > 1) {
    throw new Error(`There are ${found.length} of kind ${kind} named ${name}`);
  }
  return object;
}

/** RFC 6902, the operations that are used here. */
function applyPatch(object: object, operations: readonly Operation[]): void {
  for (const { op, path, value } of operations) {
    const keys = path.slice(1).split("/");
    const last = keys.pop() as string;
    const parent = keys.reduce<Record<string, never>>(
      (at, key) => at[key] as never,
      object as never,
    );
    if (!(last in parent)) throw new Error(`There is nothing at ${path}`);
    if (op === "test" && parent[last] !== value) {
      throw new Error(`At ${path} is ${parent[last]}, not ${value}`);
    }
    if (op === "replace") Object.assign(parent, { [last]: value });
    if (op === "remove" && Array.isArray(parent)) parent.splice(Number(last), 1);
    else if (op === "remove") delete parent[last];
  }
}
