import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { HorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler";
import { CronJob } from "kubernetes-models/batch/v1/CronJob";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import { Namespace } from "kubernetes-models/v1/Namespace";
import { Service } from "kubernetes-models/v1/Service";
import { describe, expect, it } from "vitest";
import {
  parseRegistryAddress,
  parseStoreAddress,
} from "../../packages/platform/src/stores/store-address.ts";
import { codeBlocks } from "../code-blocks.ts";
import { runAgate } from "../run-agate.ts";
import {
  MANIFESTS,
  type Manifest,
  objectOf,
  readKustomization,
  readTopology,
} from "./topology.fixture.ts";

/** At most, as the guide to running the server says. */
const CONNECTIONS_OF_A_SERVER = 29;
/** After the signal, as it says too. */
const LONGEST_STOP_SECONDS = 40;
const ROOT = join(import.meta.dirname, "../..");

/** Kinds of Kubernetes' own, each with a check by its schema. */
const KINDS = {
  CronJob,
  Deployment,
  HorizontalPodAutoscaler,
  Namespace,
  NetworkPolicy,
  PodDisruptionBudget,
  Service,
};
/** Kinds of operators, whose schemas come with them. */
const OPERATORS_KINDS = {
  Cluster: "postgresql.cnpg.io/v1",
  ScheduledBackup: "postgresql.cnpg.io/v1",
  ObjectStore: "barmancloud.cnpg.io/v1",
  ClickHouseInstallation: "clickhouse.altinity.com/v1",
  ClickHouseKeeperInstallation: "clickhouse-keeper.altinity.com/v1",
};

const topology = (name: string) => readTopology(join(MANIFESTS, "topologies", name));
const withClickHouse = topology("clickhouse");
const withPostgres = topology("postgres");

/** The container of Agate's Deployment. */
function containerOf(objects: readonly Manifest[]) {
  const { spec } = objectOf(objects, "Deployment", "agate").spec.template;
  expect(spec.containers).toHaveLength(1);
  return spec.containers[0];
}

function variable(objects: readonly Manifest[], name: string) {
  return containerOf(objects).env.find((each: { name: string }) => each.name === name);
}

describe.each([
  ["clickhouse", withClickHouse],
  ["postgres", withPostgres],
])("the manifests with %s", (_, objects) => {
  it("fit the schemas of Kubernetes, and are of kinds that are known", () => {
    for (const object of objects) {
      if (object.kind in KINDS) {
        const Kind = KINDS[object.kind as keyof typeof KINDS];
        expect(() => new Kind(object as never).validate()).not.toThrow();
      } else {
        expect(OPERATORS_KINDS).toMatchObject({ [object.kind]: object.apiVersion });
      }
    }
  });

  it("start the server with options and variables that it has", async () => {
    const { args, env } = containerOf(objects);
    const [command, ...flags] = args;
    expect(command).toBe("server");
    const { stdout: help } = await runAgate(["server", "--help"]);
    for (const flag of flags) expect(help).toContain(`${flag.split("=")[0]} <`);
    const own = env.map(({ name }: { name: string }) => name);
    expect(own).toEqual(expect.arrayContaining(["AGATE_STORE", "AGATE_REGISTRY"]));
    for (const name of ["AGATE_STORE", "AGATE_REGISTRY"]) expect(help).toContain(name);
  });

  it("keep every secret in a Secret, and in variables that deployed workflows do not get", () => {
    for (const { name, value, valueFrom } of containerOf(objects).env) {
      if (valueFrom !== undefined) expect(name).toMatch(/^AGATE_/);
      if (value?.includes("@")) expect(value).toMatch(/:\$\(AGATE_\w+\)@/);
    }
  });

  it("ask and send requests where the server listens", () => {
    const { args, ports, ...container } = containerOf(objects);
    const portOf = (option: string) =>
      Number(args.find((arg: string) => arg.startsWith(`${option}=`))?.split("=")[1]);
    const listeners = [
      { name: "http", port: portOf("--port") },
      { name: "otlp-grpc", port: portOf("--otlp-grpc") },
    ];
    expect(ports).toEqual(listeners.map(({ name, port }) => ({ name, containerPort: port })));
    expect(objectOf(objects, "Service").spec.ports).toMatchObject(
      listeners.map(({ name, port }) => ({ port, targetPort: name })),
    );
    expect(objectOf(objects, "NetworkPolicy").spec.ingress).toEqual([
      { ports: listeners.map(({ name }) => ({ port: name })) },
    ]);
    const probes = {
      startupProbe: "/health/live",
      readinessProbe: "/health/ready",
      livenessProbe: "/health/live",
    };
    for (const [probe, path] of Object.entries(probes)) {
      expect(container[probe].httpGet).toEqual({ path, port: "http" });
    }
  });

  it("name the same pods everywhere", () => {
    const { metadata, spec } = objectOf(objects, "Deployment");
    const { labels } = spec.template.metadata;
    expect(spec.selector.matchLabels).toEqual(labels);
    expect(objectOf(objects, "Service").spec.selector).toEqual(labels);
    expect(objectOf(objects, "PodDisruptionBudget").spec.selector.matchLabels).toEqual(labels);
    expect(objectOf(objects, "NetworkPolicy").spec.podSelector.matchLabels).toEqual(labels);
    for (const spread of spec.template.spec.topologySpreadConstraints) {
      expect(spread.labelSelector.matchLabels).toEqual(labels);
    }
    expect(objectOf(objects, "HorizontalPodAutoscaler").spec.scaleTargetRef).toEqual({
      apiVersion: "apps/v1",
      kind: "Deployment",
      name: metadata.name,
    });
  });

  it("give a pod longer to end than it takes", () => {
    const { lifecycle } = containerOf(objects);
    const { terminationGracePeriodSeconds: grace } = objectOf(objects, "Deployment").spec.template
      .spec;
    const [, pause] = lifecycle.preStop.exec.command;
    expect(grace).toBeGreaterThan(Number(pause) + LONGEST_STOP_SECONDS);
  });

  it("let a pod write where the server writes, and nowhere else", () => {
    const { args, securityContext, volumeMounts, env } = containerOf(objects);
    expect(securityContext.readOnlyRootFilesystem).toBe(true);
    const writable = volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath);
    const home = env.find(({ name }: { name: string }) => name === "HOME").value;
    expect(writable).toEqual(expect.arrayContaining(["/tmp", home]));
    expect(args).toContain(`--data-dir=${writable[0]}`);
  });

  it("have the registry in the database that CloudNativePG makes", () => {
    const { metadata, spec } = objectOf(objects, "Cluster");
    const secret = { secretKeyRef: { name: `${metadata.name}-app`, key: "uri" } };
    expect(variable(objects, "AGATE_REGISTRY").valueFrom).toEqual(secret);
    // As the operator writes it.
    const { owner, database } = spec.bootstrap.initdb;
    const uri = `postgresql://${owner}:secret@${metadata.name}-rw.agate:5432/${database}`;
    expect(parseRegistryAddress(uri)).toMatchObject({
      kind: "parsed",
      address: { kind: "postgres" },
    });
    const { maxReplicas } = objectOf(objects, "HorizontalPodAutoscaler").spec;
    const { maxSurge } = objectOf(objects, "Deployment").spec.strategy.rollingUpdate;
    // In an update as many come beside them, and as many have not ended yet.
    const most = maxReplicas + 2 * Math.ceil((maxReplicas * Number.parseInt(maxSurge, 10)) / 100);
    expect(Number(spec.postgresql.parameters.max_connections)).toBeGreaterThan(
      most * CONNECTIONS_OF_A_SERVER,
    );
    expect(objectOf(objects, "ScheduledBackup").spec.cluster.name).toBe(metadata.name);
    expect(spec.plugins[0].parameters.barmanObjectName).toBe(
      objectOf(objects, "ObjectStore").metadata.name,
    );
  });
});

describe("the manifests with clickhouse", () => {
  const clickhouse = objectOf(withClickHouse, "ClickHouseInstallation");
  const [cluster] = clickhouse.spec.configuration.clusters;
  const { address } = parseStoreAddress(variable(withClickHouse, "AGATE_STORE").value) as {
    address: { url: string; username: string; database: string; cluster: string };
  };

  it("reach the cluster by its name, as a user that it has", () => {
    // The operator's names of its Services.
    expect(address.url).toBe(`http://clickhouse-${clickhouse.metadata.name}:8123`);
    expect(address.cluster).toBe(cluster.name);
    const password = clickhouse.spec.configuration.users[`${address.username}/password`];
    expect(variable(withClickHouse, "AGATE_CLICKHOUSE_PASSWORD").valueFrom).toEqual(
      password.valueFrom,
    );
  });

  it("set a variable before the one that uses it", () => {
    const names = containerOf(withClickHouse).env.map(({ name }: { name: string }) => name);
    const [, used] = /\$\((\w+)\)/.exec(variable(withClickHouse, "AGATE_STORE").value) ?? [];
    expect(names.indexOf(used)).toBeGreaterThanOrEqual(0);
    expect(names.indexOf(used)).toBeLessThan(names.indexOf("AGATE_STORE"));
  });

  it("replicate every shard, with a Keeper that survives one of its own", () => {
    const keeper = objectOf(withClickHouse, "ClickHouseKeeperInstallation");
    // A majority that holds what is acknowledged, and still is one when a replica is away.
    expect(cluster.layout.replicasCount).toBeGreaterThanOrEqual(3);
    expect(clickhouse.spec.configuration.profiles["default/insert_quorum"]).toBe("auto");
    expect(keeper.spec.configuration.clusters[0].layout.replicasCount).toBe(3);
    expect(clickhouse.spec.configuration.zookeeper.nodes).toEqual([
      {
        host: `keeper-${keeper.metadata.name}`,
        port: Number(keeper.spec.configuration.settings["keeper_server/tcp_port"]),
      },
    ]);
  });

  it("use templates that are there", () => {
    for (const object of [clickhouse, objectOf(withClickHouse, "ClickHouseKeeperInstallation")]) {
      const { defaults, templates } = object.spec;
      const named = (list: { name: string }[]) => list.map(({ name }) => name);
      expect(named(templates.podTemplates)).toEqual([defaults.templates.podTemplate]);
      expect(named(templates.volumeClaimTemplates)).toEqual([
        defaults.templates.dataVolumeClaimTemplate,
      ]);
    }
  });
});

describe("the manifests with postgres", () => {
  it("have the spans in the same database, and nothing of ClickHouse's", () => {
    expect(variable(withPostgres, "AGATE_STORE").valueFrom).toEqual(
      variable(withPostgres, "AGATE_REGISTRY").valueFrom,
    );
    expect(JSON.stringify(withPostgres)).not.toMatch(/clickhouse/i);
  });
});

it("uses Secrets that the guide makes, or the operator", () => {
  const made = codeBlocks("docs/guide/scaling.md").flatMap(({ code }) =>
    [...code.replaceAll("\\\n", "").matchAll(/create secret generic (\S+)(.*)/g)].flatMap(
      ([, name, literals = ""]) =>
        [...literals.matchAll(/--from-literal=([\w-]+)=/g)].map(([, key]) => `${name}/${key}`),
    ),
  );
  const text = JSON.stringify(withClickHouse);
  const used = [...text.matchAll(/\{"name":"([\w-]+)","key":"([\w-]+)"\}/g)].map(
    ([, name, key]) => `${name}/${key}`,
  );
  const byOperator = `${objectOf(withClickHouse, "Cluster").metadata.name}-app/uri`;
  expect([...new Set(used)].toSorted()).toEqual([...made, byOperator].toSorted());
});

it("runs an image of this version, made as its Dockerfile says", () => {
  const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
  const { name, version } = JSON.parse(read("packages/cli/package.json"));
  const { image, ports } = containerOf(withClickHouse);
  expect(image).toBe(`registry.example/agate:${version}`);
  const dockerfile = read("deploy/image/Dockerfile");
  const tarball = `${name.replace("@", "").replace("/", "-")}-*.tgz`;
  expect(dockerfile).toContain(tarball);
  expect(read("deploy/image/.dockerignore")).toContain(`!${tarball}`);
  expect(dockerfile).toContain(`EXPOSE ${ports[0].containerPort}`);
  expect(read("docs/guide/scaling.md")).toContain(`docker build --tag ${image} deploy/image`);
});

it.each(["agate", "clickhouse", "postgres"])("lists every file of %s for kustomize", (folder) => {
  const files = readdirSync(join(MANIFESTS, folder)).filter(
    (file) => file !== "kustomization.yaml",
  );
  expect(readKustomization(join(MANIFESTS, folder)).resources).toEqual(files.toSorted());
});
