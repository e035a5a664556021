# The daemon with everything an agent needs: codex, git, ssh, a sandbox. docs/DEPLOY.md says how to run it.
ARG BASE=node:24-bookworm-slim

FROM ${BASE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY scripts/build.ts ./scripts/build.ts
COPY src ./src
RUN npm run build && npm prune --omit=dev

FROM ${BASE}
RUN apt-get update \
 && apt-get install --yes --no-install-recommends bubblewrap ca-certificates git openssh-client tini \
 && rm -rf /var/lib/apt/lists/*

# The codex that the tests ran against: package.json is the one place that names its version.
WORKDIR /app
COPY package.json ./
RUN npm install --global "@openai/codex@$(node -p 'require("./package.json").devDependencies["@openai/codex"]')" \
 && npm cache clean --force

COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY workflows ./workflows

# Directories exist before they are volumes, so that a new volume belongs to the user that writes there.
RUN ln -s /app/dist/main.js /usr/local/bin/baton \
 && useradd --uid 10001 --create-home --shell /bin/bash baton \
 && mkdir -p /srv/baton/.baton /workspaces /home/baton/.codex \
 && chown -R baton:baton /srv/baton /workspaces /home/baton \
 && chmod 700 /srv/baton/.baton /workspaces /home/baton/.codex

USER baton
ENV HOME=/home/baton NODE_ENV=production
WORKDIR /srv/baton
VOLUME ["/srv/baton/.baton", "/workspaces", "/home/baton/.codex"]

# Whether the ledger can be read and the daemon gives a sign of life, by the command that people use for it. 2 is what only
# a person or time mends: no reason to call the container sick.
HEALTHCHECK --interval=60s --timeout=10s --start-period=30s --retries=3 \
  CMD baton status > /dev/null || [ $? -eq 2 ]

# tini hands SIGTERM on and reaps what agents leave behind; the daemon reaps only its own children.
ENTRYPOINT ["tini", "--", "baton"]
CMD ["run", "/srv/baton/WORKFLOW.md"]
