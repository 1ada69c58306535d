package main

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// heap is enough for some hundred thousand filings, and fits with two test processes into 4 GB.
const heap = "1g"

// cluster is the Elasticsearch that the command needs, or another engine.
type cluster struct {
	engine   engine
	nodes    int
	restarts bool // a node that is killed starts again, with its data and at its address
	light    bool // its code is compiled once
}

// expendable reports whether the command ends nodes, or needs an engine that is not the usual one: these must be started for it alone.
func (c cluster) expendable() bool { return c.nodes > 1 || c.restarts || c.engine != usualEngine }

// options are those of Java, one a line.
func (c cluster) options() string {
	if c.light {
		return "-Xms" + heap + "\n-Xmx" + heap + "\n-XX:TieredStopAtLevel=1"
	}
	return "-Xms" + heap + "\n-Xmx" + heap
}

// localElasticsearch starts nodes of the server from Maven Central.
func localElasticsearch(ctx context.Context, h host, want cluster) (*server, error) {
	home, java, err := distribution(ctx, want.engine, h)
	if err != nil {
		return nil, err
	}
	formations, err := formations(want.nodes)
	if err != nil {
		return nil, err
	}
	all := &server{stop: func() {}}
	var addresses []string
	ended := make(chan error, want.nodes)
	for _, formation := range formations {
		folder, err := os.MkdirTemp("", "testservers-"+want.engine.product+"-")
		if err != nil {
			all.stop()
			return nil, err
		}
		node, err := startNode(home, java, folder, formation, want)
		if err != nil {
			os.RemoveAll(folder)
			all.stop()
			return nil, err
		}
		addresses = append(addresses, node.address)
		others := all.stop
		all.output, all.stop = node.output, func() { node.stop(); others() }
		go func() { ended <- <-node.ended }()
	}
	all.address, all.ended = strings.Join(addresses, ","), ended
	return all, nil
}

// formations returns, for each of so many nodes, the lines of its settings that say how they form a cluster.
func formations(nodes int) ([][]string, error) {
	if nodes == 1 {
		return [][]string{{"discovery.type: single-node", "transport.port: 0"}}, nil
	}
	var seeds, names []string
	for i := range nodes {
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		seeds = append(seeds, "127.0.0.1:"+strconv.Itoa(port))
		names = append(names, "node-"+strconv.Itoa(i+1))
	}
	all := make([][]string, nodes)
	for i := range all {
		_, port, _ := strings.Cut(seeds[i], ":")
		all[i] = []string{
			"cluster.name: testservers-" + strings.ReplaceAll(seeds[0], ":", "-"),
			"node.name: " + names[i],
			"transport.port: " + port,
			"discovery.seed_hosts: [" + strings.Join(seeds, ", ") + "]",
			"cluster.initial_master_nodes: [" + strings.Join(names, ", ") + "]",
		}
	}
	return all, nil
}

// startNode starts a node that keeps configuration, data and logs in folder. formation are the lines of
// settings that say how the node forms a cluster.
func startNode(home, java, folder string, formation []string, want cluster) (*server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	settings := append(formation,
		"http.port: "+strconv.Itoa(port),
		"network.host: 127.0.0.1",
		"path.data: "+filepath.Join(folder, "data"),
		"path.logs: "+filepath.Join(folder, "logs"),
		"path.repo: "+filepath.Dir(folder), // where tests may have snapshots: the same for all nodes
		"cluster.routing.allocation.disk.threshold_enabled: false",
	)
	if want.engine.product == "elasticsearch" {
		settings = append(settings, "xpack.security.enabled: false")
	}
	if err := configure(want.engine, home, folder, want.options(), settings); err != nil {
		return nil, err
	}
	command := exec.Command(filepath.Join(home, "bin", want.engine.product))
	if want.restarts {
		command = again(command.Path)
	}
	// Nothing of our environment: it could hold options for another Java.
	command.Env = []string{
		want.engine.variables() + "JAVA_HOME=" + java,
		want.engine.variables() + "PATH_CONF=" + filepath.Join(folder, "config"),
		want.engine.variables() + "TMPDIR=" + filepath.Join(folder, "tmp"),
		"HOME=" + folder,
		"PATH=/usr/local/bin:/usr/bin:/bin",
	}
	if os.Geteuid() == 0 {
		if err := runAsNobody(command, folder); err != nil {
			return nil, err
		}
	}
	return startServer(command, "http://127.0.0.1:"+strconv.Itoa(port), folder)
}

// again runs a program, and runs it again as often as SIGTERM or SIGKILL ends it, or a child that it stands for.
func again(program string) *exec.Cmd {
	return exec.Command("sh", "-c", `while "$0"; code=$?; [ $code = 143 ] || [ $code = 137 ]; do :; done; exit $code`, program)
}

// configure writes a node's configuration into folder: home's, and our settings.
func configure(e engine, home, folder, options string, settings []string) error {
	config := filepath.Join(folder, "config")
	for _, name := range []string{config, filepath.Join(folder, "tmp")} {
		if err := os.Mkdir(name, 0o700); err != nil {
			return err
		}
	}
	if agent := filepath.Join(home, "agent", "opensearch-agent.jar"); exists(agent) { // without which OpenSearch 3 refuses to start
		options += "\n-javaagent:" + agent
	}
	for name, text := range map[string]string{
		e.product + ".yml": strings.Join(settings, "\n") + "\n",
		"jvm.options":      options + "\n-Djava.io.tmpdir=${" + e.variables() + "TMPDIR}\n",
	} {
		if err := os.WriteFile(filepath.Join(config, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	logging, err := os.ReadFile(filepath.Join(home, "config", "log4j2.properties"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(config, "log4j2.properties"), logging, 0o600)
}

// runAsNobody gives folder to the user nobody and lets command run as that user: Elasticsearch refuses to run as root.
func runAsNobody(command *exec.Cmd, folder string) error {
	nobody, err := user.Lookup("nobody")
	if err != nil {
		return err
	}
	uid, err := strconv.Atoi(nobody.Uid)
	if err != nil {
		return err
	}
	gid, err := strconv.Atoi(nobody.Gid)
	if err != nil {
		return err
	}
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	return filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, uid, gid)
	})
}
