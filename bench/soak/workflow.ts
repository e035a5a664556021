/** The WORKFLOW.md files of a soak: one a project, on one board, with one key. */

export interface WorkflowOf {
  readonly project: string;
  readonly url: string;
  readonly command: string;
  readonly prompt?: string | undefined;
}

const SLOTS = 20;

export const workflowText = ({ project, url, command, prompt }: WorkflowOf): string => `---
name: ${project}
tracker:
  kind: linear
  endpoint: ${url}
  api_key: $LINEAR_API_KEY
  project_slug: ${project}
  required_labels: [agent]
workspace:
  root: workspaces-${project}
  min_free_bytes: 0
hooks:
  after_create: |
    git init -q -b main . && git -c user.name=Soak -c user.email=soak@baton.invalid commit -q --allow-empty -m begin
agent:
  max_concurrent_agents: ${SLOTS}
codex:
  command: "${command}"
---
${prompt ?? "You are working on {{ issue.identifier }}: {{ issue.title }}\n\n{{ issue.description }}"}
`;
