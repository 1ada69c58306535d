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
	"strconv"
	"strings"
)

// elasticsearchVersion is that of docker-compose.yml and of the plugin's descriptor; a test compares them.
const elasticsearchVersion = "8.19.7"

// plugin is the source of the plugin that gives the server from Maven Central its tokenizer "ngram".
//
//go:embed plugin
var plugin embed.FS

// distribution returns the home folder of an unpacked Elasticsearch that has the plugin, and that of a JDK for it. The
// first call on a machine fetches it from Maven Central. Several at once are safe: one works, the others wait for it.
func distribution(ctx context.Context, h host) (home, java string, err error) {
	java, err = findJDK(ctx, h)
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
	home = filepath.Join(cache, "elasticsearch-"+elasticsearchVersion+"-"+mark)
	if _, err := os.Stat(home); err == nil {
		return home, java, nil
	}
	// What a run that was killed left of this name is removed first; what is whole appears in one step.
	partial := filepath.Join(cache, "partial")
	if err := os.RemoveAll(partial); err != nil {
		return "", "", err
	}
	defer os.RemoveAll(partial)
	if err := assemble(ctx, partial, java, h); err != nil {
		return "", "", err
	}
	return home, java, os.Rename(filepath.Join(partial, "elasticsearch"), home)
}

// assemble makes the home folder as `elasticsearch` in folder.
func assemble(ctx context.Context, folder, java string, h host) error {
	maven, err := exec.LookPath("mvn")
	if err != nil {
		return absent("mvn is not on the PATH (Debian package maven)")
	}
	h.say("fetching Elasticsearch %s from Maven Central, once (98 MB)", elasticsearchVersion)
	if err := execTool(ctx, maven, "-q", "-B", "-Dstyle.color=never",
		"org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy",
		"-Dartifact=org.elasticsearch.distribution.integ-test-zip:elasticsearch:"+elasticsearchVersion+":zip",
		"-DoutputDirectory="+folder); err != nil {
		return err
	}
	home := filepath.Join(folder, "elasticsearch")
	if err := unzip(filepath.Join(folder, "elasticsearch-"+elasticsearchVersion+".zip"), home); err != nil {
		return err
	}
	return installPlugin(ctx, home, java)
}

// installPlugin compiles the plugin against the libraries in home, into the form that Elasticsearch loads.
func installPlugin(ctx context.Context, home, java string) error {
	folder := filepath.Join(home, "plugins", "ngram")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, name := range pluginFiles() {
		text, err := plugin.ReadFile("plugin/" + name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
			return err
		}
	}
	classes := filepath.Join(folder, "classes")
	if err := execTool(ctx, filepath.Join(java, "bin", "javac"), "--release", strconv.Itoa(oldestJava), "-proc:none",
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

// oldestJava is the oldest Java that Elasticsearch 8 runs on.
const oldestJava = 17

// findJDK returns the home folder of the Java in ES_JAVA_HOME, JAVA_HOME or the PATH, if it is young enough and has a compiler.
func findJDK(ctx context.Context, h host) (string, error) {
	program := "java"
	for _, variable := range []string{"JAVA_HOME", "ES_JAVA_HOME"} {
		if home := h.getenv(variable); home != "" {
			program = filepath.Join(home, "bin", "java")
		}
	}
	output, err := exec.CommandContext(ctx, program, "-XshowSettings:properties", "-version").CombinedOutput()
	if err != nil {
		return "", absent("needs a JDK %d or newer (%w)", oldestJava, err)
	}
	home, version := parseJava(string(output))
	if version < oldestJava {
		return "", absent("needs a JDK %d or newer; %s is older", oldestJava, program)
	}
	if _, err := os.Stat(filepath.Join(home, "bin", "javac")); err != nil {
		return "", absent("needs a JDK %d or newer; the Java in %s has no compiler", oldestJava, home)
	}
	return home, nil
}

// parseJava reads what `java -XshowSettings:properties` prints. The version is 0 before Java 9, which called itself 1.x.
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
