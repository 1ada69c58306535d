package deploy

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	core "k8s.io/api/core/v1"
)

// runs are the values of the test below, with the addresses of its Elasticsearch and Redis. The ports of the machine may be taken: the
// test chooses others.
const runs = `
settings: {FILINGS_ELASTICSEARCH_URL: %q, FILINGS_REDIS_URL: %q, FILINGS_INDEX: %s, FILINGS_INDEX_REPLICAS: "0"}
existingSecret: ""
requestTimeoutSeconds: 2
loads:
  nightly:
    schedule: "@daily"
    plan: |
      max-shrink: 100
      counties: [{county: "Lake, FL", sources: [lake.csv], map: lake.jq}]
    files:
      lake.jq: '{id: id("Lake, FL"; ."Case number"), county: "Lake, FL", owner: .Purchaser}'
      lake.csv: |
        Case number,Purchaser
        K-1001,EXAMPLE HOLDINGS LLC
`

// The chart's containers are enough for the program: its user, variables and arguments, volumes, and a
// read-only root with nothing in it but the program. Kubernetes' own part (the network, the signal, the
// secrets) is not tested here. It takes a Linux, root, and an Elasticsearch and Redis.
func TestChart_Runs(t *testing.T) {
	engine, keys := os.Getenv("TEST_ELASTICSEARCH_URL"), os.Getenv("TEST_REDIS_URL")
	if engine == "" || keys == "" || os.Getuid() != 0 {
		t.Skip("needs root, TEST_ELASTICSEARCH_URL and TEST_REDIS_URL")
	}
	if os.Getenv("TEST_CHART_INSIDE") == "" { // once more, where mounts are this process's own
		cmd := exec.Command("unshare", "--mount", "--propagation", "private", os.Args[0], "-test.run=^TestChart_Runs$", "-test.v")
		cmd.Env = append(os.Environ(), "TEST_CHART_INSIDE=yes")
		out, err := cmd.CombinedOutput()
		t.Logf("%s", out)
		if err != nil {
			t.Error(err)
		}
		return
	}
	index := fmt.Sprintf("chart%d", time.Now().UnixNano())
	t.Cleanup(func() { deleteIndices(t, engine, index) })
	out, err := helm(t, "template", fmt.Sprintf(runs, engine, keys, index), "--kube-version=1.37.0")
	if err != nil {
		t.Fatal(err)
	}
	m := decode(t, string(out))
	pods := m.pods()
	binary := filepath.Join(t.TempDir(), "filings")
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", binary, "./cmd/filings")
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	load := m.container(t, pods[1], binary)
	for _, want := range []string{`"promoted":true`, `"unchanged":true`} { // the second night has nothing new
		var report, log bytes.Buffer
		night := load()
		night.Stdout, night.Stderr = &report, &log
		if err := night.Run(); err != nil || !strings.Contains(report.String(), want) {
			t.Fatalf("the load: error %v, want %s\n%s%s", err, want, &report, &log)
		}
	}
	unwritable := load()
	unwritable.Env, unwritable.Args = append(unwritable.Env, "TMPDIR=/tmp"), slices.DeleteFunc(unwritable.Args, func(a string) bool { return a == "--if-changed" })
	if out, err := unwritable.CombinedOutput(); err == nil || !strings.Contains(string(out), "/tmp") {
		t.Errorf("without the chart's TMPDIR, the load: error %v; the root can be written to\n%s", err, out)
	}

	container := m.container(t, pods[0], binary)()
	serve := pods[0].Spec.Containers[0]
	at := map[string]string{}
	for i, name := range []string{"FILINGS_LISTEN", "FILINGS_REDIRECT_LISTEN", "FILINGS_OPERATIONS_LISTEN"} {
		at[serve.Ports[i].Name] = freeAddress(t)
		container.Env = append(container.Env, name+"="+at[serve.Ports[i].Name])
	}
	var log bytes.Buffer
	container.Stdout, container.Stderr = &log, &log
	if err := container.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- container.Wait() }()
	defer container.Process.Kill()
	for _, probe := range []*core.Probe{serve.LivenessProbe, serve.ReadinessProbe} {
		within(t, 30*time.Second, func() error {
			res, err := http.Get("http://" + at[probe.HTTPGet.Port.StrVal] + probe.HTTPGet.Path)
			if err == nil && res.StatusCode != http.StatusOK {
				err = fmt.Errorf("%s: %s", probe.HTTPGet.Path, res.Status)
			}
			return err
		})
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", container.Process.Pid))
	for _, want := range []string{`Uid:\s+65532\s+65532`, `Gid:\s+65532\s+65532`, `CapPrm:\s+0{16}\n`, `CapEff:\s+0{16}\n`} {
		if !regexp.MustCompile(want).Match(status) {
			t.Errorf("error %v: want %s in\n%s", err, want, status)
		}
	}
	res, err := http.Get("http://" + at["http"] + "/v1/filings")
	if err != nil || res.Request.URL.Scheme != "https" {
		if err == nil || !strings.Contains(err.Error(), "certificate") { // redirected, to a self-signed one
			t.Errorf("the plain listener: error %v, %+v", err, res)
		}
	}
	grace := time.Duration(*pods[0].Spec.TerminationGracePeriodSeconds-serve.Lifecycle.PreStop.Sleep.Seconds) * time.Second
	if err := container.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("serve ended with %v\n%s", err, &log)
		}
	case <-time.After(grace):
		t.Errorf("serve took more than %v to stop\n%s", grace, &log)
	}
}

// container returns what makes the command of a pod's container: in a root of its own, with the pod's volumes.
func (m *manifests) container(t *testing.T, p pod, program string) func() *exec.Cmd {
	t.Helper()
	root, c := t.TempDir(), p.Spec.Containers[0]
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Chmod(filepath.Dir(root), 0o755))
	text, err := os.ReadFile(program)
	must(err)
	must(os.WriteFile(filepath.Join(root, "filings"), text, 0o755))
	must(os.Mkdir(filepath.Join(root, "tmp"), 0o777))
	for _, mount := range c.VolumeMounts {
		must(os.MkdirAll(filepath.Join(root, mount.MountPath), 0o755))
	}
	must(syscall.Mount(root, root, "", syscall.MS_BIND, ""))
	t.Cleanup(func() { must(syscall.Unmount(root, syscall.MNT_DETACH)) })
	for _, mount := range c.VolumeMounts {
		at, v := filepath.Join(root, mount.MountPath), p.Spec.Volumes[slices.IndexFunc(p.Spec.Volumes, func(v core.Volume) bool { return v.Name == mount.Name })]
		must(syscall.Mount("tmpfs", at, "tmpfs", 0, fmt.Sprintf("mode=2777,gid=%d", *p.Spec.SecurityContext.FSGroup))) // as Kubernetes makes an emptyDir
		if v.ConfigMap == nil {
			continue
		}
		i := slices.IndexFunc(m.configs, func(c core.ConfigMap) bool { return c.Name == v.ConfigMap.Name })
		for name, text := range m.configs[i].Data { // as links, which Kubernetes can change together
			must(os.MkdirAll(filepath.Join(at, "..data"), 0o755))
			write(t, filepath.Join(at, "..data", name), text)
			must(os.Symlink(filepath.Join("..data", name), filepath.Join(at, name)))
		}
		must(syscall.Mount("", at, "", syscall.MS_REMOUNT|syscall.MS_BIND|syscall.MS_RDONLY, ""))
	}
	must(syscall.Mount("", root, "", syscall.MS_REMOUNT|syscall.MS_BIND|syscall.MS_RDONLY, ""))
	settings, err := m.settings(p, nil)
	must(err)
	user, group := uint32(*p.Spec.SecurityContext.RunAsUser), uint32(*p.Spec.SecurityContext.RunAsGroup)
	return func() *exec.Cmd {
		cmd := &exec.Cmd{Path: "/filings", Args: append([]string{"/filings"}, c.Args...), Dir: "/" + strings.TrimPrefix(c.WorkingDir, "/")} // the image's entry point
		for name, value := range settings {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: user, Gid: group, Groups: []uint32{}}}
		return cmd
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// within tries until do returns no error.
func within(t *testing.T, limit time.Duration, do func() error) {
	t.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	var err error
	for end := time.After(limit); ; {
		if err = do(); err == nil {
			return
		}
		select {
		case <-end:
			t.Fatal(err)
		case <-tick.C:
		}
	}
}

// deleteIndices removes what the loads of the test have made.
func deleteIndices(t *testing.T, engine, index string) {
	t.Helper()
	res, err := http.Get(engine + "/_cat/indices/" + index + "*?h=index&expand_wildcards=all")
	if err != nil {
		t.Error(err)
		return
	}
	defer res.Body.Close()
	names, _ := io.ReadAll(res.Body)
	for name := range strings.FieldsSeq(string(names)) {
		request, _ := http.NewRequest(http.MethodDelete, engine+"/"+name, nil)
		if res, err := http.DefaultClient.Do(request); err != nil || res.StatusCode != http.StatusOK {
			t.Errorf("%s was not deleted: %v %v", name, err, res)
		}
	}
}
