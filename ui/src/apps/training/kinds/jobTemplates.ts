/** A manifest to start from for each framework. It runs as it is, and reports a loss that the page draws. */

import { parseDocument } from "yaml";
import { GANG_SCHEDULER, keepGang } from "./jobFields";

export interface JobTemplate {
  kind: string;
  label: string;
  manifest: string;
}

const PROGRAM = `                - python
                - -c
                - |
                  import math, time
                  for step in range(1, 101):
                      print(f"step={step} loss={math.exp(-step / 30):.4f}", flush=True)
                      time.sleep(0.2)`;

/** The lines of the program, at another depth. */
const program = (indent: number): string => PROGRAM.replaceAll(/^ {16}/gm, " ".repeat(indent));

const replica = (role: string, count: number, container: string, image = "python:3.11", command = program(16), scheduler = GANG_SCHEDULER): string => `    ${role}:
      replicas: ${count}
      restartPolicy: OnFailure
      template:
        spec:${scheduler === "" ? "" : `\n          schedulerName: ${scheduler}`}
          containers:
            - name: ${container}
              image: ${image} # any image with your framework
              command:
${command}
              resources:
                limits:
                  cpu: 100m
                  memory: 256Mi
`;

const manifest = (kind: string, field: string, replicas: string, version = "v1"): string => `apiVersion: kubeflow.org/${version}
kind: ${kind}
metadata:
  name: my-job
spec:
  runPolicy:
    cleanPodPolicy: None # keep the pods, and so the logs
  ${field}:
${replicas}`;

const MPIRUN = ["mpirun", "-n", '"2"', "python3", "-c", "print('step=1 loss=0.5')"].map((word) => `                - ${word}`).join("\n");
const SSHD = ["/usr/sbin/sshd", "-De", "-f", "/home/mpiuser/.sshd_config"].map((word) => `                - ${word}`).join("\n");
const MPI_IMAGE = "mpioperator/mpi-pi:openmpi";

const TRAIN_JOB = `apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: my-job
spec:
  runtimeRef:
    name: torch-distributed
  trainer:
    numNodes: 2
    image: python:3.11 # any image with your framework
    command:
${program(6)}
    resourcesPerNode:
      limits:
        cpu: 100m
        memory: 256Mi
`;

const VOLCANO_JOB = `apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata:
  name: my-job
spec:
  schedulerName: volcano
  minAvailable: 2
  queue: default
  tasks:
    - name: worker
      replicas: 2
      template:
        spec:
          restartPolicy: OnFailure
          containers:
            - name: main
              image: python:3.11 # any image with your framework
              command:
${program(16)}
              resources:
                limits:
                  cpu: 100m
                  memory: 256Mi
`;

const TEMPLATES: JobTemplate[] = [
  { kind: "PyTorchJob", label: "PyTorch (PyTorchJob)", manifest: manifest("PyTorchJob", "pytorchReplicaSpecs", replica("Master", 1, "pytorch") + replica("Worker", 1, "pytorch")) },
  { kind: "TFJob", label: "TensorFlow (TFJob)", manifest: manifest("TFJob", "tfReplicaSpecs", replica("PS", 1, "tensorflow") + replica("Worker", 2, "tensorflow")) },
  {
    kind: "MPIJob",
    label: "MPI (MPIJob)",
    manifest: manifest("MPIJob", "mpiReplicaSpecs", replica("Launcher", 1, "mpi", MPI_IMAGE, MPIRUN, "") + replica("Worker", 2, "mpi", MPI_IMAGE, SSHD, ""), "v2beta1").replace(
      "spec:\n",
      "spec:\n  sshAuthMountPath: /home/mpiuser/.ssh\n",
    ),
  },
  { kind: "XGBoostJob", label: "XGBoost (XGBoostJob)", manifest: manifest("XGBoostJob", "xgbReplicaSpecs", replica("Master", 1, "xgboost") + replica("Worker", 1, "xgboost")) },
  { kind: "JAXJob", label: "JAX (JAXJob)", manifest: manifest("JAXJob", "jaxReplicaSpecs", replica("Worker", 2, "jax")) },
  { kind: "PaddleJob", label: "PaddlePaddle (PaddleJob)", manifest: manifest("PaddleJob", "paddleReplicaSpecs", replica("Worker", 2, "paddle")) },
  { kind: "TrainJob", label: "Kubeflow Trainer (TrainJob)", manifest: TRAIN_JOB },
  { kind: "Job", label: "Volcano Job", manifest: VOLCANO_JOB },
];

/** Those of which all pods can start together do so: no pod of theirs holds a node while the others wait. */
export const JOB_TEMPLATES: JobTemplate[] = TEMPLATES.map((template) => {
  const document = parseDocument(template.manifest);
  keepGang(document);
  return { ...template, manifest: document.toString({ lineWidth: 0 }) };
});

export const templateOf = (kind: string | undefined): JobTemplate => {
  const first = JOB_TEMPLATES[0];
  const found = JOB_TEMPLATES.find((template) => template.kind === kind) ?? first;
  if (found === undefined) throw new Error("there are no templates");
  return found;
};
