import { stringify } from "yaml";

/** What a workflow needs to know in a cluster. */
export interface ClusterOptions {
  readonly application: string;
  readonly image: string;
  readonly port: number;
  /** Variables that are not secret, by name. */
  readonly variables: Readonly<Record<string, string>>;
  /** Variables whose values are in the Secret. */
  readonly secrets: readonly string[];
}

/** How long calls may go on after a pod was told to end. */
const GRACE_SECONDS = 60;
/** How long requests still arrive after that: until every node has heard of it. */
const LAST_REQUESTS_SECONDS = 5;

/** The id of the user `node` in Node's official images. */
const NODE_USER = 1000;

/** The objects of a workflow, by the names of their files. */
export function kubernetesObjects(options: ClusterOptions): ReadonlyMap<string, object> {
  const name = clusterName(options.application);
  return new Map<string, object>([
    ["deployment.yaml", deployment(name, options)],
    ["horizontal-pod-autoscaler.yaml", horizontalPodAutoscaler(name)],
    ["pod-disruption-budget.yaml", podDisruptionBudget(name)],
    ["service.yaml", service(name)],
  ]);
}

/** The name of the Secret that holds an application's secret variables. */
export function secretName(application: string): string {
  return `${clusterName(application)}-secrets`;
}

/** An application's slug as a name that every kind of object takes: a DNS label. */
export function clusterName(application: string): string {
  const label = application.replaceAll(/[^a-z0-9-]+/g, "-");
  return (/^[a-z]/.test(label) ? label : `app-${label}`).slice(0, 50).replace(/-+$/, "");
}

function metadata(name: string) {
  return { name, labels: { ...selector(name), "app.kubernetes.io/managed-by": "agate" } };
}

function selector(name: string) {
  return { "app.kubernetes.io/name": name };
}

function deployment(name: string, options: ClusterOptions): object {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: metadata(name),
    spec: {
      // How many there are is the autoscaler's to say: a number here would undo it at every apply.
      selector: { matchLabels: selector(name) },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: "25%" } },
      template: {
        metadata: { labels: selector(name) },
        spec: {
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          terminationGracePeriodSeconds: LAST_REQUESTS_SECONDS + GRACE_SECONDS,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: NODE_USER,
            runAsGroup: NODE_USER,
            seccompProfile: { type: "RuntimeDefault" },
          },
          topologySpreadConstraints: ["topology.kubernetes.io/zone", "kubernetes.io/hostname"].map(
            (topologyKey) => ({
              maxSkew: 1,
              topologyKey,
              whenUnsatisfiable: "ScheduleAnyway",
              labelSelector: { matchLabels: selector(name) },
            }),
          ),
          containers: [container(options)],
          volumes: [{ name: "tmp", emptyDir: { sizeLimit: "64Mi" } }],
        },
      },
    },
  };
}

function container({ application, image, port, variables, secrets }: ClusterOptions): object {
  const health = { httpGet: { path: "/health", port: "http" } };
  const plain = Object.entries({
    AGATE_APPLICATION: application,
    AGATE_LISTEN: `tcp:0.0.0.0:${port}`,
    ...variables,
  }).map(([name, value]) => ({ name, value }));
  const secret = secrets.map((name) => ({
    name,
    valueFrom: { secretKeyRef: { name: secretName(application), key: name } },
  }));
  return {
    name: "workflow",
    image,
    ports: [{ name: "http", containerPort: port }],
    env: [...plain, ...secret],
    startupProbe: { ...health, periodSeconds: 1, timeoutSeconds: 5, failureThreshold: 60 },
    readinessProbe: { ...health, periodSeconds: 5, timeoutSeconds: 5, failureThreshold: 2 },
    livenessProbe: { ...health, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 },
    lifecycle: { preStop: { exec: { command: ["sleep", String(LAST_REQUESTS_SECONDS)] } } },
    resources: {
      requests: { cpu: "100m", memory: "256Mi" },
      limits: { cpu: "1", memory: "512Mi" },
    },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
    volumeMounts: [{ name: "tmp", mountPath: "/tmp" }],
  };
}

function service(name: string): object {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: metadata(name),
    spec: {
      selector: selector(name),
      ports: [{ name: "http", port: 80, targetPort: "http" }],
    },
  };
}

function horizontalPodAutoscaler(name: string): object {
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: metadata(name),
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
      minReplicas: 2,
      maxReplicas: 10,
      metrics: [
        {
          type: "Resource",
          resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 70 } },
        },
      ],
    },
  };
}

function podDisruptionBudget(name: string): object {
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: metadata(name),
    spec: { maxUnavailable: 1, selector: { matchLabels: selector(name) } },
  };
}

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
