{{- define "filings.name" -}}
{{- if contains "filings" .Release.Name }}{{ .Release.Name | trunc 30 | trimSuffix "-" }}{{ else }}{{ printf "%s-filings" .Release.Name | trunc 30 | trimSuffix "-" }}{{ end }}
{{- end }}

{{/* What selects the pods that serve, or with another component those of loads. */}}
{{- define "filings.selector" -}}
app.kubernetes.io/name: filings
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "filings.labels" -}}
{{ include "filings.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end }}

{{/* What all pods have: no rights, no token, and a folder for what they write. */}}
{{- define "filings.pod" -}}
automountServiceAccountToken: false
# Else a Service with "filings" in its name gives every pod variables that begin with FILINGS_, which the program refuses.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: {type: RuntimeDefault}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* What all containers have, up to the end of their variables. secret is the name of the one with their settings. */}}
{{- define "filings.container" -}}
{{- $image := .root.Values.image -}}
image: {{ $image.repository }}{{ if $image.digest }}@{{ $image.digest }}{{ else }}:{{ $image.tag | default .root.Chart.AppVersion }}{{ end }}
imagePullPolicy: {{ $image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
envFrom:
  - configMapRef: {name: {{ include "filings.name" .root }}}
  {{- with .secret }}
  - secretRef: {name: {{ . }}}
  {{- end }}
env:
  - {name: FILINGS_DATA_DIR, value: /var/lib/filings/data}
  - {name: TMPDIR, value: /var/lib/filings}
{{- end }}

{{- define "filings.ca.mount" -}}
{{- if .Values.elasticsearchCAExistingSecret -}}
- {name: elasticsearch-ca, mountPath: /etc/elasticsearch, readOnly: true}
{{- end }}
{{- end }}

{{- define "filings.ca.volume" -}}
{{- with .Values.elasticsearchCAExistingSecret -}}
- name: elasticsearch-ca
  secret: {secretName: {{ . }}, items: [{key: ca.crt, path: ca.crt}]}
{{- end }}
{{- end }}
