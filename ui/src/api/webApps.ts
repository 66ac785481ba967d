/** Addresses of the REST APIs of Kubeflow's web apps. Pure. */
import type { ObjectKey } from "./k8s";

export const inWebApp = (app: string, namespace: string, rest: string): string => `/${app}/api/namespaces/${encodeURIComponent(namespace)}/${rest}`;

export const objectInWebApp = (app: string, plural: string, key: ObjectKey): string => inWebApp(app, key.namespace, `${plural}/${encodeURIComponent(key.name)}`);
