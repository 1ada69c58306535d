package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

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
