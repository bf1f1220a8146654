{{- define "helpers.fullname" -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "helpers.tolerations" -}}
{{- if .Values.web.tolerations -}}
{{ toYaml .Values.web.tolerations }}
{{- else -}}
{{ toYaml .Values.tolerations }}
{{- end -}}
{{- end -}}
{{- define "helpers.selector" -}}
kubernetes.io/os: linux
{{- with .Values.nodeSelector }}
{{ toYaml . }}
{{- end }}
{{- end -}}
{{- define "helpers.pod" -}}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
tolerations: {{- include "helpers.tolerations" . | nindent 2 }}
{{- end -}}
