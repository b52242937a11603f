{{- /* A DaemonSet on instances of some families; arguments: name, namespace, families (a pattern of instance types). */ -}}
{{- define "standin.daemonset" -}}
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: {{ .name }}
  namespace: {{ .namespace }}
  labels:
    app.kubernetes.io/name: {{ .name }}
spec:
  selector:
    matchLabels:
      app.kubernetes.io/name: {{ .name }}
  template:
    metadata:
      labels:
        app.kubernetes.io/name: {{ .name }}
    spec:
      priorityClassName: system-node-critical
      {{- if .types }}
      affinity:
        nodeAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            nodeSelectorTerms:
              - matchExpressions:
                  - key: node.kubernetes.io/instance-type
                    operator: In
                    values: {{ toYaml .types | nindent 22 }}
      {{- end }}
      tolerations:
        - operator: Exists
      containers:
        - name: {{ .name }}
          image: {{ .image }}
          resources:
            requests:
              cpu: 10m
              memory: 20Mi
{{- end }}
