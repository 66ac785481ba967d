/** The REST API of the TensorBoard app. */
import { post, request } from "../../../api/client";
import type { ObjectKey } from "../../../api/k8s";
import { inWebApp, objectInWebApp } from "../../../api/webApps";

export const createTensorboard = (namespace: string, body: unknown): Promise<unknown> =>
  post(inWebApp("tensorboards", namespace, "tensorboards"), body);

export const deleteTensorboard = (key: ObjectKey): Promise<unknown> => request("DELETE", objectInWebApp("tensorboards", "tensorboards", key));
