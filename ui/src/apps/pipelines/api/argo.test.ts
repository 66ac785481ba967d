import { expect, test } from "vitest";
import { workflowLogPath } from "./argo";
import { logText } from "../../../api/argoLog";

async function* from(...chunks: string[]): AsyncGenerator<string> {
  for (const chunk of chunks) {
    await Promise.resolve();
    yield chunk;
  }
}

async function textOf(...chunks: string[]): Promise<string> {
  let text = "";
  for await (const part of logText(from(...chunks))) text += part;
  return text;
}

test.each([
  [["", ""], ""],
  [['{"result":{"content":"one","podName":"p"}}\n{"result":{"content":"two"}}\n'], "one\ntwo\n"],
  [['{"result":{"con', 'tent":"one"}}\n', '{"result":{"content":""}}'], "one\n\n"],
])("the text of the log %j", async (chunks, text) => {
  expect(await textOf(...chunks)).toBe(text);
});

test("what the server says at the end of a log that broke off is thrown", async () => {
  await expect(textOf('{"result":{"content":"one"}}\n{"error":{"code":5,"message":"the pod is gone"}}\n')).rejects.toThrow("the pod is gone");
});

test("the log of a pod is followed, with times", () => {
  expect(workflowLogPath({ namespace: "ml", name: "w" }, "w-1")).toBe("/argo/api/v1/workflows/ml/w/w-1/log?logOptions.follow=true&logOptions.timestamps=true");
});
