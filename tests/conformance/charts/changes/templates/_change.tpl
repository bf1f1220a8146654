{{- define "changes.apply" -}}
{{- $_ := set .Values.web "tolerations" (list (dict "key" "added" "operator" "Exists")) -}}
{{- end -}}
