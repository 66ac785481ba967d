import { describe, expect, it } from "vitest";
import { parseDocument, type Document } from "yaml";
import { joinCommand, splitCommand } from "../../../kinds/commandWords";
import { fieldsOf, keepGang, rolesOf, schedulingOf, setForRoles, setResource } from "./jobFields";
import { JOB_TEMPLATES, templateOf } from "./jobTemplates";
import { setField } from "../../../kinds/manifest";

const documentOf = (kind: string): Document => parseDocument(templateOf(kind).manifest);

describe("a command line", () => {
  it.each([
    ["python train.py", ["python", "train.py"]],
    ["sh -c 'a \"b\" c'", ["sh", "-c", 'a "b" c']],
    ['echo "a \\"b\\"" \\ x', ["echo", 'a "b"', " x"]],
    ["echo ''", ["echo", ""]],
    ["", []],
  ])("%j is %j", (line, words) => expect(splitCommand(line)).toEqual(words));

  it.each([[["python", "-c", "print('it''s')\nprint(2)"]], [["a b", "", "$x", "c\\d"]]])("comes back as it was: %j", (words) =>
    expect(splitCommand(joinCommand(words))).toEqual(words),
  );
});

describe("templates", () => {
  it.each(JOB_TEMPLATES.map((template) => [template.kind, template] as const))("%s is read by the form", (kind, template) => {
    const document = parseDocument(template.manifest);
    expect(document.errors).toEqual([]);
    expect(document.get("kind")).toBe(kind);
    const fields = fieldsOf(document);
    expect(fields.name).toBe("my-job");
    expect(fields.image).not.toBe("");
    expect(fields.command).not.toBe("");
    expect(fields.roles.every((role) => role.replicas > 0 && role.cpu === "100m" && role.memory === "256Mi")).toBe(true);
  });

  it("falls back to the first", () => expect(templateOf("Nothing").kind).toBe("PyTorchJob"));
});

describe("fields of a manifest", () => {
  it("finds the roles of every family", () => {
    expect(rolesOf(documentOf("TFJob")).map((role) => role.name)).toEqual(["PS", "Worker"]);
    expect(rolesOf(documentOf("Job")).map((role) => role.name)).toEqual(["worker"]);
    expect(rolesOf(documentOf("TrainJob")).map((role) => role.name)).toEqual(["node"]);
    expect(rolesOf(parseDocument("kind: TFJob"))).toEqual([]);
  });

  it("writes a value and keeps the comments", () => {
    const document = documentOf("TFJob");
    const worker = rolesOf(document)[1];
    setField(document, worker?.replicas ?? [], 4);
    setForRoles(document, "image", "mine:1");
    const text = String(document);
    expect(text).toContain("replicas: 4");
    expect(text).toContain("image: mine:1 # any image with your framework");
    expect(text).toContain("# keep the pods, and so the logs");
    expect(fieldsOf(document).roles.map((role) => role.replicas)).toEqual([1, 4]);
  });

  it("changes nothing but the value", () => {
    const before = templateOf("PyTorchJob").manifest;
    const document = parseDocument(before);
    setField(document, ["metadata", "name"], "bert");
    expect(String(document)).toBe(before.replace("my-job", "bert"));
  });

  it("changes the command only of roles that had the same", () => {
    const document = documentOf("MPIJob");
    setForRoles(document, "command", "mpirun -n 4 train");
    const commands = rolesOf(document).map((role) => (document.getIn([...role.container, "command"]) as { toJSON: () => string[] }).toJSON());
    expect(commands[0]).toEqual(["mpirun", "-n", "4", "train"]);
    expect(commands[1]?.[0]).toBe("/usr/sbin/sshd");
  });

  it("makes what is missing, and removes what is emptied", () => {
    const document = documentOf("PyTorchJob");
    const path = schedulingOf(document)?.queue ?? [];
    setField(document, path, "research");
    expect(fieldsOf(document).queue).toBe("research");
    setField(document, path, "");
    expect(document.hasIn(path)).toBe(false);
  });

  it("writes resources as limits; a request that is there follows", () => {
    const document = parseDocument(`kind: TFJob
spec:
  tfReplicaSpecs:
    Worker: {template: {spec: {containers: [{name: tensorflow, resources: {requests: {cpu: 1}}}]}}}
`);
    const worker = rolesOf(document)[0];
    if (worker === undefined) throw new Error("no role");
    setResource(document, worker, "cpu", "4");
    setResource(document, worker, "gpu", "2");
    expect(fieldsOf(document).roles[0]).toMatchObject({ cpu: "4", gpu: 2 });
    expect((document.toJSON() as { spec: { tfReplicaSpecs: { Worker: { template: { spec: { containers: unknown[] } } } } } }).spec.tfReplicaSpecs.Worker.template.spec.containers[0]).toEqual({
      name: "tensorflow",
      resources: { requests: { cpu: "4" }, limits: { cpu: "4", "nvidia.com/gpu": 2 } },
    });
    setResource(document, worker, "gpu", "0");
    expect(fieldsOf(document).roles[0]?.gpu).toBe(0);
  });
});

describe("the gang of a job", () => {
  const MIN_MEMBER = ["metadata", "annotations", "scheduling.volcano.sh/group-min-member"];

  it("has all pods of the template, as a text", () => expect(documentOf("TFJob").getIn(MIN_MEMBER)).toBe("3"));

  it("grows with the job", () => {
    const document = documentOf("TFJob");
    setField(document, ["spec", "tfReplicaSpecs", "Worker", "replicas"], 4);
    keepGang(document);
    expect(document.getIn(MIN_MEMBER)).toBe("5");
  });

  it("is as large as minAvailable says", () => {
    const document = documentOf("PyTorchJob");
    setField(document, schedulingOf(document)?.minAvailable ?? [], 1);
    keepGang(document);
    expect(document.getIn(MIN_MEMBER)).toBe("1");
  });

  it.each(["MPIJob", "TrainJob", "Job"])("is left to others by a %s", (kind) => expect(documentOf(kind).hasIn(MIN_MEMBER)).toBe(false));

  it("ends when the pods go to another scheduler", () => {
    const document = documentOf("JAXJob");
    setField(document, ["spec", "jaxReplicaSpecs", "Worker", "template", "spec", "schedulerName"], "default-scheduler");
    keepGang(document);
    expect(document.hasIn(MIN_MEMBER)).toBe(false);
  });
});
