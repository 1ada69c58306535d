// Package deploy checks how the program is deployed: the chart and the workflow. `make chart` runs it. It is a module of its own,
// since its libraries are many times those of the program.
package deploy

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// least are the values without which there is nothing to serve.
const least = `
image: {repository: registry.example.org/filings}
settings: {FILINGS_ELASTICSEARCH_URL: "https://elasticsearch:9200"}
existingSecret: filings
`

// valid are sets of values, each on top of least, with what the manifests then say, and if it begins with ! do not.
var valid = []struct{ name, values, says string }{
	{"least", "", "registry.example.org/filings:1.0.0\n"},
	{"plain Redis", "settings: {FILINGS_REDIS_URL: 'redis://redis:6379'}\nexistingSecret: ''", "!secretRef"},
	{"one pod", "replicas: 1", "!PodDisruptionBudget"},
	{"digest", "image: {digest: 'sha256:" + strings.Repeat("0a", 32) + "', tag: ignored, pullPolicy: Always, pullSecrets: [registry]}", "filings@sha256:0a0a"},
	{"certificates", "tlsExistingSecret: tls\nelasticsearchCAExistingSecret: ca", "FILINGS_TLS_KEY_FILE"},
	{"ingress", "settings: {FILINGS_TRUSTED_PROXIES: 10.0.0.0/8}\ningress: {enabled: true, className: nginx, host: api.example.org, tlsExistingSecret: web, " +
		"annotations: {nginx.ingress.kubernetes.io/proxy-read-timeout: '900'}}", "kind: Ingress\n"},
	{"load balancer", "service: {type: LoadBalancer, annotations: {a.example.org/scheme: internal}}", "type: LoadBalancer"},
	{"monitored", "serviceMonitor: {enabled: true, interval: 30s, labels: {release: prometheus}}", "kind: ServiceMonitor"},
	{"scraped", "networkPolicy: {monitoring: [{namespaceSelector: {matchLabels: {name: monitoring}}}]}", "- ports: [{port: operations}]"},
	{"closed", "networkPolicy: {clients: [{ipBlock: {cidr: 10.0.0.0/8}}], egress: [{to: [{podSelector: {matchLabels: {app: redis}}}], ports: [{port: 6379}]}]}", "policyTypes: [Ingress, Egress]"},
	{"no policy", "networkPolicy: {enabled: false}", "!NetworkPolicy"},
	{"slow and traced", "requestTimeoutSeconds: 30\npreStopSeconds: 0\nsettings: {FILINGS_MCP: 'on', FILINGS_LOG_LEVEL: warn, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318'}\n" +
		"resources: {requests: {cpu: 2, memory: 4Gi}, limits: {memory: 4Gi}}\npodAnnotations: {a: b}\nnodeSelector: {kubernetes.io/arch: arm64}\n" +
		"tolerations: [{key: dedicated, operator: Exists}]\naffinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone}]}}", "!preStop"},
	{"loads", `
loadsExistingSecret: filings-loads
elasticsearchCAExistingSecret: ca
loadsDefaults: {backoffLimit: 0, deadlineSeconds: 3600, scratch: 1Gi, resources: {limits: {memory: 1Gi}}}
loads:
  abcdefghijklmnopqrstu:
    schedule: "15 2 * * 1-5"
    timeZone: America/Chicago
    suspend: true
    always: true
    args: [--replace, "Benton, AR", --map, benton.jq, "socrata://data.example.gov/abcd-1234?$where=tax_year > 2023"]
    files:
      benton.jq: "{\n  id: id(\"Benton, AR\"; .n) # \"#\"\n}\n"
  nightly:
    schedule: "@daily"
    plan: |
      counties:
        - {county: "Lake, FL", sources: ["s3://counties/lake/"], map: lake.jq}
    files: {lake.jq: '{county: "Lake, FL"}'}
    args: [--keep-going]`, "Benton, AR"},
}

// refused are values that the chart refuses, with what it says.
var refused = []struct{ name, values, says string }{
	{"no image", "image: {repository: ''}", "minLength"},
	{"misspelled value", "replica: 3", "'replica'"},
	{"misspelled setting", "settings: {FILINGS_INDEXX: a}", "FILINGS_INDEXX"},
	{"setting that is no text", "settings: {FILINGS_INDEX_SHARDS: 2}", "want string"},
	{"secret", "settings: {FILINGS_ELASTICSEARCH_API_KEY: secret}", "FILINGS_ELASTICSEARCH_API_KEY"},
	{"password of Elasticsearch", "settings: {FILINGS_ELASTICSEARCH_URL: 'https://u:p@elasticsearch'}", "FILINGS_ELASTICSEARCH_URL"},
	{"password of Redis", "settings: {FILINGS_REDIS_URL: 'redis://a:1/0?master_name=m&password=p'}", "FILINGS_REDIS_URL"},
	{"headers of traces", "settings: {OTEL_EXPORTER_OTLP_HEADERS: 'authorization=secret'}", "OTEL_EXPORTER_OTLP_HEADERS"},
	{"setting of the chart", "settings: {FILINGS_LISTEN: ':1'}", "FILINGS_LISTEN"},
	{"no Elasticsearch", "settings: {FILINGS_ELASTICSEARCH_URL: null}", "FILINGS_ELASTICSEARCH_URL"},
	{"no Redis", "existingSecret: ''", "Redis is needed"},
	{"ingress without proxies", "ingress: {enabled: true, host: a.example.org}", "FILINGS_TRUSTED_PROXIES"},
	{"ingress without host", "ingress: {enabled: true}", "host"},
	{"load of nothing", "loads: {a: {schedule: '@daily'}}", "plan"},
	{"long name of a load", "loads: {abcdefghijklmnopqrstuv: {schedule: '@daily', args: [x]}}", "abcdefghijklmnopqrstuv"},
	{"schedule", "loads: {a: {schedule: hourly, args: [x]}}", "schedule"},
}

// program is helm, as go.mod has it.
var program = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "tool", "-n", "helm").Output()
	return strings.TrimSpace(string(out)), err
})

// helm runs helm on the chart with values on top of least.
func helm(t *testing.T, command, values string, args ...string) ([]byte, error) {
	t.Helper()
	helm, err := program()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	first, second := filepath.Join(dir, "least"), filepath.Join(dir, "more")
	write(t, first, least)
	write(t, second, values)
	cmd := exec.CommandContext(t.Context(), helm, append([]string{command, "helm/filings", "-f", first, "-f", second}, args...)...)
	cmd.Env = append(os.Environ(), "HELM_CACHE_HOME="+dir, "HELM_CONFIG_HOME="+dir, "HELM_DATA_HOME="+dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, stderr.String())
	}
	return out, err
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestChart_Lint(t *testing.T) {
	t.Parallel()
	for _, set := range valid {
		if out, err := helm(t, "lint", set.values, "--strict", "--kube-version=1.37.0"); err != nil {
			t.Errorf("%s: %v\n%s", set.name, err, out)
		}
	}
}

func TestChart_Refuses(t *testing.T) {
	t.Parallel()
	for _, set := range refused {
		if out, err := helm(t, "template", set.values, "--kube-version=1.37.0"); err == nil || !strings.Contains(err.Error(), set.says) {
			t.Errorf("%s: error %v, want one that says %q\n%.300s", set.name, err, set.says, out)
		}
	}
	if _, err := helm(t, "template", "", "--kube-version=1.29.9"); err == nil {
		t.Error("a cluster whose hooks cannot sleep is no error")
	}
}

// manifests are what the chart makes of values.
type manifests struct {
	deployments []apps.Deployment
	configs     []core.ConfigMap
	services    []core.Service
	budgets     []policy.PodDisruptionBudget
	policies    []networking.NetworkPolicy
	ingresses   []networking.Ingress
	monitors    []monitoring.ServiceMonitor
	cronJobs    []batch.CronJob
}

// decode reads each manifest as the type of its kind: an unknown or doubled member is an error.
func decode(t *testing.T, text string) *manifests {
	t.Helper()
	m, ids := &manifests{}, map[string]bool{}
	for document := range strings.SplitSeq("\n"+text, "\n---\n") {
		if strings.TrimSpace(document) == "" {
			continue
		}
		var head struct {
			APIVersion, Kind string
			Metadata         struct{ Name string }
		}
		if err := yaml.Unmarshal([]byte(document), &head); err != nil {
			t.Fatalf("%v\n%s", err, document)
		}
		into := m.place(head.APIVersion + " " + head.Kind)
		if into == nil {
			t.Fatalf("%s %s: not a kind that the chart has", head.APIVersion, head.Kind)
		}
		// As the API server reads: encoding/json, and with it yaml.UnmarshalStrict, takes names in another case for known ones.
		object, err := yaml.YAMLToJSONStrict([]byte(document))
		if err != nil {
			t.Fatalf("%v\n%s", err, document)
		}
		if unknown, err := json.UnmarshalStrict(object, into); err != nil || len(unknown) > 0 {
			t.Errorf("%s %s: %v %v\n%s", head.Kind, head.Metadata.Name, err, unknown, document)
		}
		id, most := head.Kind+" "+head.Metadata.Name, 63
		if head.Kind == "CronJob" {
			most = 52 // the names of its Jobs are longer
		}
		if ids[id] || head.Metadata.Name == "" || len(head.Metadata.Name) > most {
			t.Errorf("%s: the name is missing, too long, or there twice", id)
		}
		ids[id] = true
	}
	return m
}

// place makes an object of a kind; nil for one that the chart does not have.
func (m *manifests) place(kind string) any {
	switch kind {
	case "apps/v1 Deployment":
		return next(&m.deployments)
	case "v1 ConfigMap":
		return next(&m.configs)
	case "v1 Service":
		return next(&m.services)
	case "policy/v1 PodDisruptionBudget":
		return next(&m.budgets)
	case "networking.k8s.io/v1 NetworkPolicy":
		return next(&m.policies)
	case "networking.k8s.io/v1 Ingress":
		return next(&m.ingresses)
	case "monitoring.coreos.com/v1 ServiceMonitor":
		return next(&m.monitors)
	case "batch/v1 CronJob":
		return next(&m.cronJobs)
	}
	return nil
}

// next appends a zero value, and returns it.
func next[T any](all *[]T) *T {
	*all = append(*all, *new(T))
	return &(*all)[len(*all)-1]
}

// pod is a template of pods, with the name of what makes them.
type pod struct {
	core.PodTemplateSpec
	name string
}

// pods are those that serve first, then those of each load.
func (m *manifests) pods() (all []pod) {
	for _, d := range m.deployments {
		all = append(all, pod{d.Spec.Template, d.Name})
	}
	for _, c := range m.cronJobs {
		all = append(all, pod{c.Spec.JobTemplate.Spec.Template, c.Name})
	}
	return all
}

// settings are the variables of the pod's container, as Kubernetes makes them of what the manifest names; secrets are by name.
func (m *manifests) settings(p pod, secrets map[string]map[string]string) (map[string]string, error) {
	all := map[string]string{}
	for _, from := range p.Spec.Containers[0].EnvFrom {
		switch {
		case from.ConfigMapRef != nil:
			i := slices.IndexFunc(m.configs, func(c core.ConfigMap) bool { return c.Name == from.ConfigMapRef.Name })
			if i < 0 {
				return nil, fmt.Errorf("no ConfigMap %s", from.ConfigMapRef.Name)
			}
			maps.Copy(all, m.configs[i].Data)
		case secrets[from.SecretRef.Name] == nil:
			return nil, fmt.Errorf("no Secret %s", from.SecretRef.Name)
		default:
			maps.Copy(all, secrets[from.SecretRef.Name])
		}
	}
	for _, e := range p.Spec.Containers[0].Env {
		all[e.Name] = e.Value
		if e.ValueFrom != nil {
			value, ok := secrets[e.ValueFrom.SecretKeyRef.Name][e.ValueFrom.SecretKeyRef.Key]
			if !ok {
				return nil, fmt.Errorf("no Secret has %s", e.Name)
			}
			all[e.Name] = value
		}
	}
	return all, nil
}

// Each set of values becomes manifests that Kubernetes's own types have all members of, and that fit together.
func TestChart_Values(t *testing.T) {
	t.Parallel()
	secrets := map[string]map[string]string{
		"filings":       {"FILINGS_REDIS_URL": "redis://:secret@redis:6379"},
		"filings-loads": {"FILINGS_ELASTICSEARCH_API_KEY": "secret"},
	}
	for _, set := range valid {
		t.Run(set.name, func(t *testing.T) {
			t.Parallel()
			for _, release := range []string{"filings", "a-release-with-a-name-as-long-as-helm-allows-it-to-be"} {
				out, err := helm(t, "template", set.values, "--kube-version=1.37.0", "--name-template="+release)
				if err != nil {
					t.Fatal(err)
				}
				says, not := strings.CutPrefix(set.says, "!")
				if strings.Contains(string(out), says) == not || len(out) < 3000 {
					t.Errorf("says %q: %v\n%s", says, not, out)
				}
				m := decode(t, string(out))
				m.check(t)
				for i, p := range m.pods() {
					settings, err := m.settings(p, secrets)
					if err != nil || settings["FILINGS_ELASTICSEARCH_URL"] == "" || i == 0 && settings["FILINGS_REDIS_URL"] == "" {
						t.Errorf("%s: error %v, settings %q", p.name, err, settings)
					}
				}
			}
		})
	}
}

// The values in the documents are ones that the chart takes.
func TestChart_Documents(t *testing.T) {
	t.Parallel()
	found := 0
	for _, name := range []string{"kubernetes.md", "nightly.md"} {
		text, err := os.ReadFile("../../../docs/operate/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range regexp.MustCompile("(?s)```text\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
			out, err := helm(t, "template", block[1], "--kube-version=1.37.0")
			if err != nil {
				t.Errorf("%s: %v\n%s", name, err, block[1])
				continue
			}
			found++
			decode(t, string(out)).check(t)
		}
	}
	if found != 3 {
		t.Errorf("%d blocks of values were found", found)
	}
}

// check is what is expected of all manifests.
func (m *manifests) check(t *testing.T) {
	t.Helper()
	if len(m.deployments) != 1 || len(m.services) != 2 {
		t.Fatalf("%d deployments and %d services", len(m.deployments), len(m.services))
	}
	pods := m.pods()
	serve, d := pods[0], m.deployments[0].Spec
	selected := func(what string, selector, labels map[string]string) {
		if len(selector) == 0 || !isPart(selector, labels) {
			t.Errorf("%s selects %q, what it means has %q", what, selector, labels)
		}
	}
	selected("the deployment", d.Selector.MatchLabels, serve.Labels)
	selected("the spread", serve.Spec.TopologySpreadConstraints[0].LabelSelector.MatchLabels, serve.Labels)
	for _, p := range pods {
		checkPod(t, p)
		if p.name != serve.name && isPart(d.Selector.MatchLabels, p.Labels) {
			t.Errorf("the deployment also selects the pods of %s", p.name)
		}
	}
	for _, s := range m.services {
		selected("service "+s.Name, s.Spec.Selector, serve.Labels)
		for _, port := range s.Spec.Ports {
			to := port.TargetPort.StrVal
			if !hasPort(serve, to) || (to == "operations") != (s.Spec.ClusterIP == "None") {
				t.Errorf("service %s: the port %s leads to %s", s.Name, port.Name, to)
			}
		}
	}
	for _, b := range m.budgets {
		selected("the budget", b.Spec.Selector.MatchLabels, serve.Labels)
	}
	if len(m.budgets) != min(int(*d.Replicas)-1, 1) {
		t.Errorf("%d budgets for %d pods", len(m.budgets), *d.Replicas)
	}
	m.checkNetwork(t, pods, selected)
	for _, monitor := range m.monitors {
		operations := m.services[1]
		selected("the monitor", monitor.Spec.Selector.MatchLabels, operations.Labels)
		if monitor.Spec.Endpoints[0].Port != operations.Spec.Ports[0].Name || operations.Labels[monitor.Spec.JobLabel] != "filings" {
			t.Errorf("the monitor reads %+v", monitor.Spec)
		}
	}
	for _, c := range m.cronJobs {
		job := c.Spec.JobTemplate.Spec
		if c.Spec.ConcurrencyPolicy != batch.ForbidConcurrent || job.BackoffLimit == nil || *job.ActiveDeadlineSeconds <= 0 ||
			job.Template.Spec.RestartPolicy != core.RestartPolicyNever || job.Template.Spec.Containers[0].Args[0] != "load" {
			t.Errorf("%s: %+v", c.Name, c.Spec)
		}
	}
}

// checkNetwork: policies and ingress mean the pods and ports that they name, and the operations listener is open to nobody by itself.
func (m *manifests) checkNetwork(t *testing.T, pods []pod, selected func(what string, selector, labels map[string]string)) {
	t.Helper()
	for i, p := range m.policies { // of serve, and of loads
		if last := pods[len(pods)-1]; i == 0 || len(pods) > 1 {
			selected("policy "+p.Name, p.Spec.PodSelector.MatchLabels, []pod{pods[0], last}[i].Labels)
		}
		if i == 1 && len(p.Spec.Ingress) > 0 {
			t.Errorf("policy %s: loads accept connections", p.Name)
		}
		for _, rule := range p.Spec.Ingress {
			for _, port := range rule.Ports {
				if !hasPort(pods[0], port.Port.StrVal) || port.Port.StrVal == "operations" && len(rule.From) == 0 {
					t.Errorf("policy %s opens %s to %v", p.Name, port.Port, rule.From)
				}
			}
		}
	}
	for _, i := range m.ingresses {
		to, service := i.Spec.Rules[0].HTTP.Paths[0].Backend.Service, m.services[0]
		if to.Name != service.Name || !slices.ContainsFunc(service.Spec.Ports, func(p core.ServicePort) bool { return p.Name == to.Port.Name }) {
			t.Errorf("the ingress leads to %+v", to)
		}
	}
}

// checkPod is what is expected of every pod: it has no rights, and all that it names is there.
func checkPod(t *testing.T, p pod) {
	t.Helper()
	s, c := p.Spec, p.Spec.Containers[0]
	yes, no, user := true, false, int64(65532) // the image's
	wantPod := &core.PodSecurityContext{
		RunAsNonRoot: &yes, RunAsUser: &user, RunAsGroup: &user, FSGroup: &user, FSGroupChangePolicy: new(core.FSGroupChangeOnRootMismatch),
		SeccompProfile: &core.SeccompProfile{Type: core.SeccompProfileTypeRuntimeDefault},
	}
	want := &core.SecurityContext{AllowPrivilegeEscalation: &no, ReadOnlyRootFilesystem: &yes, Capabilities: &core.Capabilities{Drop: []core.Capability{"ALL"}}}
	if !reflect.DeepEqual(s.SecurityContext, wantPod) || !reflect.DeepEqual(c.SecurityContext, want) || len(s.Containers)+len(s.InitContainers) != 1 ||
		*s.AutomountServiceAccountToken || *s.EnableServiceLinks || s.HostNetwork || s.HostPID {
		t.Errorf("%s has rights: %+v", p.name, s)
	}
	if c.Resources.Limits.Memory().IsZero() {
		t.Errorf("%s has no limit of memory: the program's own follows from it", p.name)
	}
	for _, mount := range c.VolumeMounts {
		if !slices.ContainsFunc(s.Volumes, func(v core.Volume) bool { return v.Name == mount.Name }) {
			t.Errorf("%s mounts %s, which is no volume", p.name, mount.Name)
		}
	}
	if len(c.VolumeMounts) != len(s.Volumes) {
		t.Errorf("%s has %d volumes, and mounts %d", p.name, len(s.Volumes), len(c.VolumeMounts))
	}
	for _, e := range c.Env {
		if strings.HasSuffix(e.Name, "_FILE") && !slices.ContainsFunc(c.VolumeMounts, func(m core.VolumeMount) bool { return m.MountPath == path.Dir(e.Value) }) {
			t.Errorf("%s: %s is %s, where nothing is mounted", p.name, e.Name, e.Value)
		}
	}
	for _, probe := range []*core.Probe{c.LivenessProbe, c.ReadinessProbe} {
		if probe != nil && !hasPort(p, probe.HTTPGet.Port.StrVal) {
			t.Errorf("%s: there is no port for %+v", p.name, probe.HTTPGet)
		}
	}
}

func hasPort(p pod, name string) bool {
	return slices.ContainsFunc(p.Spec.Containers[0].Ports, func(c core.ContainerPort) bool { return c.Name == name })
}

// isPart says whether all of some is in all.
func isPart(some, all map[string]string) bool {
	for name, value := range some {
		if all[name] != value {
			return false
		}
	}
	return true
}

// The time to stop is more than the hook and the service take.
func TestChart_GracePeriod(t *testing.T) {
	t.Parallel()
	for _, set := range []struct{ request, preStop, takes int64 }{{5, 5, 12}, {60, 0, 62}, {1, 30, 33}} {
		out, err := helm(t, "template", fmt.Sprintf("requestTimeoutSeconds: %d\npreStopSeconds: %d", set.request, set.preStop), "--kube-version=1.37.0")
		if err != nil {
			t.Fatal(err)
		}
		m := decode(t, string(out))
		grace := *m.deployments[0].Spec.Template.Spec.TerminationGracePeriodSeconds
		if grace < set.takes+2 || m.configs[0].Data["FILINGS_REQUEST_TIMEOUT"] != fmt.Sprintf("%ds", set.request) {
			t.Errorf("%+v: a grace period of %d s, and %q", set, grace, m.configs[0].Data)
		}
	}
}
