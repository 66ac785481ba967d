import { Link } from "@tanstack/react-router";
import { PATHS, type Artifact } from "../../kinds/pipelines";

/** To the page of an artifact; to its content where it has none, as an output of a plain Workflow. */
export function ArtifactLink({ artifact, name }: { artifact: Artifact; name?: string | undefined }) {
  const text = artifact.name || name || artifact.artifact_id;
  if (artifact.download === undefined) return <Link to={PATHS.artifact(artifact.artifact_id)}>{text}</Link>;
  return (
    <a href={artifact.download} download>
      {text}
    </a>
  );
}
