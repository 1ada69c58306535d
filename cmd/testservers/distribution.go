package main

import (
	"context"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// elasticsearchVersion is that of docker-compose.yml and of the plugin's descriptor; a test compares them.
const elasticsearchVersion = "8.19.7"

// An engine is a search server that Maven Central has: its product as artifacts are named, and its version.
type engine struct{ product, version string }

// usualEngine is the engine of tests, unless they are told otherwise.
var usualEngine = engine{"elasticsearch", elasticsearchVersion}

// engineOf reads PRODUCT:VERSION.
func engineOf(text string) (e engine, err error) {
	e.product, e.version, _ = strings.Cut(text, ":")
	if (e.product != "elasticsearch" && e.product != "opensearch") || !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(e.version) {
		err = errors.New("must be elasticsearch:VERSION or opensearch:VERSION")
	}
	return e, err
}

// name is the product's name for people.
func (e engine) name() string {
	if e.product == "opensearch" {
		return "OpenSearch"
	}
	return "Elasticsearch"
}

// variables begins the names of its environment variables.
func (e engine) variables() string {
	if e.product == "opensearch" {
		return "OPENSEARCH_"
	}
	return "ES_"
}

// oldestJava is the oldest Java that it runs on.
func (e engine) oldestJava() int {
	if e.product == "opensearch" && !strings.HasPrefix(e.version, "2.") {
		return 21
	}
	return pluginJava
}

// plugin is the source of the plugin that gives the server from Maven Central its tokenizer "ngram".
//
//go:embed plugin
var plugin embed.FS

// distribution returns the home folder of an unpacked engine that has the tokenizer, and that of a JDK for it. The
// first call on a machine fetches it from Maven Central. Several at once are safe: one works, the others wait for it.
func distribution(ctx context.Context, e engine, h host) (home, java string, err error) {
	java, err = findJDK(ctx, e.oldestJava(), h)
	if err != nil {
		return "", "", err
	}
	cache, err := cacheFolder()
	if err != nil {
		return "", "", err
	}
	unlock, err := lock(ctx, filepath.Join(cache, "lock"))
	if err != nil {
		return "", "", err
	}
	defer unlock()
	mark, err := pluginMark()
	if err != nil {
		return "", "", err
	}
	home = filepath.Join(cache, e.product+"-"+e.version+"-"+mark)
	if exists(home) {
		return home, java, nil
	}
	// A killed run's rest of this name is removed first; the whole folder appears in one step.
	partial := filepath.Join(cache, "partial")
	if err := os.RemoveAll(partial); err != nil {
		return "", "", err
	}
	defer os.RemoveAll(partial)
	if err := assemble(ctx, e, partial, java, h); err != nil {
		return "", "", err
	}
	return home, java, os.Rename(filepath.Join(partial, e.product), home)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// assemble makes the home folder, named after the product, in folder.
func assemble(ctx context.Context, e engine, folder, java string, h host) error {
	maven, err := exec.LookPath("mvn")
	if err != nil {
		return absent("mvn is not on the PATH (Debian package maven)")
	}
	h.say("fetching %s %s from Maven Central, once (50 to 160 MB)", e.name(), e.version)
	if err := execTool(ctx, maven, "-q", "-B", "-Dstyle.color=never",
		"org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy",
		"-Dartifact=org."+e.product+".distribution.integ-test-zip:"+e.product+":"+e.version+":zip",
		"-DoutputDirectory="+folder); err != nil {
		return err
	}
	home := filepath.Join(folder, e.product)
	if err := unzip(filepath.Join(folder, e.product+"-"+e.version+".zip"), home); err != nil {
		return err
	}
	if exists(filepath.Join(home, "modules", "analysis-common")) {
		return nil // which has the tokenizer
	}
	return installPlugin(ctx, e, home, java)
}

// installPlugin compiles the plugin against the libraries in home, into the form that the engine loads. OpenSearch's classes have
// the names of Elasticsearch's, in packages of its own.
func installPlugin(ctx context.Context, e engine, home, java string) error {
	folder := filepath.Join(home, "plugins", "ngram")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, name := range pluginFiles() {
		text, err := plugin.ReadFile("plugin/" + name)
		if err != nil {
			return err
		}
		adapted := strings.NewReplacer("org.elasticsearch.", "org."+e.product+".",
			"elasticsearch.version="+elasticsearchVersion, e.product+".version="+e.version).Replace(string(text))
		if err := os.WriteFile(filepath.Join(folder, name), []byte(adapted), 0o644); err != nil {
			return err
		}
	}
	classes := filepath.Join(folder, "classes")
	if err := execTool(ctx, filepath.Join(java, "bin", "javac"), "--release", strconv.Itoa(pluginJava), "-proc:none",
		"-cp", filepath.Join(home, "lib", "*"), "-d", classes, filepath.Join(folder, "NGramPlugin.java")); err != nil {
		return err
	}
	if err := execTool(ctx, filepath.Join(java, "bin", "jar"), "--create", "--file", filepath.Join(folder, "ngram.jar"),
		"-C", classes, "."); err != nil {
		return err
	}
	return errors.Join(os.RemoveAll(classes), readableByAll(folder))
}

// pluginMark tells states of the plugin's sources apart.
func pluginMark() (string, error) {
	hash := sha256.New()
	for _, name := range pluginFiles() {
		text, err := plugin.ReadFile("plugin/" + name)
		if err != nil {
			return "", err
		}
		hash.Write(text)
	}
	return fmt.Sprintf("%x", hash.Sum(nil))[:8], nil
}

// pluginFiles are the names of the plugin's sources.
func pluginFiles() []string {
	return []string{"NGramPlugin.java", "plugin-descriptor.properties"}
}

// pluginJava is the Java that the plugin is compiled for, the oldest one that Elasticsearch 8 runs on.
const pluginJava = 17

// findJDK returns the home folder of the Java in ES_JAVA_HOME, JAVA_HOME or the PATH, if it is young enough and has a compiler.
func findJDK(ctx context.Context, oldest int, h host) (string, error) {
	program := "java"
	for _, variable := range []string{"JAVA_HOME", "ES_JAVA_HOME"} {
		if home := h.getenv(variable); home != "" {
			program = filepath.Join(home, "bin", "java")
		}
	}
	output, err := exec.CommandContext(ctx, program, "-XshowSettings:properties", "-version").CombinedOutput()
	if err != nil {
		return "", absent("needs a JDK %d or newer (%w)", oldest, err)
	}
	home, version := parseJava(string(output))
	if version < oldest {
		return "", absent("needs a JDK %d or newer; %s is older", oldest, program)
	}
	if !exists(filepath.Join(home, "bin", "javac")) {
		return "", absent("needs a JDK %d or newer; the Java in %s has no compiler", oldest, home)
	}
	return home, nil
}

// parseJava reads the output of `java -XshowSettings:properties`. The version is 0 before Java 9,
// which called itself 1.x.
func parseJava(output string) (home string, version int) {
	for line := range strings.Lines(output) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " = ")
		switch name {
		case "java.home":
			home = value
		case "java.specification.version":
			version, _ = strconv.Atoi(value)
		}
	}
	return home, version
}
