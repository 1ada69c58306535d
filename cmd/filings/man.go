package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"filings/cmd/filings/settings"
)

func (p *program) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man",
		Short: "Prints the manual page of the program",
		Long: "Prints the manual page of the program, roff for man(1): what `filings help` says of each command " +
			"and of the settings,\non one page.",
		Example: "  filings man | man -l -\n  filings man >/usr/local/share/man/man1/filings.1",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			page := &roff{}
			page.write(cmd.Root())
			_, err := io.WriteString(p.output, page.String())
			return err
		},
	}
}

// roff is a manual page: all commands and settings on one. Texts go into it line by line, as they
// are in the help, which is laid out already. Cobra's generator (cobra/doc v1.10, by Markdown) was
// tried instead: `man -l` of its pages fills the table of sources of `load` into paragraphs, so
// that names and meanings run together; it writes a page a command, and "Auto generated" on each.
// It adds 830 kB to the program, and a Markdown parser that was last released in 2020.
type roff struct{ strings.Builder }

func (r *roff) write(root *cobra.Command) {
	fmt.Fprintf(r, ".TH FILINGS 1 \"\" \"filings %s\" \"User Commands\"\n", version)
	r.section("SH", "NAME", "filings - "+root.Short)
	r.section("SH", "SYNOPSIS", root.Name()+" COMMAND [flags]")
	r.section("SH", "DESCRIPTION", root.Long)
	r.WriteString(".SH COMMANDS\n")
	for _, c := range root.Commands() {
		r.command(c)
	}
	r.section("SH", "SETTINGS", settings.Help())
}

// command describes a command, and those below it; but the scripts of `completion` have enough in their own help.
func (r *roff) command(c *cobra.Command) {
	if !c.IsAvailableCommand() {
		return
	}
	text := c.Long
	if text == "" {
		text = c.Short
	}
	if flags := c.NonInheritedFlags().FlagUsages(); flags != "" {
		text += "\n\nFlags:\n" + flags
	}
	if c.Example != "" {
		text = strings.TrimRight(text, "\n") + "\n\nExamples:\n" + c.Example
	}
	r.section("SS", c.UseLine(), text)
	for _, child := range c.Commands() {
		if c.Name() != "completion" {
			r.command(child)
		}
	}
}

// section writes text under a heading. A line that begins with a dot or a quote would be an instruction.
func (r *roff) section(macro, heading, text string) {
	escape := strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'")
	heading = strings.ReplaceAll(escape.Replace(heading), `"`, `\(dq`)
	fmt.Fprintf(r, ".%s \"%s\"\n.nf\n%s\n.fi\n", macro, heading,
		strings.TrimPrefix(escape.Replace("\n"+strings.TrimRight(text, "\n")), "\n"))
}
