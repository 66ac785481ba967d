// Made by tools/ui_types.py from the structs of windlass.apis and windlass.gateway.views. Do not edit.

/** Where a kind is served. */
export interface KindInfo {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
}

/** Metadata of an object that the server has stored. */
export type StoredMeta = ObjectMeta & { name: string; uid: string; resourceVersion: string; creationTimestamp: string };

/** What all objects have. `managedFields` and `selfLink` are left undecoded: no controller reads them. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
}

/** Names the object that this one belongs to and goes with. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** A ConfigMap: text for programs to read. */
export interface ConfigMap {
  apiVersion: "v1";
  kind: "ConfigMap";
  metadata: StoredMeta;
  data?: Record<string, string>;
  binaryData?: Record<string, string>;
  immutable?: boolean;
}

/** The Endpoints of a Service: the addresses behind it. */
export interface Endpoints {
  apiVersion: "v1";
  kind: "Endpoints";
  metadata: StoredMeta;
  subsets?: Record<string, unknown>[];
}

/** An Event: a human-readable record of something that happened to an object. */
export interface Event {
  apiVersion: "v1";
  kind: "Event";
  metadata: StoredMeta;
  involvedObject?: ObjectReference;
  reason?: string;
  message?: string;
  source?: EventSource;
  firstTimestamp?: string;
  lastTimestamp?: string;
  count?: number;
  type?: string;
  action?: string;
  eventTime?: string;
  reportingComponent?: string;
  reportingInstance?: string;
}

export interface ObjectReference {
  apiVersion?: string;
  kind?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  resourceVersion?: string;
  fieldPath?: string;
}

export interface EventSource {
  component?: string;
  host?: string;
}

/** A Namespace: a scope for objects, deleted together with them. */
export interface Namespace {
  apiVersion: "v1";
  kind: "Namespace";
  metadata: StoredMeta;
  spec?: NamespaceSpec;
  status?: NamespaceStatus;
}

export interface NamespaceSpec {
  finalizers?: string[];
}

export interface NamespaceStatus {
  phase?: string;
  conditions?: NamespaceCondition[];
}

export interface NamespaceCondition {
  type?: string;
  status?: string;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

/** A Node: a machine that runs pods. */
export interface Node {
  apiVersion: "v1";
  kind: "Node";
  metadata: StoredMeta;
  spec?: NodeSpec;
  status?: NodeStatus;
}

export interface NodeSpec {
  podCIDR?: string;
  unschedulable?: boolean;
  taints?: Taint[];
}

export interface Taint {
  key?: string;
  effect?: string;
  value?: string;
  timeAdded?: string;
}

export interface NodeStatus {
  capacity?: Record<string, string | number>;
  allocatable?: Record<string, string | number>;
  conditions?: NodeCondition[];
  addresses?: NodeAddress[];
  nodeInfo?: Record<string, unknown>;
}

export interface NodeCondition {
  type?: string;
  status?: string;
  lastHeartbeatTime?: string;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export interface NodeAddress {
  type?: string;
  address?: string;
}

/** A PersistentVolume: storage that can be bound to a claim. */
export interface PersistentVolume {
  apiVersion: "v1";
  kind: "PersistentVolume";
  metadata: StoredMeta;
  spec?: Record<string, unknown>;
  status?: PersistentVolumeStatus;
}

export interface PersistentVolumeStatus {
  phase?: string;
  message?: string;
  reason?: string;
  lastPhaseTransitionTime?: string;
}

/** A PersistentVolumeClaim: a request for storage. */
export interface PersistentVolumeClaim {
  apiVersion: "v1";
  kind: "PersistentVolumeClaim";
  metadata: StoredMeta;
  spec?: PersistentVolumeClaimSpec;
  status?: PersistentVolumeClaimStatus;
}

export interface PersistentVolumeClaimSpec {
  accessModes?: string[];
  selector?: LabelSelector;
  resources?: ResourceRequirements;
  volumeName?: string;
  storageClassName?: string;
  volumeMode?: string;
  dataSource?: Record<string, unknown>;
  dataSourceRef?: Record<string, unknown>;
}

/** Both parts must hold; an empty selector matches everything. */
export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: LabelSelectorRequirement[];
}

export interface LabelSelectorRequirement {
  key: string;
  operator: string;
  values?: string[];
}

export interface ResourceRequirements {
  limits?: Record<string, string | number>;
  requests?: Record<string, string | number>;
  claims?: Record<string, unknown>[];
}

export interface PersistentVolumeClaimStatus {
  phase?: string;
  accessModes?: string[];
  capacity?: Record<string, string | number>;
  conditions?: Record<string, unknown>[];
}

/** A Pod: containers that share a node, an address and volumes. */
export interface Pod {
  apiVersion: "v1";
  kind: "Pod";
  metadata: StoredMeta;
  spec?: PodSpec;
  status?: PodStatus;
}

export interface PodSpec {
  containers?: Container[];
  initContainers?: Container[];
  volumes?: Volume[];
  restartPolicy?: string;
  terminationGracePeriodSeconds?: number;
  activeDeadlineSeconds?: number;
  nodeName?: string;
  nodeSelector?: Record<string, string>;
  affinity?: Record<string, unknown>;
  tolerations?: Toleration[];
  topologySpreadConstraints?: Record<string, unknown>[];
  schedulerName?: string;
  schedulingGates?: LocalObjectReference[];
  resourceClaims?: Record<string, unknown>[];
  priority?: number;
  priorityClassName?: string;
  preemptionPolicy?: string;
  overhead?: Record<string, string | number>;
  resources?: ResourceRequirements;
  serviceAccountName?: string;
  hostname?: string;
  subdomain?: string;
  hostNetwork?: boolean;
}

/** The fields of a container that scheduling, services and quotas need. The node reads plain JSON to run it. */
export interface Container {
  name?: string;
  image?: string;
  ports?: ContainerPort[];
  resources?: ResourceRequirements;
  restartPolicy?: string;
}

export interface ContainerPort {
  containerPort?: number;
  name?: string;
  protocol?: string;
  hostPort?: number;
  hostIP?: string;
}

/** The claim of a volume, if it has one; only the node reads other sources. */
export interface Volume {
  name?: string;
  persistentVolumeClaim?: ClaimSource;
  ephemeral?: Record<string, unknown>;
}

export interface ClaimSource {
  claimName?: string;
}

export interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

export interface LocalObjectReference {
  name?: string;
}

export interface PodStatus {
  phase?: string;
  conditions?: PodCondition[];
  message?: string;
  reason?: string;
  nominatedNodeName?: string;
  hostIP?: string;
  podIP?: string;
  podIPs?: PodIP[];
  startTime?: string;
  initContainerStatuses?: ContainerStatus[];
  containerStatuses?: ContainerStatus[];
  qosClass?: string;
}

export interface PodCondition {
  type?: string;
  status?: string;
  observedGeneration?: number;
  lastProbeTime?: string;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export interface PodIP {
  ip?: string;
}

export interface ContainerStatus {
  name?: string;
  state?: Record<string, unknown>;
  lastState?: Record<string, unknown>;
  ready?: boolean;
  started?: boolean;
  restartCount?: number;
  image?: string;
  imageID?: string;
  containerID?: string;
}

/** A ReplicationController: the predecessor of the ReplicaSet. */
export interface ReplicationController {
  apiVersion: "v1";
  kind: "ReplicationController";
  metadata: StoredMeta;
  spec?: ReplicationControllerSpec;
  status?: ReplicationControllerStatus;
}

export interface ReplicationControllerSpec {
  replicas?: number;
  minReadySeconds?: number;
  selector?: Record<string, string>;
  template?: Record<string, unknown>;
}

export interface ReplicationControllerStatus {
  replicas?: number;
  fullyLabeledReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  observedGeneration?: number;
  conditions?: ReplicationControllerCondition[];
}

export interface ReplicationControllerCondition {
  type?: string;
  status?: string;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

/** A ResourceQuota: limits on the total usage of a namespace. */
export interface ResourceQuota {
  apiVersion: "v1";
  kind: "ResourceQuota";
  metadata: StoredMeta;
  spec?: ResourceQuotaSpec;
  status?: ResourceQuotaStatus;
}

export interface ResourceQuotaSpec {
  hard?: Record<string, string | number>;
  scopes?: string[];
  scopeSelector?: ScopeSelector;
}

export interface ScopeSelector {
  matchExpressions?: ScopedSelectorRequirement[];
}

export interface ScopedSelectorRequirement {
  scopeName?: string;
  operator?: string;
  values?: string[];
}

export interface ResourceQuotaStatus {
  hard?: Record<string, string | number>;
  used?: Record<string, string | number>;
}

/** A Secret: confidential values; `data` is base64. */
export interface Secret {
  apiVersion: "v1";
  kind: "Secret";
  metadata: StoredMeta;
  type?: string;
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  immutable?: boolean;
}

/** A Service: one name and address for a set of pods. */
export interface Service {
  apiVersion: "v1";
  kind: "Service";
  metadata: StoredMeta;
  spec?: ServiceSpec;
  status?: ServiceStatus;
}

export interface ServiceSpec {
  ports?: ServicePort[];
  selector?: Record<string, string>;
  clusterIP?: string;
  clusterIPs?: string[];
  type?: string;
  externalName?: string;
  sessionAffinity?: string;
  allocateLoadBalancerNodePorts?: boolean;
  loadBalancerClass?: string;
  publishNotReadyAddresses?: boolean;
  ipFamilies?: string[];
  ipFamilyPolicy?: string;
}

export interface ServicePort {
  port?: number;
  name?: string;
  protocol?: string;
  appProtocol?: string;
  targetPort?: number | string;
  nodePort?: number;
}

export interface ServiceStatus {
  loadBalancer?: Record<string, unknown>;
}

/** A ServiceAccount: the identity of a pod at the API. */
export interface ServiceAccount {
  apiVersion: "v1";
  kind: "ServiceAccount";
  metadata: StoredMeta;
  secrets?: ObjectReference[];
  imagePullSecrets?: LocalObjectReference[];
  automountServiceAccountToken?: boolean;
}

/** A ControllerRevision: a past template, for rollbacks. */
export interface ControllerRevision {
  apiVersion: "apps/v1";
  kind: "ControllerRevision";
  metadata: StoredMeta;
  data?: unknown;
  revision?: number;
}

/** A DaemonSet: one pod on each matching node. */
export interface DaemonSet {
  apiVersion: "apps/v1";
  kind: "DaemonSet";
  metadata: StoredMeta;
  spec?: DaemonSetSpec;
  status?: DaemonSetStatus;
}

export interface DaemonSetSpec {
  selector?: LabelSelector;
  template?: Record<string, unknown>;
  updateStrategy?: Record<string, unknown>;
  minReadySeconds?: number;
  revisionHistoryLimit?: number;
}

export interface DaemonSetStatus {
  currentNumberScheduled?: number;
  numberMisscheduled?: number;
  desiredNumberScheduled?: number;
  numberReady?: number;
  observedGeneration?: number;
  updatedNumberScheduled?: number;
  numberAvailable?: number;
  numberUnavailable?: number;
  collisionCount?: number;
  conditions?: WorkloadCondition[];
}

export interface WorkloadCondition {
  type?: string;
  status?: string;
  lastUpdateTime?: string;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

/** A Deployment: interchangeable pods, rolled out from one template to the next. */
export interface Deployment {
  apiVersion: "apps/v1";
  kind: "Deployment";
  metadata: StoredMeta;
  spec?: DeploymentSpec;
  status?: DeploymentStatus;
}

export interface DeploymentSpec {
  replicas?: number;
  selector?: LabelSelector;
  template?: Record<string, unknown>;
  strategy?: Record<string, unknown>;
  minReadySeconds?: number;
  revisionHistoryLimit?: number;
  paused?: boolean;
  progressDeadlineSeconds?: number;
}

export interface DeploymentStatus {
  observedGeneration?: number;
  replicas?: number;
  updatedReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  unavailableReplicas?: number;
  terminatingReplicas?: number;
  collisionCount?: number;
  conditions?: WorkloadCondition[];
}

/** A ReplicaSet: a number of identical pods from one template. */
export interface ReplicaSet {
  apiVersion: "apps/v1";
  kind: "ReplicaSet";
  metadata: StoredMeta;
  spec?: ReplicaSetSpec;
  status?: ReplicaSetStatus;
}

export interface ReplicaSetSpec {
  replicas?: number;
  minReadySeconds?: number;
  selector?: LabelSelector;
  template?: Record<string, unknown>;
}

export interface ReplicaSetStatus {
  replicas?: number;
  fullyLabeledReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  terminatingReplicas?: number;
  observedGeneration?: number;
  conditions?: WorkloadCondition[];
}

/** A StatefulSet: pods with a stable index, name and storage. */
export interface StatefulSet {
  apiVersion: "apps/v1";
  kind: "StatefulSet";
  metadata: StoredMeta;
  spec?: StatefulSetSpec;
  status?: StatefulSetStatus;
}

export interface StatefulSetSpec {
  replicas?: number;
  selector?: LabelSelector;
  template?: Record<string, unknown>;
  volumeClaimTemplates?: Record<string, unknown>[];
  serviceName?: string;
  podManagementPolicy?: string;
  updateStrategy?: Record<string, unknown>;
  revisionHistoryLimit?: number;
  minReadySeconds?: number;
  persistentVolumeClaimRetentionPolicy?: Record<string, unknown>;
  ordinals?: Record<string, unknown>;
}

export interface StatefulSetStatus {
  observedGeneration?: number;
  replicas?: number;
  readyReplicas?: number;
  currentReplicas?: number;
  updatedReplicas?: number;
  availableReplicas?: number;
  currentRevision?: string;
  updateRevision?: string;
  collisionCount?: number;
  conditions?: WorkloadCondition[];
}

/** A CronJob: creates Jobs on a schedule. */
export interface CronJob {
  apiVersion: "batch/v1";
  kind: "CronJob";
  metadata: StoredMeta;
  spec?: CronJobSpec;
  status?: CronJobStatus;
}

export interface CronJobSpec {
  schedule?: string;
  timeZone?: string;
  startingDeadlineSeconds?: number;
  concurrencyPolicy?: string;
  suspend?: boolean;
  jobTemplate?: Record<string, unknown>;
  successfulJobsHistoryLimit?: number;
  failedJobsHistoryLimit?: number;
}

export interface CronJobStatus {
  active?: ObjectReference[];
  lastScheduleTime?: string;
  lastSuccessfulTime?: string;
}

/** A Job: runs pods until enough of them succeed. */
export interface Job {
  apiVersion: "batch/v1";
  kind: "Job";
  metadata: StoredMeta;
  spec?: JobSpec;
  status?: JobStatus;
}

export interface JobSpec {
  parallelism?: number;
  completions?: number;
  activeDeadlineSeconds?: number;
  podFailurePolicy?: Record<string, unknown>;
  successPolicy?: Record<string, unknown>;
  backoffLimit?: number;
  backoffLimitPerIndex?: number;
  maxFailedIndexes?: number;
  selector?: LabelSelector;
  manualSelector?: boolean;
  template?: Record<string, unknown>;
  ttlSecondsAfterFinished?: number;
  completionMode?: string;
  suspend?: boolean;
  podReplacementPolicy?: string;
  managedBy?: string;
}

export interface JobStatus {
  conditions?: JobCondition[];
  startTime?: string;
  completionTime?: string;
  active?: number;
  succeeded?: number;
  failed?: number;
  terminating?: number;
  completedIndexes?: string;
  failedIndexes?: string;
  uncountedTerminatedPods?: UncountedTerminatedPods;
  ready?: number;
}

export interface JobCondition {
  type?: string;
  status?: string;
  lastProbeTime?: string;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

/** UIDs of terminated pods that the counters do not include yet. */
export interface UncountedTerminatedPods {
  succeeded?: string[];
  failed?: string[];
}

/** A notebook server: one pod, its volumes and its address at the gateway. */
export interface Notebook {
  apiVersion: "kubeflow.org/v1";
  kind: "Notebook";
  metadata: StoredMeta;
  spec?: NotebookSpec;
  status?: NotebookStatus;
}

export interface NotebookSpec {
  template?: NotebookTemplate;
}

/** Template of the server's pod. It has no metadata: the pod gets the Notebook's labels and annotations. */
export interface NotebookTemplate {
  spec?: Record<string, unknown>;
}

/** Observed state, written by the controller: all three fields, also where they are empty. */
export interface NotebookStatus {
  conditions?: PodCondition[];
  readyReplicas?: number;
  containerState?: Record<string, unknown>;
}

/** A namespace of the same name with an owner, contributors, roles and a quota. */
export interface Profile {
  apiVersion: "kubeflow.org/v1";
  kind: "Profile";
  metadata: StoredMeta;
  spec?: ProfileSpec;
  status?: ProfileStatus;
}

export interface ProfileSpec {
  owner?: ProfileOwner;
  plugins?: ProfilePlugin[];
  resourceQuotaSpec?: ResourceQuotaSpec;
}

/** User, group or service account that owns the namespace. */
export interface ProfileOwner {
  kind: "User" | "Group" | "ServiceAccount";
  name: string;
  apiGroup?: string;
  namespace?: string;
}

/** Cloud identity of the namespace's default-editor. */
export interface ProfilePlugin {
  kind: string;
  apiVersion?: string;
  spec?: Record<string, unknown>;
}

/** Observed state, written by the controller. */
export interface ProfileStatus {
  conditions?: ProfileCondition[];
}

export interface ProfileCondition {
  type: string;
  status?: string;
  message?: string;
}

/** Group of pods that start together or not at all. */
export interface PodGroup {
  apiVersion: "scheduling.volcano.sh/v1beta1";
  kind: "PodGroup";
  metadata: StoredMeta;
  spec?: PodGroupSpec;
  status?: PodGroupStatus;
}

export interface PodGroupSpec {
  minMember?: number;
  minTaskMember?: Record<string, number>;
  queue?: string;
  priorityClassName?: string;
  minResources?: Record<string, number | string>;
  networkTopology?: NetworkTopology;
  subGroupPolicy?: SubGroupPolicy[];
}

/** Required network proximity of the pods. The two limits are mutually exclusive. */
export interface NetworkTopology {
  mode?: "hard" | "soft";
  highestTierAllowed?: number;
  highestTierName?: string;
}

/** Splits the PodGroup into subgroups by the values of `matchLabelKeys`. Each subgroup starts together. */
export interface SubGroupPolicy {
  name?: string;
  networkTopology?: NetworkTopology;
  subGroupSize?: number;
  minSubGroups?: number;
  labelSelector?: LabelSelector;
  matchLabelKeys?: string[];
}

export interface PodGroupStatus {
  phase?: "Pending" | "Inqueue" | "Running" | "Unknown" | "Completed";
  conditions?: PodGroupCondition[];
  running?: number;
  succeeded?: number;
  failed?: number;
}

export interface PodGroupCondition {
  type?: string;
  status?: string;
  transitionID?: string;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

/** Share of the cluster for which PodGroups wait in line. */
export interface Queue {
  apiVersion: "scheduling.volcano.sh/v1beta1";
  kind: "Queue";
  metadata: StoredMeta;
  spec?: QueueSpec;
  status?: QueueStatus;
}

export interface QueueSpec {
  weight?: number;
  capability?: Record<string, number | string>;
  deserved?: Record<string, number | string>;
  guarantee?: Guarantee;
  reclaimable?: boolean;
  priority?: number;
  parent?: string;
  affinity?: QueueAffinity;
  dequeueStrategy?: "fifo" | "traverse";
  type?: string;
  extendClusters?: Cluster[];
}

/** Resources reserved for the queue, which are never lent to others. */
export interface Guarantee {
  resource?: Record<string, number | string>;
}

export interface QueueAffinity {
  nodeGroupAffinity?: NodeGroupTerms;
  nodeGroupAntiAffinity?: NodeGroupTerms;
}

/** Names of required and preferred node groups. */
export interface NodeGroupTerms {
  requiredDuringSchedulingIgnoredDuringExecution?: string[];
  preferredDuringSchedulingIgnoredDuringExecution?: string[];
}

export interface Cluster {
  name?: string;
  weight?: number;
  capacity?: Record<string, number | string>;
}

export interface QueueStatus {
  state?: "Open" | "Closed" | "Closing" | "Unknown";
  unknown?: number;
  pending?: number;
  running?: number;
  inqueue?: number;
  completed?: number;
  allocated?: Record<string, number | string>;
  reservation?: Reservation;
}

export interface Reservation {
  nodes?: string[];
  resource?: Record<string, number | string>;
}

/** Defines how training jobs of a framework run in any namespace. */
export interface ClusterTrainingRuntime {
  apiVersion: "trainer.kubeflow.org/v1alpha1";
  kind: "ClusterTrainingRuntime";
  metadata: StoredMeta;
  spec?: RuntimeSpec;
}

export interface RuntimeSpec {
  mlPolicy?: MLPolicy;
  podGroupPolicy?: PodGroupPolicy;
  template?: JobSetTemplate;
}

/** Number of nodes and the framework that connects them; at most one framework may be set. */
export interface MLPolicy {
  numNodes?: number;
  torch?: TorchPolicy;
  mpi?: MPIPolicy;
  jax?: JAXPolicy;
  xgboost?: XGBoostPolicy;
  flux?: FluxPolicy;
}

/** PyTorch: torchrun with `PET_` variables on every node. */
export interface TorchPolicy {
  envInjection?: Record<string, unknown>;
}

/** MPI: mpirun from a launcher, over SSH. */
export interface MPIPolicy {
  numProcPerNode?: number;
  mpiImplementation?: "OpenMPI" | "";
  sshAuthMountPath?: string;
  runLauncherAsNode?: boolean;
}

/** JAX: a coordinator, and an index for each process. */
export interface JAXPolicy {
}

/** XGBoost: a tracker on the first node, to which the others connect. */
export interface XGBoostPolicy {
}

/** Flux, which is not supported. */
export interface FluxPolicy {
  numProcPerNode?: number;
}

/** Gang scheduler that starts all pods together; at most one may be set. */
export interface PodGroupPolicy {
  coscheduling?: CoschedulingPolicy;
  volcano?: VolcanoPolicy;
}

export interface CoschedulingPolicy {
  scheduleTimeoutSeconds?: number;
}

export interface VolcanoPolicy {
  networkTopology?: NetworkTopology;
}

/** Template of the JobSet of a job. */
export interface JobSetTemplate {
  metadata?: Record<string, unknown>;
  spec?: JobSetSpec;
}

export interface JobSetSpec {
  replicatedJobs?: ReplicatedJob[];
  network?: Network;
  successPolicy?: SuccessPolicy;
  failurePolicy?: FailurePolicy;
  startupPolicy?: StartupPolicy;
  suspend?: boolean;
  coordinator?: Coordinator;
  managedBy?: string;
  ttlSecondsAfterFinished?: number;
  volumeClaimPolicies?: VolumeClaimPolicy[];
}

/** Identical Jobs created from one template. */
export interface ReplicatedJob {
  name: string;
  groupName?: string;
  template: Record<string, unknown>;
  replicas?: number;
  dependsOn?: DependsOn[];
}

/** Required state of a preceding replicated job. */
export interface DependsOn {
  name: string;
  status: "Ready" | "Complete";
}

/** DNS settings of the pods. */
export interface Network {
  enableDNSHostnames?: boolean;
  subdomain?: string;
  publishNotReadyAddresses?: boolean;
}

/** When the JobSet counts as succeeded. */
export interface SuccessPolicy {
  operator: "All" | "Any";
  targetReplicatedJobs?: string[];
}

/** Actions for failed Jobs. The first matching rule applies; if none matches, all Jobs are restarted. */
export interface FailurePolicy {
  maxRestarts?: number;
  restartStrategy?: "Recreate" | "BlockingRecreate" | "InPlaceRestart";
  rules?: FailurePolicyRule[];
}

/** Action for Jobs that fail for certain reasons. */
export interface FailurePolicyRule {
  name: string;
  action: "FailJobSet" | "RestartJobSet" | "RestartJobSetAndIgnoreMaxRestarts" | "RestartJob" | "RestartJobAndIgnoreMaxRestarts";
  onJobFailureReasons?: string[];
  onJobFailureMessagePatterns?: string[];
  targetReplicatedJobs?: string[];
}

/** Order in which the replicated jobs start. */
export interface StartupPolicy {
  startupPolicyOrder: "AnyOrder" | "InOrder";
}

/** Pod whose address is set on all other pods. */
export interface Coordinator {
  replicatedJob: string;
  jobIndex?: number;
  podIndex?: number;
}

/** Claims that all Jobs of the set share. */
export interface VolumeClaimPolicy {
  templates?: Record<string, unknown>[];
  retentionPolicy?: VolumeRetentionPolicy;
}

export interface VolumeRetentionPolicy {
  whenDeleted?: "Delete" | "Retain";
}

/** Runs a training job as defined by a runtime. */
export interface TrainJob {
  apiVersion: "trainer.kubeflow.org/v1alpha1";
  kind: "TrainJob";
  metadata: StoredMeta;
  spec: TrainJobSpec;
  status?: TrainJobStatus;
}

export interface TrainJobSpec {
  runtimeRef: RuntimeRef;
  initializer?: Initializer;
  trainer?: Trainer;
  runtimePatches?: RuntimePatch[];
  suspend?: boolean;
  activeDeadlineSeconds?: number;
  managedBy?: string;
}

export interface RuntimeRef {
  name: string;
  apiGroup?: string;
  kind?: string;
}

export interface Initializer {
  dataset?: DatasetInitializer;
  model?: ModelInitializer;
}

/** Downloads the dataset before training starts. */
export interface DatasetInitializer {
  storageUri?: string;
  env?: Record<string, unknown>[];
  secretRef?: Record<string, unknown>;
}

/** Downloads a pretrained model before training starts. */
export interface ModelInitializer {
  storageUri?: string;
  env?: Record<string, unknown>[];
  secretRef?: Record<string, unknown>;
}

/** Overrides of the training container of the runtime. */
export interface Trainer {
  image?: string;
  command?: string[];
  args?: string[];
  env?: Record<string, unknown>[];
  numNodes?: number;
  resourcesPerNode?: Record<string, unknown>;
  numProcPerNode?: number;
}

/** Changes that one manager makes to the runtime for this job. */
export interface RuntimePatch {
  manager: string;
  time?: string;
  trainingRuntimeSpec?: RuntimeSpecPatch;
}

export interface RuntimeSpecPatch {
  template?: JobSetTemplatePatch;
}

export interface JobSetTemplatePatch {
  metadata?: MetadataPatch;
  spec?: JobSetSpecPatch;
}

export interface MetadataPatch {
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

export interface JobSetSpecPatch {
  replicatedJobs?: ReplicatedJobPatch[];
}

export interface ReplicatedJobPatch {
  name: string;
  template?: JobTemplatePatch;
}

export interface JobTemplatePatch {
  metadata?: MetadataPatch;
  spec?: JobSpecPatch;
}

export interface JobSpecPatch {
  template?: PodTemplatePatch;
}

export interface PodTemplatePatch {
  metadata?: MetadataPatch;
  spec?: PodSpecPatch;
}

export interface PodSpecPatch {
  serviceAccountName?: string;
  volumes?: Record<string, unknown>[];
  initContainers?: ContainerPatch[];
  containers?: ContainerPatch[];
  imagePullSecrets?: Record<string, unknown>[];
  securityContext?: Record<string, unknown>;
  nodeSelector?: Record<string, string>;
  affinity?: Record<string, unknown>;
  tolerations?: Record<string, unknown>[];
  schedulingGates?: Record<string, unknown>[];
}

/** Changes to a container of the runtime. */
export interface ContainerPatch {
  name: string;
  env?: Record<string, unknown>[];
  volumeMounts?: Record<string, unknown>[];
  securityContext?: Record<string, unknown>;
}

export interface TrainJobStatus {
  conditions?: Condition[];
  jobsStatus?: TrainerV1alpha1JobStatus[];
  trainerStatus?: TrainerStatus;
}

/** One aspect of an object's state, as in `kubectl describe`; see `windlass.kube.conditions`. */
export interface Condition {
  type: string;
  status?: "True" | "False" | "Unknown";
  observedGeneration?: number;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

/** Number of Jobs of one replicated job in each state, including zeros. */
export interface TrainerV1alpha1JobStatus {
  name: string;
  ready: number;
  succeeded: number;
  failed: number;
  active: number;
  suspended: number;
}

/** Progress reported by the training code. */
export interface TrainerStatus {
  progressPercentage?: number;
  estimatedRemainingSeconds?: number;
  metrics?: Metric[];
  lastUpdatedTime: string;
}

export interface Metric {
  name: string;
  value: string;
}

/** Defines how training jobs of a framework run in one namespace. */
export interface TrainingRuntime {
  apiVersion: "trainer.kubeflow.org/v1alpha1";
  kind: "TrainingRuntime";
  metadata: StoredMeta;
  spec?: RuntimeSpec;
}

/** Trains with MPI: a launcher starts processes on the workers. */
export interface MPIJob {
  apiVersion: "kubeflow.org/v1";
  kind: "MPIJob";
  metadata: StoredMeta;
  spec: MPIJobSpec;
  status?: CommonJobStatus;
}

export interface MPIJobSpec {
  runPolicy?: RunPolicy;
  cleanPodPolicy?: string;
  ttlSecondsAfterFinished?: number;
  activeDeadlineSeconds?: number;
  backoffLimit?: number;
  schedulerName?: string;
  mpiReplicaSpecs: Record<string, ReplicaSpec>;
  slotsPerWorker?: number;
  mainContainer?: string;
}

/** How the job is run, scheduled and cleaned up. */
export interface RunPolicy {
  cleanPodPolicy?: string;
  ttlSecondsAfterFinished?: number;
  activeDeadlineSeconds?: number;
  backoffLimit?: number;
  schedulingPolicy?: SchedulingPolicy;
  suspend?: boolean;
  managedBy?: string;
}

/** Gang scheduling settings. */
export interface SchedulingPolicy {
  minAvailable?: number;
  queue?: string;
  minResources?: Record<string, number | string>;
  priorityClass?: string;
  scheduleTimeoutSeconds?: number;
}

/** Number and template of the pods of one role. */
export interface ReplicaSpec {
  replicas?: number;
  template?: Record<string, unknown>;
  restartPolicy?: string;
}

export interface CommonJobStatus {
  conditions?: CommonJobCondition[];
  replicaStatuses?: Record<string, ReplicaStatus>;
  startTime?: string;
  completionTime?: string;
  lastReconcileTime?: string;
}

export interface CommonJobCondition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastUpdateTime?: string;
  lastTransitionTime?: string;
}

export interface ReplicaStatus {
  active?: number;
  succeeded?: number;
  failed?: number;
  selector?: string;
}

/** The definition of a kind that the server serves in addition to its own. */
export interface CustomResourceDefinition {
  apiVersion: "apiextensions.k8s.io/v1";
  kind: "CustomResourceDefinition";
  metadata: StoredMeta;
  spec?: CustomResourceDefinitionSpec;
  status?: CustomResourceDefinitionStatus;
}

export interface CustomResourceDefinitionSpec {
  group?: string;
  names?: CustomResourceDefinitionNames;
  scope?: string;
  versions?: CustomResourceDefinitionVersion[];
}

export interface CustomResourceDefinitionNames {
  plural?: string;
  singular?: string;
  kind?: string;
  listKind?: string;
  shortNames?: string[];
  categories?: string[];
}

/** A version of a custom resource, without its schema, which is large and which only the server reads. */
export interface CustomResourceDefinitionVersion {
  name?: string;
  served?: boolean;
  storage?: boolean;
}

export interface CustomResourceDefinitionStatus {
  conditions?: CustomResourceDefinitionCondition[];
  acceptedNames?: CustomResourceDefinitionNames;
  storedVersions?: string[];
}

export interface CustomResourceDefinitionCondition {
  type?: string;
  status?: string;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

/** Templates that Workflows of all namespaces refer to. */
export interface ClusterWorkflowTemplate {
  apiVersion: "argoproj.io/v1alpha1";
  kind: "ClusterWorkflowTemplate";
  metadata: StoredMeta;
  spec?: Record<string, unknown>;
}

/** Creates a Workflow at each moment of its schedules. */
export interface CronWorkflow {
  apiVersion: "argoproj.io/v1alpha1";
  kind: "CronWorkflow";
  metadata: StoredMeta;
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
}

/** One execution of templates: containers, graphs, steps, actions on objects. */
export interface Workflow {
  apiVersion: "argoproj.io/v1alpha1";
  kind: "Workflow";
  metadata: StoredMeta;
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
}

/** Templates that Workflows of the namespace refer to. */
export interface WorkflowTemplate {
  apiVersion: "argoproj.io/v1alpha1";
  kind: "WorkflowTemplate";
  metadata: StoredMeta;
  spec?: Record<string, unknown>;
}

/** A HorizontalPodAutoscaler: keeps a metric near its target value by scaling its target between two bounds. */
export interface HorizontalPodAutoscaler {
  apiVersion: "autoscaling/v2";
  kind: "HorizontalPodAutoscaler";
  metadata: StoredMeta;
  spec?: HorizontalPodAutoscalerSpec;
  status?: HorizontalPodAutoscalerStatus;
}

export interface HorizontalPodAutoscalerSpec {
  scaleTargetRef?: CrossVersionObjectReference;
  minReplicas?: number;
  maxReplicas?: number;
  metrics?: Record<string, unknown>[];
  behavior?: Record<string, unknown>;
}

export interface CrossVersionObjectReference {
  kind?: string;
  name?: string;
  apiVersion?: string;
}

export interface HorizontalPodAutoscalerStatus {
  observedGeneration?: number;
  lastScaleTime?: string;
  currentReplicas?: number;
  desiredReplicas?: number;
  currentMetrics?: Record<string, unknown>[];
  conditions?: HorizontalPodAutoscalerCondition[];
}

export interface HorizontalPodAutoscalerCondition {
  type?: string;
  status?: string;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

/** Creates Jobs on a schedule. */
export interface VolcanoCronJob {
  apiVersion: "batch.volcano.sh/v1alpha1";
  kind: "CronJob";
  metadata: StoredMeta;
  spec: VolcanoCronJobSpec;
  status?: VolcanoCronJobStatus;
}

export interface VolcanoCronJobSpec {
  schedule: string;
  timeZone?: string;
  startingDeadlineSeconds?: number;
  concurrencyPolicy?: "Allow" | "Forbid" | "Replace";
  suspend?: boolean;
  jobTemplate: JobTemplateSpec;
  successfulJobsHistoryLimit?: number;
  failedJobsHistoryLimit?: number;
}

/** Template of the jobs of a cron job. */
export interface JobTemplateSpec {
  metadata?: Record<string, unknown>;
  spec?: VolcanoJobSpec;
}

export interface VolcanoJobSpec {
  schedulerName?: string;
  minAvailable?: number;
  volumes?: VolumeSpec[];
  tasks?: TaskSpec[];
  policies?: LifecyclePolicy[];
  plugins?: Record<string, string[]>;
  runningEstimate?: string;
  queue?: string;
  maxRetry?: number;
  ttlSecondsAfterFinished?: number;
  priorityClassName?: string;
  minSuccess?: number;
  networkTopology?: NetworkTopology;
}

/** Claim that every container of the job mounts: an existing claim by name, or a new one created for the job. */
export interface VolumeSpec {
  mountPath: string;
  volumeClaimName?: string;
  volumeClaim?: Record<string, unknown>;
}

/** Identical pods of one role. */
export interface TaskSpec {
  name?: string;
  replicas?: number;
  minAvailable?: number;
  template?: Record<string, unknown>;
  policies?: LifecyclePolicy[];
  topologyPolicy?: "none" | "best-effort" | "restricted" | "single-numa-node";
  maxRetry?: number;
  dependsOn?: VolcanoDependsOn;
  partitionPolicy?: PartitionPolicy;
}

/** Action for a lifecycle event, or for a container that terminates with an exit code. */
export interface LifecyclePolicy {
  action?: string;
  event?: "*" | "PodPending" | "PodRunning" | "PodFailed" | "PodEvicted" | "Unknown" | "TaskCompleted" | "OutOfSync" | "CommandIssued" | "JobUpdated" | "TaskFailed";
  events?: ("*" | "PodPending" | "PodRunning" | "PodFailed" | "PodEvicted" | "Unknown" | "TaskCompleted" | "OutOfSync" | "CommandIssued" | "JobUpdated" | "TaskFailed")[];
  exitCode?: number;
  timeout?: string;
}

/** Tasks of which all, or any, must run before this one. */
export interface VolcanoDependsOn {
  name?: string[];
  iteration?: "any" | "all";
}

/** Splits the pods of a task into groups of `partitionSize`, each of which is placed and restarted as a unit. */
export interface PartitionPolicy {
  totalPartitions: number;
  partitionSize: number;
  minPartitions?: number;
  networkTopology?: NetworkTopology;
}

export interface VolcanoCronJobStatus {
  active?: ObjectReference[];
  lastScheduleTime?: string;
  lastSuccessfulTime?: string;
}

/** Runs tasks whose pods start together, with policies for failures. */
export interface VolcanoJob {
  apiVersion: "batch.volcano.sh/v1alpha1";
  kind: "Job";
  metadata: StoredMeta;
  spec?: VolcanoJobSpec;
  status?: VolcanoJobStatus;
}

export interface VolcanoJobStatus {
  state?: JobState;
  minAvailable?: number;
  taskStatusCount?: Record<string, TaskState>;
  pending?: number;
  running?: number;
  succeeded?: number;
  failed?: number;
  terminating?: number;
  unknown?: number;
  version?: number;
  retryCount?: number;
  runningDuration?: string;
  controlledResources?: Record<string, string>;
  conditions?: VolcanoJobCondition[];
}

export interface JobState {
  phase?: "Pending" | "Aborting" | "Aborted" | "Running" | "Restarting" | "Completing" | "Completed" | "Terminating" | "Terminated" | "Failed";
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
}

/** Number of pods of a task in each phase. */
export interface TaskState {
  phase?: Record<string, number>;
}

/** Time at which the job entered a phase. */
export interface VolcanoJobCondition {
  status: string;
  lastTransitionTime?: string;
}

/** Command to the controller of `target`, which deletes the command and then executes it. */
export interface Command {
  apiVersion: "bus.volcano.sh/v1alpha1";
  kind: "Command";
  metadata: StoredMeta;
  action?: string;
  target?: OwnerReference;
  reason?: string;
  message?: string;
}

/** A Lease: a claim that expires unless its holder renews it. */
export interface Lease {
  apiVersion: "coordination.k8s.io/v1";
  kind: "Lease";
  metadata: StoredMeta;
  spec?: LeaseSpec;
}

export interface LeaseSpec {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  acquireTime?: string;
  renewTime?: string;
  leaseTransitions?: number;
}

/** An EndpointSlice: some of the addresses behind a Service, all with the same ports. */
export interface EndpointSlice {
  apiVersion: "discovery.k8s.io/v1";
  kind: "EndpointSlice";
  metadata: StoredMeta;
  addressType?: string;
  endpoints?: Record<string, unknown>[];
  ports?: Record<string, unknown>[];
}

/** Creates jobs in order, each after the jobs that it depends on. */
export interface JobFlow {
  apiVersion: "flow.volcano.sh/v1alpha1";
  kind: "JobFlow";
  metadata: StoredMeta;
  spec?: JobFlowSpec;
  status?: JobFlowStatus;
}

export interface JobFlowSpec {
  flows?: Flow[];
  jobRetainPolicy?: "retain" | "delete";
}

/** A job of the flow, created from the JobTemplate with this name. */
export interface Flow {
  name: string;
  dependsOn?: FlowDependsOn;
  patch?: Patch;
}

/** Preceding flows. */
export interface FlowDependsOn {
  targets?: string[];
  probe?: Probe;
}

/** Conditions on the preceding jobs, in addition to their existence. */
export interface Probe {
  httpGetList?: HttpGet[];
  tcpSocketList?: TcpSocket[];
  taskStatusList?: TaskStatus[];
}

/** Succeeds when the pods of a task answer a request. */
export interface HttpGet {
  taskName?: string;
  path?: string;
  port?: number;
  httpHeader?: HttpHeader;
}

export interface HttpHeader {
  name: string;
  value: string;
}

/** Succeeds when the pods of a task listen on a port. */
export interface TcpSocket {
  taskName?: string;
  port: number;
}

/** Succeeds when the pods of a task are in a phase. */
export interface TaskStatus {
  taskName?: string;
  phase?: string;
}

/** Overrides of the template. Fields have no defaults: only fields that are present apply. */
export interface Patch {
  jobSpec?: Record<string, unknown>;
}

export interface JobFlowStatus {
  pendingJobs?: string[];
  runningJobs?: string[];
  failedJobs?: string[];
  completedJobs?: string[];
  terminatedJobs?: string[];
  unKnowJobs?: string[];
  jobStatusList?: FlowJobStatus[];
  conditions?: Record<string, FlowCondition>;
  state?: FlowState;
}

export interface FlowJobStatus {
  name?: string;
  state?: string;
  startTimestamp?: string;
  endTimestamp?: string;
  restartCount?: number;
  runningHistories?: JobRunningHistory[];
}

export interface JobRunningHistory {
  startTimestamp?: string;
  endTimestamp?: string;
  state?: string;
}

export interface FlowCondition {
  phase?: string;
  createTime?: string;
  runningDuration?: string;
  taskStatusCount?: Record<string, TaskState>;
}

export interface FlowState {
  phase?: "Pending" | "Running" | "Succeed" | "Failed" | "Terminating";
}

/** Spec of the Jobs that flows create. */
export interface JobTemplate {
  apiVersion: "flow.volcano.sh/v1alpha1";
  kind: "JobTemplate";
  metadata: StoredMeta;
  spec?: VolcanoJobSpec;
  status?: JobTemplateStatus;
}

export interface JobTemplateStatus {
  jobDependsOnList?: string[];
}

/** Trains with JAX: every worker is a process of `jax.distributed`. */
export interface JAXJob {
  apiVersion: "kubeflow.org/v1";
  kind: "JAXJob";
  metadata: StoredMeta;
  spec: JAXJobSpec;
  status?: CommonJobStatus;
}

export interface JAXJobSpec {
  runPolicy?: RunPolicy;
  cleanPodPolicy?: string;
  ttlSecondsAfterFinished?: number;
  activeDeadlineSeconds?: number;
  backoffLimit?: number;
  schedulerName?: string;
  jaxReplicaSpecs: Record<string, ReplicaSpec>;
}

/** Manages Jobs that form one workload. */
export interface JobSet {
  apiVersion: "jobset.x-k8s.io/v1alpha2";
  kind: "JobSet";
  metadata: StoredMeta;
  spec?: JobSetSpec;
  status?: JobSetStatus;
}

export interface JobSetStatus {
  conditions?: JobSetCondition[];
  restarts?: number;
  restartsCountTowardsMax?: number;
  terminalState?: string;
  replicatedJobsStatus?: ReplicatedJobStatus[];
  previousInPlaceRestartAttempt?: number;
  currentInPlaceRestartAttempt?: number;
}

/** Observation of one aspect of the JobSet's state. */
export interface JobSetCondition {
  type: string;
  status: "True" | "False" | "Unknown";
  observedGeneration?: number;
  lastTransitionTime: string;
  reason: string;
  message: string;
}

/** Number of Jobs of one replicated job in each state; restarts are those of individual Jobs, by index. */
export interface ReplicatedJobStatus {
  name: string;
  ready: number;
  succeeded: number;
  failed: number;
  active: number;
  suspended: number;
  jobRestarts?: number[];
  jobRestartsCountTowardsMax?: number[];
}

/** Trains with Chainer: one master, and sets of workers for ChainerMN. Its status is that of the master's Job. */
export interface ChainerJob {
  apiVersion: "kubeflow.org/v1alpha1";
  kind: "ChainerJob";
  metadata: StoredMeta;
  spec: ChainerJobSpec;
  status?: JobStatus;
}

export interface ChainerJobSpec {
  master: MasterSpec;
  backend?: string;
  workerSets?: Record<string, WorkerSetSpec>;
}

/** Pod that starts the training. A single container in its template needs no name. */
export interface MasterSpec {
  template: Record<string, unknown>;
  activeDeadlineSeconds?: number;
  backoffLimit?: number;
  mpiConfig?: MPIConfig;
}

export interface MPIConfig {
  slots?: number;
}

/** Identical pods in which the master may start processes. */
export interface WorkerSetSpec {
  template: Record<string, unknown>;
  replicas?: number;
  mpiConfig?: MPIConfig;
}

/** A file browser for one volume. */
export interface PVCViewer {
  apiVersion: "kubeflow.org/v1alpha1";
  kind: "PVCViewer";
  metadata: StoredMeta;
  spec: PVCViewerSpec;
  status?: PVCViewerStatus;
}

export interface PVCViewerSpec {
  pvc: string;
  podSpec?: Record<string, unknown>;
  networking?: ViewerNetworking;
  rwoScheduling?: boolean;
}

/** Route to the viewer. */
export interface ViewerNetworking {
  targetPort?: number | string;
  basePrefix?: string;
  rewrite?: string;
  timeout?: string;
}

/** Observed state, written by the controller. */
export interface PVCViewerStatus {
  ready?: boolean;
  url?: string;
  conditions?: Record<string, unknown>[];
}

/** Environment, volumes and other settings that pods of the namespace get by their labels. */
export interface PodDefault {
  apiVersion: "kubeflow.org/v1alpha1";
  kind: "PodDefault";
  metadata: StoredMeta;
  spec: PodDefaultSpec;
}

/** What is added to the pods that the selector matches. */
export interface PodDefaultSpec {
  selector: LabelSelector;
  desc?: string;
  env?: Record<string, unknown>[];
  envFrom?: Record<string, unknown>[];
  volumes?: Record<string, unknown>[];
  volumeMounts?: Record<string, unknown>[];
  tolerations?: Record<string, unknown>[];
  imagePullSecrets?: LocalObjectReference[];
  annotations?: Record<string, string>;
  labels?: Record<string, string>;
  serviceAccountName?: string;
  automountServiceAccountToken?: boolean;
  command?: string[];
  args?: string[];
  initContainers?: Record<string, unknown>[];
  sidecars?: Record<string, unknown>[];
}

/** Starts runs of a pipeline by a schedule. */
export interface ScheduledWorkflow {
  apiVersion: "kubeflow.org/v1beta1";
  kind: "ScheduledWorkflow";
  metadata: StoredMeta;
  spec?: ScheduledWorkflowSpec;
  status?: ScheduledWorkflowStatus;
}

export interface ScheduledWorkflowSpec {
  enabled?: boolean;
  maxConcurrency?: number;
  noCatchup?: boolean;
  maxHistory?: number;
  trigger?: ScheduleTrigger;
  workflow?: ScheduledWorkflowResource;
  experimentId?: string;
  pipelineId?: string;
  pipelineVersionId?: string;
  pipelineName?: string;
  serviceAccount?: string;
}

/** When runs start: by cron, or at intervals. */
export interface ScheduleTrigger {
  cronSchedule?: CronSchedule;
  periodicSchedule?: PeriodicSchedule;
}

export interface CronSchedule {
  startTime?: string;
  endTime?: string;
  cron?: string;
}

export interface PeriodicSchedule {
  startTime?: string;
  endTime?: string;
  intervalSecond?: number;
}

/** What each run executes. */
export interface ScheduledWorkflowResource {
  parameters?: ScheduledParameter[];
  pipelineRoot?: string;
  spec?: unknown;
}

export interface ScheduledParameter {
  name: string;
  value?: string;
}

/** Observed state, written by the controller. */
export interface ScheduledWorkflowStatus {
  conditions?: Record<string, unknown>[];
  trigger?: Record<string, unknown>;
  workflowHistory?: Record<string, unknown>;
}

/** Trains with MPI: a launcher starts processes on the workers over SSH. */
export interface V2beta1MPIJob {
  apiVersion: "kubeflow.org/v2beta1";
  kind: "MPIJob";
  metadata: StoredMeta;
  spec: V2beta1MPIJobSpec;
  status?: CommonJobStatus;
}

export interface V2beta1MPIJobSpec {
  mpiReplicaSpecs: Record<string, ReplicaSpec>;
  slotsPerWorker?: number;
  runLauncherAsWorker?: boolean;
  sshAuthMountPath?: string;
  launcherCreationPolicy?: "AtStartup" | "WaitForWorkersReady";
  mpiImplementation?: "OpenMPI" | "Intel" | "MPICH";
  runPolicy?: RunPolicy;
}

/** Trains with Apache MXNet, or tunes with TVM. MXNet is retired; jobs that use its variables still run. */
export interface MXJob {
  apiVersion: "kubeflow.org/v1";
  kind: "MXJob";
  metadata: StoredMeta;
  spec: MXJobSpec;
  status?: CommonJobStatus;
}

export interface MXJobSpec {
  runPolicy?: RunPolicy;
  cleanPodPolicy?: string;
  ttlSecondsAfterFinished?: number;
  activeDeadlineSeconds?: number;
  backoffLimit?: number;
  schedulerName?: string;
  mxReplicaSpecs: Record<string, ReplicaSpec>;
  jobMode: string;
}

/** Where VirtualServices are served. The embedded gateway serves those of kubeflow/kubeflow-gateway. */
export interface Gateway {
  apiVersion: "networking.istio.io/v1alpha3";
  kind: "Gateway";
  metadata: StoredMeta;
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
}

/** Routes from a path at the gateway to Services. */
export interface VirtualService {
  apiVersion: "networking.istio.io/v1alpha3";
  kind: "VirtualService";
  metadata: StoredMeta;
  spec?: VirtualServiceSpec;
  status?: Record<string, unknown>;
}

export interface VirtualServiceSpec {
  hosts?: string[];
  gateways?: string[];
  http?: HTTPRoute[];
}

export interface HTTPRoute {
  name?: string;
  match?: HTTPMatchRequest[];
  rewrite?: HTTPRewrite;
  headers?: Headers;
  route?: HTTPRouteDestination[];
  timeout?: string;
}

export interface HTTPMatchRequest {
  uri?: StringMatch;
}

export interface StringMatch {
  exact?: string;
  prefix?: string;
  regex?: string;
}

export interface HTTPRewrite {
  uri?: string;
  authority?: string;
}

export interface Headers {
  request?: HeaderOperations;
  response?: HeaderOperations;
}

export interface HeaderOperations {
  set?: Record<string, string>;
  add?: Record<string, string>;
  remove?: string[];
}

export interface HTTPRouteDestination {
  destination: Destination;
  weight?: number;
}

export interface Destination {
  host: string;
  port?: PortSelector;
  subset?: string;
}

export interface PortSelector {
  number?: number;
}

/** An Ingress: hosts and paths, and the Services that answer them. */
export interface Ingress {
  apiVersion: "networking.k8s.io/v1";
  kind: "Ingress";
  metadata: StoredMeta;
  spec?: IngressSpec;
}

export interface IngressSpec {
  ingressClassName?: string;
  defaultBackend?: IngressBackend;
  rules?: IngressRule[];
}

export interface IngressBackend {
  service?: IngressServiceBackend;
}

export interface IngressServiceBackend {
  name?: string;
  port?: ServiceBackendPort;
}

export interface ServiceBackendPort {
  name?: string;
  number?: number;
}

export interface IngressRule {
  host?: string;
  http?: HTTPIngressRuleValue;
}

export interface HTTPIngressRuleValue {
  paths?: HTTPIngressPath[];
}

export interface HTTPIngressPath {
  path?: string;
  pathType?: string;
  backend?: IngressBackend;
}

/** NUMA nodes, CPUs and devices of the node with this name. */
export interface Numatopology {
  apiVersion: "nodeinfo.volcano.sh/v1alpha1";
  kind: "Numatopology";
  metadata: StoredMeta;
  spec?: NumatopologySpec;
}

export interface NumatopologySpec {
  policies?: Record<string, string>;
  resReserved?: Record<string, string>;
  numares?: Record<string, ResourceInfo>;
  cpuDetail?: Record<string, CpuInfo>;
  gpuDetail?: Record<string, GpuInfo>;
}

export interface ResourceInfo {
  allocatable?: string;
  capacity?: number;
}

export interface CpuInfo {
  numa?: number;
  socket?: number;
  core?: number;
}

export interface GpuInfo {
  numa?: number;
  busID?: string;
  deviceModel?: string;
}

/** Trains with PaddlePaddle. */
export interface PaddleJob {
  apiVersion: "kubeflow.org/v1";
  kind: "PaddleJob";
  metadata: StoredMeta;
  spec: PaddleJobSpec;
  status?: CommonJobStatus;
}

export interface PaddleJobSpec {
  runPolicy?: RunPolicy;
  cleanPodPolicy?: string;
  ttlSecondsAfterFinished?: number;
  activeDeadlineSeconds?: number;
  backoffLimit?: number;
  schedulerName?: string;
  paddleReplicaSpecs: Record<string, ReplicaSpec>;
  elasticPolicy?: ElasticPolicy;
}

/** Bounds and autoscaling of the number of workers. */
export interface ElasticPolicy {
  minReplicas?: number;
  maxReplicas?: number;
  maxRestarts?: number;
  metrics?: Record<string, unknown>[];
}

/** A named pipeline; its definition is in its versions. */
export interface Pipeline {
  apiVersion: "pipelines.kubeflow.org/v2beta1";
  kind: "Pipeline";
  metadata: StoredMeta;
  spec?: PipelineSpec;
  status?: PipelineStatus;
}

export interface PipelineSpec {
  displayName?: string;
  description?: string;
  tags?: Record<string, string>;
}

/** Observed state, written by the controller. */
export interface PipelineStatus {
  conditions?: Condition[];
}

/** One version of a pipeline. */
export interface PipelineVersion {
  apiVersion: "pipelines.kubeflow.org/v2beta1";
  kind: "PipelineVersion";
  metadata: StoredMeta;
  spec?: PipelineVersionSpec;
  status?: PipelineStatus;
}

/** The definition of a pipeline. It never changes. */
export interface PipelineVersionSpec {
  pipelineName?: string;
  versionName?: string;
  displayName?: string;
  description?: string;
  codeSourceURL?: string;
  pipelineSpec?: Record<string, unknown>;
  platformSpec?: Record<string, unknown>;
  tags?: Record<string, string>;
}

/** A PodDisruptionBudget: how many of the selected pods must stay available, or may be unavailable. */
export interface PodDisruptionBudget {
  apiVersion: "policy/v1";
  kind: "PodDisruptionBudget";
  metadata: StoredMeta;
  spec?: PodDisruptionBudgetSpec;
  status?: PodDisruptionBudgetStatus;
}

export interface PodDisruptionBudgetSpec {
  minAvailable?: number | string;
  maxUnavailable?: number | string;
  selector?: LabelSelector;
  unhealthyPodEvictionPolicy?: string;
}

export interface PodDisruptionBudgetStatus {
  observedGeneration?: number;
  disruptedPods?: Record<string, string>;
  disruptionsAllowed?: number;
  currentHealthy?: number;
  desiredHealthy?: number;
  expectedPods?: number;
  conditions?: Condition[];
}

/** Trains with PyTorch, distributed by `torch.distributed`. */
export interface PyTorchJob {
  apiVersion: "kubeflow.org/v1";
  kind: "PyTorchJob";
  metadata: StoredMeta;
  spec: PyTorchJobSpec;
  status?: CommonJobStatus;
}

export interface PyTorchJobSpec {
  runPolicy?: RunPolicy;
  cleanPodPolicy?: string;
  ttlSecondsAfterFinished?: number;
  activeDeadlineSeconds?: number;
  backoffLimit?: number;
  schedulerName?: string;
  pytorchReplicaSpecs: Record<string, ReplicaSpec>;
  nprocPerNode?: string;
  elasticPolicy?: TorchElasticPolicy;
}

/** Elastic policy with the rendezvous settings of torchrun. */
export interface TorchElasticPolicy {
  minReplicas?: number;
  maxReplicas?: number;
  maxRestarts?: number;
  metrics?: Record<string, unknown>[];
  rdzvBackend?: string;
  rdzvPort?: number;
  rdzvHost?: string;
  rdzvId?: string;
  rdzvConf?: RendezvousSetting[];
  standalone?: boolean;
  nProcPerNode?: number;
}

export interface RendezvousSetting {
  key?: string;
  value?: string;
}

/** A ClusterRole: permissions in the whole cluster. */
export interface ClusterRole {
  apiVersion: "rbac.authorization.k8s.io/v1";
  kind: "ClusterRole";
  metadata: StoredMeta;
  rules?: PolicyRule[];
  aggregationRule?: AggregationRule;
}

export interface PolicyRule {
  verbs?: string[];
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
}

export interface AggregationRule {
  clusterRoleSelectors?: LabelSelector[];
}

/** A ClusterRoleBinding: grants a role in the whole cluster. */
export interface ClusterRoleBinding {
  apiVersion: "rbac.authorization.k8s.io/v1";
  kind: "ClusterRoleBinding";
  metadata: StoredMeta;
  roleRef?: RoleRef;
  subjects?: Subject[];
}

export interface RoleRef {
  apiGroup?: string;
  kind?: string;
  name?: string;
}

export interface Subject {
  kind?: string;
  name?: string;
  apiGroup?: string;
  namespace?: string;
}

/** A Role: permissions in one namespace. */
export interface Role {
  apiVersion: "rbac.authorization.k8s.io/v1";
  kind: "Role";
  metadata: StoredMeta;
  rules?: PolicyRule[];
}

/** A RoleBinding: grants a role in one namespace. */
export interface RoleBinding {
  apiVersion: "rbac.authorization.k8s.io/v1";
  kind: "RoleBinding";
  metadata: StoredMeta;
  roleRef?: RoleRef;
  subjects?: Subject[];
}

/** Group of pods that start together or not at all. */
export interface CoschedulingPodGroup {
  apiVersion: "scheduling.x-k8s.io/v1alpha1";
  kind: "PodGroup";
  metadata: StoredMeta;
  spec?: CoschedulingPodGroupSpec;
  status?: CoschedulingPodGroupStatus;
}

export interface CoschedulingPodGroupSpec {
  minMember?: number;
  minResources?: Record<string, number | string>;
  scheduleTimeoutSeconds?: number;
}

export interface CoschedulingPodGroupStatus {
  phase?: "Pending" | "PreScheduling" | "Scheduling" | "Scheduled" | "Running" | "Unknown" | "Finished" | "Failed";
  occupiedBy?: string;
  scheduled?: number;
  running?: number;
  succeeded?: number;
  failed?: number;
  scheduleStartTime?: string;
}

/** Group of pods that start together or not at all. */
export interface KubeBatchPodGroup {
  apiVersion: "scheduling.incubator.k8s.io/v1alpha1";
  kind: "PodGroup";
  metadata: StoredMeta;
  spec?: KubeBatchPodGroupSpec;
  status?: KubeBatchPodGroupStatus;
}

export interface KubeBatchPodGroupSpec {
  minMember?: number;
  queue?: string;
  priorityClassName?: string;
}

export interface KubeBatchPodGroupStatus {
  phase?: "Pending" | "Running" | "Unknown";
  conditions?: KubeBatchPodGroupCondition[];
  running?: number;
  succeeded?: number;
  failed?: number;
}

export interface KubeBatchPodGroupCondition {
  type?: string;
  status?: string;
  transitionID?: string;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

/** Share of the cluster for which PodGroups wait in line. */
export interface KubeBatchQueue {
  apiVersion: "scheduling.incubator.k8s.io/v1alpha1";
  kind: "Queue";
  metadata: StoredMeta;
  spec?: KubeBatchQueueSpec;
  status?: KubeBatchQueueStatus;
}

export interface KubeBatchQueueSpec {
  weight?: number;
  capability?: Record<string, number | string>;
}

export interface KubeBatchQueueStatus {
  unknown?: number;
  pending?: number;
  running?: number;
}

/** A PriorityClass: a named priority. */
export interface PriorityClass {
  apiVersion: "scheduling.k8s.io/v1";
  kind: "PriorityClass";
  metadata: StoredMeta;
  value?: number;
  globalDefault?: boolean;
  preemptionPolicy?: string;
}

/** Who may reach the workloads of a namespace. */
export interface AuthorizationPolicy {
  apiVersion: "security.istio.io/v1beta1";
  kind: "AuthorizationPolicy";
  metadata: StoredMeta;
  spec?: AuthorizationPolicySpec;
  status?: Record<string, unknown>;
}

export interface AuthorizationPolicySpec {
  selector?: LabelSelector;
  action?: string;
  rules?: Rule[];
}

/** Matches a request by its source, operation and further conditions; an absent part matches everything. */
export interface Rule {
  from?: RuleFrom[];
  to?: RuleTo[];
  when?: IstioSecurityCondition[];
}

export interface RuleFrom {
  source?: Source;
}

/** Attributes of the caller, all of which must match. */
export interface Source {
  principals?: string[];
  notPrincipals?: string[];
  requestPrincipals?: string[];
  notRequestPrincipals?: string[];
  namespaces?: string[];
  notNamespaces?: string[];
  serviceAccounts?: string[];
  notServiceAccounts?: string[];
  ipBlocks?: string[];
  notIpBlocks?: string[];
  remoteIpBlocks?: string[];
  notRemoteIpBlocks?: string[];
}

export interface RuleTo {
  operation?: Operation;
}

/** Attributes of the request, all of which must match. */
export interface Operation {
  hosts?: string[];
  notHosts?: string[];
  ports?: string[];
  notPorts?: string[];
  methods?: string[];
  notMethods?: string[];
  paths?: string[];
  notPaths?: string[];
}

export interface IstioSecurityCondition {
  key: string;
  values?: string[];
  notValues?: string[];
}

/** Issuers of tokens that a workload accepts. */
export interface RequestAuthentication {
  apiVersion: "security.istio.io/v1beta1";
  kind: "RequestAuthentication";
  metadata: StoredMeta;
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
}

/** A user's request for a snapshot of a claim's volume. */
export interface VolumeSnapshot {
  apiVersion: "snapshot.storage.k8s.io/v1";
  kind: "VolumeSnapshot";
  metadata: StoredMeta;
  spec: VolumeSnapshotSpec;
  status?: VolumeSnapshotStatus;
}

export interface VolumeSnapshotSpec {
  source: VolumeSnapshotSource;
  volumeSnapshotClassName?: string;
}

/** Exactly one of: a claim of the namespace to take a snapshot of, or existing content to bind to. */
export interface VolumeSnapshotSource {
  persistentVolumeClaimName?: string;
  volumeSnapshotContentName?: string;
}

/** Observed state, written by the controller. */
export interface VolumeSnapshotStatus {
  boundVolumeSnapshotContentName?: string;
  creationTime?: string;
  readyToUse?: boolean;
  restoreSize?: string;
  error?: SnapshotError;
}

/** The last error, until a later attempt succeeds. */
export interface SnapshotError {
  time?: string;
  message?: string;
}

/** How a driver takes snapshots, and whether they are deleted with their VolumeSnapshot. */
export interface VolumeSnapshotClass {
  apiVersion: "snapshot.storage.k8s.io/v1";
  kind: "VolumeSnapshotClass";
  metadata: StoredMeta;
  driver: string;
  deletionPolicy: "Delete" | "Retain";
  parameters?: Record<string, string>;
}

/** A snapshot as its driver keeps it. */
export interface VolumeSnapshotContent {
  apiVersion: "snapshot.storage.k8s.io/v1";
  kind: "VolumeSnapshotContent";
  metadata: StoredMeta;
  spec: VolumeSnapshotContentSpec;
  status?: VolumeSnapshotContentStatus;
}

export interface VolumeSnapshotContentSpec {
  deletionPolicy: "Delete" | "Retain";
  driver: string;
  source: VolumeSnapshotContentSource;
  volumeSnapshotRef: SnapshotReference;
  sourceVolumeMode?: string;
  volumeSnapshotClassName?: string;
}

/** Exactly one of: the volume to take a snapshot of, or an existing snapshot. */
export interface VolumeSnapshotContentSource {
  volumeHandle?: string;
  snapshotHandle?: string;
}

export interface SnapshotReference {
  apiVersion?: string;
  kind?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  resourceVersion?: string;
  fieldPath?: string;
}

/** Observed state, written by the driver: sizes in bytes, the time in nanoseconds since 1970. */
export interface VolumeSnapshotContentStatus {
  creationTime?: number;
  readyToUse?: boolean;
  restoreSize?: number;
  snapshotHandle?: string;
  error?: SnapshotError;
}

/** A CSIDriver: capabilities of a volume driver. */
export interface CSIDriver {
  apiVersion: "storage.k8s.io/v1";
  kind: "CSIDriver";
  metadata: StoredMeta;
  spec?: Record<string, unknown>;
}

/** A StorageClass: a class of volumes and its provisioner. */
export interface StorageClass {
  apiVersion: "storage.k8s.io/v1";
  kind: "StorageClass";
  metadata: StoredMeta;
  provisioner?: string;
  parameters?: Record<string, string>;
  reclaimPolicy?: string;
  mountOptions?: string[];
  allowVolumeExpansion?: boolean;
  volumeBindingMode?: string;
  allowedTopologies?: Record<string, unknown>[];
}

/** A TensorBoard server over a volume or an object store. */
export interface Tensorboard {
  apiVersion: "tensorboard.kubeflow.org/v1alpha1";
  kind: "Tensorboard";
  metadata: StoredMeta;
  spec: TensorboardSpec;
  status?: TensorboardStatus;
}

export interface TensorboardSpec {
  logspath: string;
}

/** Observed state, written by the controller: both fields, also where they are empty. */
export interface TensorboardStatus {
  conditions?: TensorboardCondition[];
  readyReplicas?: number;
}

/** One state of the Deployment, and when it was observed. */
export interface TensorboardCondition {
  deploymentState: "Available" | "Progressing" | "ReplicaFailure";
  lastProbeTime?: string;
}

/** Trains with TensorFlow, distributed by any of its strategies. */
export interface TFJob {
  apiVersion: "kubeflow.org/v1";
  kind: "TFJob";
  metadata: StoredMeta;
  spec: TFJobSpec;
  status?: CommonJobStatus;
}

export interface TFJobSpec {
  runPolicy?: RunPolicy;
  cleanPodPolicy?: string;
  ttlSecondsAfterFinished?: number;
  activeDeadlineSeconds?: number;
  backoffLimit?: number;
  schedulerName?: string;
  tfReplicaSpecs: Record<string, ReplicaSpec>;
  successPolicy?: string;
  enableDynamicWorker?: boolean;
}

/** Set of nodes, or of lower-tier hypernodes, that share a part of the network. */
export interface HyperNode {
  apiVersion: "topology.volcano.sh/v1alpha1";
  kind: "HyperNode";
  metadata: StoredMeta;
  spec: HyperNodeSpec;
  status?: HyperNodeStatus;
}

/** Members of a hypernode and their distance: members of a lower `tier` are closer to each other. */
export interface HyperNodeSpec {
  tier: number;
  tierName?: string;
  members?: MemberSpec[];
}

export interface MemberSpec {
  type: "Node" | "HyperNode";
  selector?: MemberSelector;
}

/** Selects nodes or hypernodes. Exactly one of the three selectors is set; labels select nodes only. */
export interface MemberSelector {
  exactMatch?: ExactMatch;
  regexMatch?: RegexMatch;
  labelMatch?: LabelSelector;
}

export interface ExactMatch {
  name?: string;
}

export interface RegexMatch {
  pattern?: string;
}

export interface HyperNodeStatus {
  conditions?: Condition[];
  nodeCount?: number;
}

/** Trains with XGBoost or LightGBM; the master is rank 0 and runs the tracker. */
export interface XGBoostJob {
  apiVersion: "kubeflow.org/v1";
  kind: "XGBoostJob";
  metadata: StoredMeta;
  spec: XGBoostJobSpec;
  status?: CommonJobStatus;
}

export interface XGBoostJobSpec {
  runPolicy?: RunPolicy;
  cleanPodPolicy?: string;
  ttlSecondsAfterFinished?: number;
  activeDeadlineSeconds?: number;
  backoffLimit?: number;
  schedulerName?: string;
  xgbReplicaSpecs: Record<string, ReplicaSpec>;
}

/** What is free is reserved for gangs that have waited longer. */
export interface KeptForOthers {
  type: "KeptForOthers";
  kept: Kept[];
}

/** Nodes that are reserved for a gang; with a `queue`, the whole share of that queue is. */
export interface Kept {
  gang: string;
  nodes?: number;
  queue?: string;
  until?: string;
}

/** No hyper node, up to the highest `tier` that the gang allows, has room for all its pods. */
export interface NoHyperNode {
  type: "NoHyperNode";
  pods: number;
  tier?: string;
}

/** Too few groups of a subGroupPolicy have room. */
export interface SubGroupsIncomplete {
  type: "SubGroupsIncomplete";
  policy: string;
  have: number;
  need: number;
  size: number;
}

/** The cluster has too little for the gang to be admitted. */
export interface ClusterInsufficient {
  type: "ClusterInsufficient";
  shortages: Shortage[];
}

/** A resource of which there is too little. `counted` says how `free` was counted where that is not obvious. */
export interface Shortage {
  resource: string;
  requested: string;
  free: string;
  counted?: Overcommit;
}

/** How the overcommit plugin counts what is left: factor x total - in use - claimed + preemptable. */
export interface Overcommit {
  factor: number;
  total: string;
  inUse?: string;
  claimed?: string;
  preemptable?: string;
}

/** The queue has too little for the gang to be admitted, though the cluster may have enough. */
export interface QueueInsufficient {
  type: "QueueInsufficient";
  queue: string;
  shortages: Shortage[];
}

/** A ResourceQuota of the namespace has too little. */
export interface QuotaInsufficient {
  type: "QuotaInsufficient";
  quota: string;
  resources: string[];
}

/** Only queues without children take jobs. */
export interface QueueHasChildren {
  type: "QueueHasChildren";
  queue: string;
}

/** A scheduler extender has not answered yet. */
export interface ExtenderPending {
  type: "ExtenderPending";
}

/** A scheduler extender does not admit the gang. */
export interface ExtenderRefused {
  type: "ExtenderRefused";
  url: string;
}

/** A plugin does not admit the gang, and does not say why. */
export interface NotAllowed {
  type: "NotAllowed";
}

/** The cluster has no nodes. */
export interface NoNodes {
  type: "NoNodes";
}

/** No node fits, because of the pod itself: a claim that does not exist, a field that is not supported. */
export interface PodUnfit {
  type: "PodUnfit";
  nodes: number;
  cause: NodeCause;
}

/** Why a node does not fit a pod. */
export interface NodeCause {
  code: string;
  subject?: string;
  detail?: string;
}

/** No node fits. A node counts once for each of its causes; `other` is what stands in the way besides. */
export interface NodesUnfit {
  type: "NodesUnfit";
  nodes: number;
  counts?: NodeCount[];
  other?: KeptForOthers | NoHyperNode | SubGroupsIncomplete;
}

/** How many nodes do not fit for one cause. */
export interface NodeCount {
  nodes: number;
  cause: NodeCause;
}

/** A pod has a node, and its gang is not complete yet. */
export interface GangPending {
  type: "GangPending";
  pod: string;
  node: string;
}

/** A pod has a node on which others still terminate: some of them, and how many `more`. */
export interface ReleasePending {
  type: "ReleasePending";
  pod: string;
  node: string;
  terminating?: Terminating[];
  more?: number;
}

/** A pod that releases what another waits for. */
export interface Terminating {
  pod: string;
  preempted?: boolean;
}

/** The queue takes no pods now. */
export interface QueueClosed {
  type: "QueueClosed";
  queue: string;
}

/** The queue has its share, and others wait for theirs. */
export interface QueueOverShare {
  type: "QueueOverShare";
  queue: string;
}

/** The queue would exceed its limit; without `limits`, it or a queue above it would. */
export interface QueueOverLimit {
  type: "QueueOverLimit";
  queue: string;
  limits?: LimitExceeded[];
}

/** A resource of which a queue would have more than its limit. */
export interface LimitExceeded {
  resource: string;
  withIt: string;
  limit: string;
}

/** A pod waits for its scheduling gates to be removed. */
export interface SchedulingGated {
  type: "SchedulingGated";
  gates: string[];
}

/** The gang was preempted, and its successor starts first. */
export interface MadeRoomFor {
  type: "MadeRoomFor";
  gang: string;
}

/** The pod's preemptionPolicy is Never. */
export interface PreemptionDisabled {
  type: "PreemptionDisabled";
}

/** Pods that were preempted for the pod are still terminating on its nominated node. */
export interface PreemptionPending {
  type: "PreemptionPending";
}

/** Preemption would not make room on any node. */
export interface PreemptionUnhelpful {
  type: "PreemptionUnhelpful";
  nodes: number;
  counts?: NodeCount[];
}

/** Not enough pods of an admitted gang find a node. `origin` is why, for `pod` where that is a single one. */
export interface GangUnschedulable {
  type: "GangUnschedulable";
  needed: number;
  tasks: number;
  pending: number;
  unschedulable: number;
  minAvailable: number;
  origin?: NoNodes | PodUnfit | NodesUnfit | GangPending | ReleasePending | QueueClosed | QueueOverShare | QueueOverLimit | SchedulingGated | MadeRoomFor;
  pod?: string;
}

/** The queue does not admit the gang. */
export interface GangNotAdmitted {
  type: "GangNotAdmitted";
  refusals: (ClusterInsufficient | QueueInsufficient | QuotaInsufficient | QueueHasChildren | ExtenderPending | ExtenderRefused | NotAllowed)[];
  pods?: number;
  minAvailable?: number;
}

/** The gang has fewer pods than its minimum. */
export interface GangIncomplete {
  type: "GangIncomplete";
  have: number;
  need: number;
}

/** A task of the gang has fewer pods than its minimum. */
export interface TasksIncomplete {
  type: "TasksIncomplete";
}

/** Topic `jobs {namespace}`; an empty namespace means all that the user may list. */
export interface JobsView {
  rows: JobRow[];
  kinds: string[];
}

/** A training job in a table. */
export interface JobRow {
  kind: string;
  apiVersion: string;
  namespace: string;
  name: string;
  uid: string;
  framework: string;
  state: "Pending" | "Waiting" | "Running" | "Restarting" | "Suspended" | "Succeeded" | "Failed" | "Terminating" | "Unknown";
  why: Why | null;
  ready: number;
  total: number;
  roles: RoleCount[];
  gang: GangSummary | null;
  queue: string;
  priorityClass: string;
  priority: number;
  created: string;
  started: string | null;
  ended: string | null;
  durationSeconds: number | null;
  metric: MetricValue | null;
  restarts: number;
}

/** Why something is not well, or what it waits for. The same words as `windlass explain`. */
export interface Why {
  code: string;
  sentence: string;
  reason: NoNodes | PodUnfit | NodesUnfit | GangPending | ReleasePending | QueueClosed | QueueOverShare | QueueOverLimit | SchedulingGated | MadeRoomFor | ClusterInsufficient | QueueInsufficient | QuotaInsufficient | QueueHasChildren | ExtenderPending | ExtenderRefused | NotAllowed | KeptForOthers | NoHyperNode | SubGroupsIncomplete | GangUnschedulable | GangNotAdmitted | GangIncomplete | TasksIncomplete | PreemptionDisabled | PreemptionPending | PreemptionUnhelpful | null;
  details: Record<string, string>;
  fixes: Fix[];
}

/** Something that a person can do about a reason. */
export interface Fix {
  code: string;
  cause: string;
  subject: string;
  text: string;
  command: string;
  link: string;
}

/** The replicas of one role. */
export interface RoleCount {
  role: string;
  ready: number;
  failed: number;
  total: number;
}

/** The PodGroup of a job. */
export interface GangSummary {
  name: string;
  minMember: number;
  phase: string;
}

/** The newest value of a metric that the job reported. */
export interface MetricValue {
  name: string;
  value: number;
  step: number | null;
}

/** Topic `job {kind, namespace, name}`. */
export interface JobView {
  row: JobRow;
  sentence: string;
  stages: Stage[];
  conditions: ConditionRow[];
  replicas: ReplicaRow[];
  gang: GangState | null;
  events: EventRow[];
  related: RelatedObject[];
  commands: PartsCommand[];
  canSuspend: boolean;
  isSuspended: boolean;
}

/** A part of a job's life: created → admitted → scheduled → running → ended. */
export interface Stage {
  name: "created" | "admitted" | "scheduled" | "running" | "ended";
  state: "done" | "current" | "ahead";
  at: string | null;
  seconds: number | null;
}

/** A condition of the job, the oldest first. */
export interface ConditionRow {
  type: string;
  status: string;
  reason: string;
  message: string;
  at: string | null;
}

/** A replica of the job: a cell of the grid. One that has no pod yet has an empty `pod`. */
export interface ReplicaRow {
  role: string;
  index: number;
  name: string;
  pod: string;
  uid: string;
  node: string;
  phase: string;
  ready: boolean;
  restarts: number;
  exitCode: number | null;
  why: Why | null;
  container: string;
  started: string | null;
  ended: string | null;
  usage: Usage;
}

/** CPU and memory that are in use now; None where nothing measures them. */
export interface Usage {
  cpuCores: number | null;
  memoryBytes: number | null;
}

/** The PodGroup of the job. */
export interface GangState {
  object: ObjectRef;
  minMember: number;
  phase: string;
  queue: string;
  running: number;
  succeeded: number;
  failed: number;
  explanation: Explanation | null;
}

/** Names an object of the API. */
export interface ObjectRef {
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
  uid: string;
}

/** The answer of `windlass explain`. Names of objects that the user may not see are left out. */
export interface Explanation {
  state: "Waiting" | "Running" | "Finished";
  sentence: string;
  reason: NoNodes | PodUnfit | NodesUnfit | GangPending | ReleasePending | QueueClosed | QueueOverShare | QueueOverLimit | SchedulingGated | MadeRoomFor | ClusterInsufficient | QueueInsufficient | QuotaInsufficient | QueueHasChildren | ExtenderPending | ExtenderRefused | NotAllowed | KeptForOthers | NoHyperNode | SubGroupsIncomplete | GangUnschedulable | GangNotAdmitted | GangIncomplete | TasksIncomplete | PreemptionDisabled | PreemptionPending | PreemptionUnhelpful | null;
  notes: string[];
  place: QueuePlace | null;
  needs: ResourceNeed[];
  shapes: PodShape[];
  holders: Holder[];
  holdersEvicted: boolean;
  noRoom: NoRoom | null;
  start: Start | null;
  summary: string;
  fixes: Fix[];
}

/** The place in the line of those that wait in a queue. */
export interface QueuePlace {
  queue: string;
  position: number;
  length: number;
  before: string[];
  hiddenBefore: number;
}

/** One resource: what all pods that still need a node ask for, and what is free for them. */
export interface ResourceNeed {
  resource: string;
  asked: Amount;
  largestPod: Amount;
  free: Amount;
  largestFree: Amount;
  total: Amount;
  isShort: boolean;
}

/** An amount of one resource, for reading and for drawing. */
export interface Amount {
  text: string;
  value: number;
}

/** Pods of a role that still need a node, and what the nodes answer to one of them. */
export interface PodShape {
  role: string;
  pods: number;
  asks: Record<string, Amount>;
  answers: NodesAnswer[];
}

/** Nodes that are alike for a pod: `room` for so many pods, or the causes why there is none. */
export interface NodesAnswer {
  nodes: number;
  names: string[];
  room: number;
  causes: string[];
}

/** A job that holds what is needed, and would have to end, or will be evicted. */
export interface Holder {
  name: string;
  kind: string;
  pods: number;
  of: number;
  priority: number;
  queue: string;
  nodes: string[];
}

/** Why nothing has to end, or nothing that ends would make room. */
export interface NoRoom {
  code: "FreeRoom" | "NoRoom" | "";
  reason: NoNodes | PodUnfit | NodesUnfit | GangPending | ReleasePending | QueueClosed | QueueOverShare | QueueOverLimit | SchedulingGated | MadeRoomFor | ClusterInsufficient | QueueInsufficient | QuotaInsufficient | QueueHasChildren | ExtenderPending | ExtenderRefused | NotAllowed | KeptForOthers | NoHyperNode | SubGroupsIncomplete | GangUnschedulable | GangNotAdmitted | GangIncomplete | TasksIncomplete | PreemptionDisabled | PreemptionPending | PreemptionUnhelpful | null;
  text: string;
}

/** When and where the gang would start. */
export interface Start {
  afterSeconds: number | null;
  at: string | null;
  by: "reservation" | "forecast";
  nodes: Record<string, number>;
  sentence: string;
  assumptions: Assumption[];
}

/** What a forecast takes for granted, such as when pods that run end. */
export interface Assumption {
  code: string;
  count: number;
  subject: string;
  text: string;
}

/** An event, or several that are alike. */
export interface EventRow {
  object: ObjectRef;
  type: string;
  reason: string;
  message: string;
  count: number;
  first: string;
  last: string;
  source: string;
}

/** An object that belongs to the job or that its pods use. */
export interface RelatedObject {
  object: ObjectRef;
  role: "gang" | "service" | "claim" | "tensorboard" | "config" | "owner" | "child";
  state: string;
  link: string;
}

/** A command line that does the same as a button or a page. */
export interface PartsCommand {
  action: string;
  tool: "kubectl" | "windlass" | "python";
  line: string;
}

/** Topic `queues {}`. */
export interface QueuesView {
  queues: QueueRow[];
  nodes: NodeRow[];
  resources: string[];
}

/** A queue; children follow their parent. */
export interface QueueRow {
  name: string;
  parent: string;
  depth: number;
  state: string;
  weight: number;
  reclaimable: boolean;
  resources: QueueResource[];
  running: number;
  pending: number;
  inqueue: number;
  completed: number;
  waiting: WaitingGang[];
  hiddenWaiting: number;
}

/** One resource of a queue, on one scale; None where the queue says nothing of it. */
export interface QueueResource {
  resource: string;
  allocated: Amount;
  deserved: Amount | null;
  guarantee: Amount | null;
  capability: Amount | null;
  lent: Amount;
  borrowed: Amount;
}

/** A gang that waits in a queue. */
export interface WaitingGang {
  position: number;
  namespace: string;
  name: string;
  kind: string;
  job: string;
  phase: string;
  minMember: number;
  priority: number;
  since: string;
  waitedSeconds: number;
  why: Why | null;
}

/** A node. */
export interface NodeRow {
  name: string;
  ready: boolean;
  schedulable: boolean;
  pods: number;
  resources: NodeResource[];
}

/** One resource of a node. `used` is what its pods request. */
export interface NodeResource {
  resource: string;
  allocatable: Amount;
  used: Amount;
  free: Amount;
}

/** Topic `timeline {}`. */
export interface TimelineView {
  now: string;
  start: string;
  end: string;
  nodes: TimelineNode[];
  gangs: TimelineGang[];
  blocks: Block[];
  assumptions: Assumption[];
  waitingWithoutForecast: string[];
}

/** A row of the chart. */
export interface TimelineNode {
  name: string;
  lanes: number;
}

/** A gang, or a pod that is of none. Blocks refer to it by `id`. */
export interface TimelineGang {
  id: string;
  namespace: string;
  name: string;
  kind: string;
  job: string;
  queue: string;
  isOwn: boolean;
}

/** Pods of one gang on one node for some time. */
export interface Block {
  gang: string;
  node: string;
  start: string;
  end: string;
  state: "past" | "running" | "forecast";
  pods: number;
  share: number;
  lane: number;
}

/** Topic `home {namespace}`. */
export interface HomeView {
  namespace: string;
  jobs: JobRow[];
  notebooks: NotebookRow[];
  tensorboards: TensorboardRow[];
  attention: AttentionItem[];
  quotas: QuotaRow[];
  capacity: CapacityRow[];
  recentFiles: RecentFile[];
  recentJobs: RecentJob[];
}

/** A notebook server. */
export interface NotebookRow {
  name: string;
  namespace: string;
  uid: string;
  serverType: string;
  age: string | null;
  last_activity: string;
  image: string;
  shortImage: string;
  cpu: string;
  memory: string;
  gpus: Gpus;
  volumes: string[];
  claims: string[];
  status: PhaseStatus;
  link: string;
  pod: string;
  node: string;
  stopsInSeconds: number | null;
  idleSeconds: number | null;
  usage: Usage;
  why: Why | null;
  metadata: Record<string, unknown>;
}

/** GPUs of a notebook over all vendors. */
export interface Gpus {
  count: number;
  message: string;
}

/** As the web apps' lists have it. */
export interface PhaseStatus {
  phase: "ready" | "waiting" | "warning" | "error" | "uninitialized" | "unavailable" | "terminating" | "stopped";
  message: string;
  state: string;
}

/** A TensorBoard. */
export interface TensorboardRow {
  name: string;
  namespace: string;
  uid: string;
  logspath: string;
  claim: string;
  age: string | null;
  status: PhaseStatus;
  link: string;
  usage: Usage;
  why: Why | null;
}

/** An object that is not well: its newest warning, or its state. */
export interface AttentionItem {
  object: ObjectRef;
  why: Why;
  count: number;
  last: string;
  link: string;
}

/** One resource of a ResourceQuota. */
export interface QuotaRow {
  quota: string;
  resource: string;
  hard: Amount;
  used: Amount;
}

/** One resource of the cluster: cpu, memory, GPUs, disk. */
export interface CapacityRow {
  resource: string;
  total: Amount;
  requested: Amount;
  inUse: Amount | null;
  free: Amount;
  users: CapacityUser[];
}

/** What holds a part of a resource. */
export interface CapacityUser {
  namespace: string;
  kind: string;
  name: string;
  amount: Amount;
}

/** A notebook file that was changed lately. */
export interface RecentFile {
  server: string;
  path: string;
  name: string;
  modified: string;
  link: string;
}

/** A job with the newest values of its loss, or of the metric that it reports first. */
export interface RecentJob {
  row: JobRow;
  metric: string;
  values: number[];
}

/** Topic `cluster {}`: only for administrators. */
export interface ClusterView {
  version: string;
  uptimeSeconds: number | null;
  components: ComponentRow[];
  directories: Directory[];
  diskFreeBytes: number | null;
  latencies: Latency[];
  nodes: ClusterNode[];
  users: UserRow[];
  sessions: SessionRow[];
  lastBackup: Backup | null;
  backupRefusal: string;
  maxBackups: number;
  notes: string[];
}

/** A process of Windlass, or a component that runs inside one. */
export interface ComponentRow {
  name: string;
  state: "ok" | "degraded" | "down" | "unknown";
  message: string;
  version: string;
  pid: number | null;
  memoryBytes: number | null;
  cpuSeconds: number | null;
  started: string | null;
  restarts: number | null;
}

/** A directory of the data dir. */
export interface Directory {
  name: string;
  path: string;
  bytes: number;
}

/** How long requests of one verb took, as the API server counts. */
export interface Latency {
  verb: string;
  requests: number;
  p50Seconds: number | null;
  p90Seconds: number | null;
  p99Seconds: number | null;
}

/** A node with what is requested on it and what is in use. */
export interface ClusterNode {
  row: NodeRow;
  version: string;
  os: string;
  usage: Usage;
  conditions: string[];
}

/** A user of the gateway. */
export interface UserRow {
  email: string;
  name: string;
  groups: string[];
  source: string;
  sessions: number;
  lastSeen: string | null;
}

/** An open session. */
export interface SessionRow {
  id: string;
  user: string;
  address: string;
  userAgent: string;
  created: string;
  lastUsed: string;
  expires: string;
}

/** The newest backup. */
export interface Backup {
  path: string;
  at: string;
  bytes: number;
}

/** Topic `notebooks {namespace}`. */
export interface NotebooksView {
  rows: NotebookRow[];
}

/** Topic `tensorboards {namespace}`. */
export interface TensorboardsView {
  rows: TensorboardRow[];
}

/** Topic `volumes {namespace}`. */
export interface VolumesView {
  rows: VolumeRow[];
}

/** A claim. */
export interface VolumeRow {
  name: string;
  namespace: string;
  uid: string;
  status: PhaseStatus;
  age: string | null;
  capacity: string;
  capacityBytes: number;
  modes: string[];
  class: string | null;
  notebooks: string[];
  viewer: Viewer;
  usedBytes: number | null;
  usedAt: string | null;
  consumers: ObjectRef[];
  isOrphan: boolean;
  why: Why | null;
}

/** The file browser of a claim. */
export interface Viewer {
  status: "ready" | "waiting" | "warning" | "error" | "uninitialized" | "unavailable" | "terminating" | "stopped";
  url: string | null;
}

/** Topic `tree {group, version, resource, namespace, name}`. */
export interface ObjectTree {
  owners: TreeNode[];
  nodes: TreeNode[];
  hidden: number;
  notes: string[];
}

/** An object of the tree. */
export interface TreeNode {
  object: ObjectRef;
  link: string;
  depth: number;
  created: string | null;
  isDeleting: boolean;
  status: Record<string, unknown>;
}

export interface NamespaceParams {
  namespace: string;
}

export interface JobParams {
  kind: string;
  namespace: string;
  name: string;
}

/** Of views of the whole cluster. */
export interface NoParams {
}

export interface TreeParams {
  version: string;
  resource: string;
  name: string;
  group: string;
  namespace: string;
}

/** Answer of the route. */
export interface CurvesView {
  series: Series[];
  notes: string[];
  cursor: string;
  readAt: string;
}

/** One metric of one replica or of one TensorBoard run. */
export interface Series {
  name: string;
  replica: string;
  run: string;
  source: "log" | "tensorboard";
  x: "step" | "epoch" | "line";
  steps: number[];
  values: number[];
  times: number[];
  total: number;
}

/** Answer of `GET /api/jobs/{ns}/courses`, for a table of jobs. */
export interface CoursesView {
  courses: JobCourse[];
}

/** The newest values of a job's loss, or of the metric that it reports first. */
export interface JobCourse {
  kind: string;
  name: string;
  metric: string;
  values: number[];
}

/** A job that is not there yet. */
export interface ForecastRequest {
  manifest: Record<string, unknown> | Record<string, unknown>[] | string;
  namespace: string;
}

/** Answer of `POST /api/forecast`. */
export interface ForecastView {
  job: string;
  pods: number;
  fitsNow: boolean;
  sentence: string;
  reason: NoNodes | PodUnfit | NodesUnfit | GangPending | ReleasePending | QueueClosed | QueueOverShare | QueueOverLimit | SchedulingGated | MadeRoomFor | ClusterInsufficient | QueueInsufficient | QuotaInsufficient | QueueHasChildren | ExtenderPending | ExtenderRefused | NotAllowed | KeptForOthers | NoHyperNode | SubGroupsIncomplete | GangUnschedulable | GangNotAdmitted | GangIncomplete | TasksIncomplete | PreemptionDisabled | PreemptionPending | PreemptionUnhelpful | null;
  evicts: boolean;
  short: ShortResource[];
  nodesTotal: number;
  nodesWithRoom: number;
  afterSeconds: number | null;
  at: string | null;
  placement: Record<string, number>;
  assumptions: Assumption[];
}

/** A resource of which too little is free now. */
export interface ShortResource {
  resource: string;
  asked: Amount;
  free: Amount;
  short: Amount;
  nodes: number;
}

/** Changes to the cluster as it is now. All are applied together. */
export interface WhatIfRequest {
  queues: QueueChange[];
  nodes: AddedNodes | null;
  removeNodes: string[];
  manifest: Record<string, unknown> | Record<string, unknown>[] | string | null;
  namespace: string;
}

/** Another weight or other amounts for a queue. */
export interface QueueChange {
  name: string;
  weight: number | null;
  deserved: Record<string, string> | null;
  capability: Record<string, string> | null;
}

/** More nodes like one that exists, or of the given resources. */
export interface AddedNodes {
  count: number;
  like: string;
  allocatable: Record<string, string>;
}

/** Answer of `POST /api/what-if`. */
export interface WhatIfView {
  before: Outcome;
  after: Outcome;
  gangs: GangOutcome[];
  assumptions: Assumption[];
  isComplete: boolean;
}

/** How everything that waits would go. */
export interface Outcome {
  makespanSeconds: number;
  meanWaitSeconds: number | null;
  started: number;
  never: number;
}

/** A gang that waits now, before and after the change. */
export interface GangOutcome {
  namespace: string;
  name: string;
  kind: string;
  job: string;
  queue: string;
  beforeSeconds: number | null;
  afterSeconds: number | null;
}

/** Body of `POST /api/jobs/{kind}/{ns}/{name}/restart`. */
export interface RestartRequest {
  force: boolean;
}

/** Answer of suspend, resume and restart. */
export interface ActionAnswer {
  message: string;
  state: string;
  uid: string;
}

/** Answer of `POST /api/jobs/{kind}/{ns}/{name}/clone`: a manifest to edit and create. Nothing is created. */
export interface CloneAnswer {
  manifest: Record<string, unknown>;
}

/** Answer of `POST /api/cluster/backup`. */
export interface BackupAnswer {
  message: string;
  backup: Backup;
}

/** Answer of `DELETE /api/cluster/users/{user}/sessions/{id}`. */
export interface SessionEnded {
  message: string;
}

/** Answer of `GET /api/metrics`, as Kubeflow's dashboard has it. */
export interface MetricsLink {
  resourceChartsLink: string;
  resourceChartsLinkText: string;
}

/** A point of `GET /api/metrics/node`, `/podcpu` and `/podmem`. */
export interface MetricPoint {
  timestamp: number;
  label: string;
  value: number;
}

export type GroupCause = KeptForOthers | NoHyperNode | SubGroupsIncomplete;

export type AdmissionCause = ClusterInsufficient | QueueInsufficient | QuotaInsufficient | QueueHasChildren | ExtenderPending | ExtenderRefused | NotAllowed;

export type NodeReason = NoNodes | PodUnfit | NodesUnfit;

export type PodReason = NoNodes | PodUnfit | NodesUnfit | GangPending | ReleasePending;

export type QueueCause = QueueClosed | QueueOverShare | QueueOverLimit;

export type OriginCause = NoNodes | PodUnfit | NodesUnfit | GangPending | ReleasePending | QueueClosed | QueueOverShare | QueueOverLimit | SchedulingGated | MadeRoomFor;

export type PreemptionReason = NoNodes | PreemptionDisabled | PreemptionPending | PreemptionUnhelpful;

export type GangReason = GangUnschedulable | GangNotAdmitted | GangIncomplete | TasksIncomplete;

export type Reason = NoNodes | PodUnfit | NodesUnfit | GangPending | ReleasePending | QueueClosed | QueueOverShare | QueueOverLimit | SchedulingGated | MadeRoomFor | ClusterInsufficient | QueueInsufficient | QuotaInsufficient | QueueHasChildren | ExtenderPending | ExtenderRefused | NotAllowed | KeptForOthers | NoHyperNode | SubGroupsIncomplete | GangUnschedulable | GangNotAdmitted | GangIncomplete | TasksIncomplete | PreemptionDisabled | PreemptionPending | PreemptionUnhelpful;

export type State = "Pending" | "Waiting" | "Running" | "Restarting" | "Suspended" | "Succeeded" | "Failed" | "Terminating" | "Unknown";

/** The type of each kind in `KINDS`. */
export interface KindTypes {
  ConfigMap: ConfigMap;
  Endpoints: Endpoints;
  Event: Event;
  Namespace: Namespace;
  Node: Node;
  PersistentVolume: PersistentVolume;
  PersistentVolumeClaim: PersistentVolumeClaim;
  Pod: Pod;
  ReplicationController: ReplicationController;
  ResourceQuota: ResourceQuota;
  Secret: Secret;
  Service: Service;
  ServiceAccount: ServiceAccount;
  ControllerRevision: ControllerRevision;
  DaemonSet: DaemonSet;
  Deployment: Deployment;
  ReplicaSet: ReplicaSet;
  StatefulSet: StatefulSet;
  CronJob: CronJob;
  Job: Job;
  Notebook: Notebook;
  Profile: Profile;
  PodGroup: PodGroup;
  Queue: Queue;
  ClusterTrainingRuntime: ClusterTrainingRuntime;
  TrainJob: TrainJob;
  TrainingRuntime: TrainingRuntime;
  MPIJob: MPIJob;
  CustomResourceDefinition: CustomResourceDefinition;
  ClusterWorkflowTemplate: ClusterWorkflowTemplate;
  CronWorkflow: CronWorkflow;
  Workflow: Workflow;
  WorkflowTemplate: WorkflowTemplate;
  HorizontalPodAutoscaler: HorizontalPodAutoscaler;
  VolcanoCronJob: VolcanoCronJob;
  VolcanoJob: VolcanoJob;
  Command: Command;
  Lease: Lease;
  EndpointSlice: EndpointSlice;
  JobFlow: JobFlow;
  JobTemplate: JobTemplate;
  JAXJob: JAXJob;
  JobSet: JobSet;
  ChainerJob: ChainerJob;
  PVCViewer: PVCViewer;
  PodDefault: PodDefault;
  ScheduledWorkflow: ScheduledWorkflow;
  V2beta1MPIJob: V2beta1MPIJob;
  MXJob: MXJob;
  Gateway: Gateway;
  VirtualService: VirtualService;
  Ingress: Ingress;
  Numatopology: Numatopology;
  PaddleJob: PaddleJob;
  Pipeline: Pipeline;
  PipelineVersion: PipelineVersion;
  PodDisruptionBudget: PodDisruptionBudget;
  PyTorchJob: PyTorchJob;
  ClusterRole: ClusterRole;
  ClusterRoleBinding: ClusterRoleBinding;
  Role: Role;
  RoleBinding: RoleBinding;
  CoschedulingPodGroup: CoschedulingPodGroup;
  KubeBatchPodGroup: KubeBatchPodGroup;
  KubeBatchQueue: KubeBatchQueue;
  PriorityClass: PriorityClass;
  AuthorizationPolicy: AuthorizationPolicy;
  RequestAuthentication: RequestAuthentication;
  VolumeSnapshot: VolumeSnapshot;
  VolumeSnapshotClass: VolumeSnapshotClass;
  VolumeSnapshotContent: VolumeSnapshotContent;
  CSIDriver: CSIDriver;
  StorageClass: StorageClass;
  Tensorboard: Tensorboard;
  TFJob: TFJob;
  HyperNode: HyperNode;
  XGBoostJob: XGBoostJob;
}

/** The value of each computed topic. */
export interface Topics {
  jobs: JobsView;
  job: JobView;
  queues: QueuesView;
  timeline: TimelineView;
  home: HomeView;
  cluster: ClusterView;
  notebooks: NotebooksView;
  tensorboards: TensorboardsView;
  volumes: VolumesView;
  tree: ObjectTree;
}

/** What a page says of each computed topic. */
export interface TopicParams {
  jobs: NamespaceParams;
  job: JobParams;
  queues: NoParams;
  timeline: NoParams;
  home: NamespaceParams;
  cluster: NoParams;
  notebooks: NamespaceParams;
  tensorboards: NamespaceParams;
  volumes: NamespaceParams;
  tree: TreeParams;
}

export const KINDS = {
  ConfigMap: { group: "", version: "v1", resource: "configmaps", kind: "ConfigMap", namespaced: true, shortNames: ["cm"] },
  Endpoints: { group: "", version: "v1", resource: "endpoints", kind: "Endpoints", namespaced: true, shortNames: ["ep"] },
  Event: { group: "", version: "v1", resource: "events", kind: "Event", namespaced: true, shortNames: ["ev"] },
  Namespace: { group: "", version: "v1", resource: "namespaces", kind: "Namespace", namespaced: false, shortNames: ["ns"] },
  Node: { group: "", version: "v1", resource: "nodes", kind: "Node", namespaced: false, shortNames: ["no"] },
  PersistentVolume: { group: "", version: "v1", resource: "persistentvolumes", kind: "PersistentVolume", namespaced: false, shortNames: ["pv"] },
  PersistentVolumeClaim: { group: "", version: "v1", resource: "persistentvolumeclaims", kind: "PersistentVolumeClaim", namespaced: true, shortNames: ["pvc"] },
  Pod: { group: "", version: "v1", resource: "pods", kind: "Pod", namespaced: true, shortNames: ["po"] },
  ReplicationController: { group: "", version: "v1", resource: "replicationcontrollers", kind: "ReplicationController", namespaced: true, shortNames: ["rc"] },
  ResourceQuota: { group: "", version: "v1", resource: "resourcequotas", kind: "ResourceQuota", namespaced: true, shortNames: ["quota"] },
  Secret: { group: "", version: "v1", resource: "secrets", kind: "Secret", namespaced: true, shortNames: [] },
  Service: { group: "", version: "v1", resource: "services", kind: "Service", namespaced: true, shortNames: ["svc"] },
  ServiceAccount: { group: "", version: "v1", resource: "serviceaccounts", kind: "ServiceAccount", namespaced: true, shortNames: ["sa"] },
  ControllerRevision: { group: "apps", version: "v1", resource: "controllerrevisions", kind: "ControllerRevision", namespaced: true, shortNames: [] },
  DaemonSet: { group: "apps", version: "v1", resource: "daemonsets", kind: "DaemonSet", namespaced: true, shortNames: ["ds"] },
  Deployment: { group: "apps", version: "v1", resource: "deployments", kind: "Deployment", namespaced: true, shortNames: ["deploy"] },
  ReplicaSet: { group: "apps", version: "v1", resource: "replicasets", kind: "ReplicaSet", namespaced: true, shortNames: ["rs"] },
  StatefulSet: { group: "apps", version: "v1", resource: "statefulsets", kind: "StatefulSet", namespaced: true, shortNames: ["sts"] },
  CronJob: { group: "batch", version: "v1", resource: "cronjobs", kind: "CronJob", namespaced: true, shortNames: ["cj"] },
  Job: { group: "batch", version: "v1", resource: "jobs", kind: "Job", namespaced: true, shortNames: [] },
  Notebook: { group: "kubeflow.org", version: "v1", resource: "notebooks", kind: "Notebook", namespaced: true, shortNames: [] },
  Profile: { group: "kubeflow.org", version: "v1", resource: "profiles", kind: "Profile", namespaced: false, shortNames: [] },
  PodGroup: { group: "scheduling.volcano.sh", version: "v1beta1", resource: "podgroups", kind: "PodGroup", namespaced: true, shortNames: ["pg", "podgroup-v1beta1"] },
  Queue: { group: "scheduling.volcano.sh", version: "v1beta1", resource: "queues", kind: "Queue", namespaced: false, shortNames: ["q", "queue-v1beta1"] },
  ClusterTrainingRuntime: { group: "trainer.kubeflow.org", version: "v1alpha1", resource: "clustertrainingruntimes", kind: "ClusterTrainingRuntime", namespaced: false, shortNames: [] },
  TrainJob: { group: "trainer.kubeflow.org", version: "v1alpha1", resource: "trainjobs", kind: "TrainJob", namespaced: true, shortNames: [] },
  TrainingRuntime: { group: "trainer.kubeflow.org", version: "v1alpha1", resource: "trainingruntimes", kind: "TrainingRuntime", namespaced: true, shortNames: [] },
  MPIJob: { group: "kubeflow.org", version: "v1", resource: "mpijobs", kind: "MPIJob", namespaced: true, shortNames: [] },
  CustomResourceDefinition: { group: "apiextensions.k8s.io", version: "v1", resource: "customresourcedefinitions", kind: "CustomResourceDefinition", namespaced: false, shortNames: ["crd", "crds"] },
  ClusterWorkflowTemplate: { group: "argoproj.io", version: "v1alpha1", resource: "clusterworkflowtemplates", kind: "ClusterWorkflowTemplate", namespaced: false, shortNames: ["clusterwftmpl", "cwft"] },
  CronWorkflow: { group: "argoproj.io", version: "v1alpha1", resource: "cronworkflows", kind: "CronWorkflow", namespaced: true, shortNames: ["cwf", "cronwf"] },
  Workflow: { group: "argoproj.io", version: "v1alpha1", resource: "workflows", kind: "Workflow", namespaced: true, shortNames: ["wf"] },
  WorkflowTemplate: { group: "argoproj.io", version: "v1alpha1", resource: "workflowtemplates", kind: "WorkflowTemplate", namespaced: true, shortNames: ["wftmpl"] },
  HorizontalPodAutoscaler: { group: "autoscaling", version: "v2", resource: "horizontalpodautoscalers", kind: "HorizontalPodAutoscaler", namespaced: true, shortNames: ["hpa"] },
  VolcanoCronJob: { group: "batch.volcano.sh", version: "v1alpha1", resource: "cronjobs", kind: "CronJob", namespaced: true, shortNames: ["cronvcjob", "cronvj"] },
  VolcanoJob: { group: "batch.volcano.sh", version: "v1alpha1", resource: "jobs", kind: "Job", namespaced: true, shortNames: ["vcjob", "vj"] },
  Command: { group: "bus.volcano.sh", version: "v1alpha1", resource: "commands", kind: "Command", namespaced: true, shortNames: [] },
  Lease: { group: "coordination.k8s.io", version: "v1", resource: "leases", kind: "Lease", namespaced: true, shortNames: [] },
  EndpointSlice: { group: "discovery.k8s.io", version: "v1", resource: "endpointslices", kind: "EndpointSlice", namespaced: true, shortNames: [] },
  JobFlow: { group: "flow.volcano.sh", version: "v1alpha1", resource: "jobflows", kind: "JobFlow", namespaced: true, shortNames: ["jf"] },
  JobTemplate: { group: "flow.volcano.sh", version: "v1alpha1", resource: "jobtemplates", kind: "JobTemplate", namespaced: true, shortNames: ["jt"] },
  JAXJob: { group: "kubeflow.org", version: "v1", resource: "jaxjobs", kind: "JAXJob", namespaced: true, shortNames: [] },
  JobSet: { group: "jobset.x-k8s.io", version: "v1alpha2", resource: "jobsets", kind: "JobSet", namespaced: true, shortNames: [] },
  ChainerJob: { group: "kubeflow.org", version: "v1alpha1", resource: "chainerjobs", kind: "ChainerJob", namespaced: true, shortNames: ["chj", "chjs", "chjob", "chjobs"] },
  PVCViewer: { group: "kubeflow.org", version: "v1alpha1", resource: "pvcviewers", kind: "PVCViewer", namespaced: true, shortNames: [] },
  PodDefault: { group: "kubeflow.org", version: "v1alpha1", resource: "poddefaults", kind: "PodDefault", namespaced: true, shortNames: [] },
  ScheduledWorkflow: { group: "kubeflow.org", version: "v1beta1", resource: "scheduledworkflows", kind: "ScheduledWorkflow", namespaced: true, shortNames: ["swf"] },
  V2beta1MPIJob: { group: "kubeflow.org", version: "v2beta1", resource: "mpijobs", kind: "MPIJob", namespaced: true, shortNames: [] },
  MXJob: { group: "kubeflow.org", version: "v1", resource: "mxjobs", kind: "MXJob", namespaced: true, shortNames: [] },
  Gateway: { group: "networking.istio.io", version: "v1alpha3", resource: "gateways", kind: "Gateway", namespaced: true, shortNames: ["gw"] },
  VirtualService: { group: "networking.istio.io", version: "v1alpha3", resource: "virtualservices", kind: "VirtualService", namespaced: true, shortNames: ["vs"] },
  Ingress: { group: "networking.k8s.io", version: "v1", resource: "ingresses", kind: "Ingress", namespaced: true, shortNames: ["ing"] },
  Numatopology: { group: "nodeinfo.volcano.sh", version: "v1alpha1", resource: "numatopologies", kind: "Numatopology", namespaced: false, shortNames: ["numatopo"] },
  PaddleJob: { group: "kubeflow.org", version: "v1", resource: "paddlejobs", kind: "PaddleJob", namespaced: true, shortNames: [] },
  Pipeline: { group: "pipelines.kubeflow.org", version: "v2beta1", resource: "pipelines", kind: "Pipeline", namespaced: true, shortNames: [] },
  PipelineVersion: { group: "pipelines.kubeflow.org", version: "v2beta1", resource: "pipelineversions", kind: "PipelineVersion", namespaced: true, shortNames: [] },
  PodDisruptionBudget: { group: "policy", version: "v1", resource: "poddisruptionbudgets", kind: "PodDisruptionBudget", namespaced: true, shortNames: ["pdb"] },
  PyTorchJob: { group: "kubeflow.org", version: "v1", resource: "pytorchjobs", kind: "PyTorchJob", namespaced: true, shortNames: [] },
  ClusterRole: { group: "rbac.authorization.k8s.io", version: "v1", resource: "clusterroles", kind: "ClusterRole", namespaced: false, shortNames: [] },
  ClusterRoleBinding: { group: "rbac.authorization.k8s.io", version: "v1", resource: "clusterrolebindings", kind: "ClusterRoleBinding", namespaced: false, shortNames: [] },
  Role: { group: "rbac.authorization.k8s.io", version: "v1", resource: "roles", kind: "Role", namespaced: true, shortNames: [] },
  RoleBinding: { group: "rbac.authorization.k8s.io", version: "v1", resource: "rolebindings", kind: "RoleBinding", namespaced: true, shortNames: [] },
  CoschedulingPodGroup: { group: "scheduling.x-k8s.io", version: "v1alpha1", resource: "podgroups", kind: "PodGroup", namespaced: true, shortNames: ["pg", "pgs"] },
  KubeBatchPodGroup: { group: "scheduling.incubator.k8s.io", version: "v1alpha1", resource: "podgroups", kind: "PodGroup", namespaced: true, shortNames: [] },
  KubeBatchQueue: { group: "scheduling.incubator.k8s.io", version: "v1alpha1", resource: "queues", kind: "Queue", namespaced: false, shortNames: [] },
  PriorityClass: { group: "scheduling.k8s.io", version: "v1", resource: "priorityclasses", kind: "PriorityClass", namespaced: false, shortNames: ["pc"] },
  AuthorizationPolicy: { group: "security.istio.io", version: "v1beta1", resource: "authorizationpolicies", kind: "AuthorizationPolicy", namespaced: true, shortNames: ["ap"] },
  RequestAuthentication: { group: "security.istio.io", version: "v1beta1", resource: "requestauthentications", kind: "RequestAuthentication", namespaced: true, shortNames: ["ra"] },
  VolumeSnapshot: { group: "snapshot.storage.k8s.io", version: "v1", resource: "volumesnapshots", kind: "VolumeSnapshot", namespaced: true, shortNames: ["vs"] },
  VolumeSnapshotClass: { group: "snapshot.storage.k8s.io", version: "v1", resource: "volumesnapshotclasses", kind: "VolumeSnapshotClass", namespaced: false, shortNames: ["vsclass", "vsclasses"] },
  VolumeSnapshotContent: { group: "snapshot.storage.k8s.io", version: "v1", resource: "volumesnapshotcontents", kind: "VolumeSnapshotContent", namespaced: false, shortNames: ["vsc", "vscs"] },
  CSIDriver: { group: "storage.k8s.io", version: "v1", resource: "csidrivers", kind: "CSIDriver", namespaced: false, shortNames: [] },
  StorageClass: { group: "storage.k8s.io", version: "v1", resource: "storageclasses", kind: "StorageClass", namespaced: false, shortNames: ["sc"] },
  Tensorboard: { group: "tensorboard.kubeflow.org", version: "v1alpha1", resource: "tensorboards", kind: "Tensorboard", namespaced: true, shortNames: [] },
  TFJob: { group: "kubeflow.org", version: "v1", resource: "tfjobs", kind: "TFJob", namespaced: true, shortNames: [] },
  HyperNode: { group: "topology.volcano.sh", version: "v1alpha1", resource: "hypernodes", kind: "HyperNode", namespaced: false, shortNames: ["hn"] },
  XGBoostJob: { group: "kubeflow.org", version: "v1", resource: "xgboostjobs", kind: "XGBoostJob", namespaced: true, shortNames: [] },
} as const satisfies Record<keyof KindTypes, KindInfo>;
