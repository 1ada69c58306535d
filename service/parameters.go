package service

// Parameter is a row of the table of query parameters, for documentation.
type Parameter struct {
	Name       string
	Legacy     string   // another name that still works, or ""
	Endpoints  []string // the paths that take it
	Required   bool     // by all of them
	RequiredOn []string // those of them that require it
	Form       string   // what a value must be, in words
	Default    string   // what holds when it is not given; "" for nothing
	Help       string
	Example    string
}

// Parameters returns the table of query parameters, with the default legacy names.
func Parameters() []Parameter {
	rows := parameters(DefaultLegacyHasDataName)
	all := make([]Parameter, len(rows))
	for i, p := range rows {
		all[i] = Parameter{
			Name: p.name, Legacy: p.legacy, Required: p.required, Endpoints: p.paths(), RequiredOn: p.requiredOn(),
			Form: p.form(), Default: p.fallback, Help: p.help, Example: p.example,
		}
	}
	return all
}

func (p *parameter) paths() (paths []string) {
	for _, e := range surface() {
		if e.takes&p.on != 0 {
			paths = append(paths, e.path)
		}
	}
	return paths
}

func (p *parameter) requiredOn() (paths []string) {
	for _, e := range surface() {
		if e.takes&p.on != 0 && p.requiredBy(e.takes) {
			paths = append(paths, e.path)
		}
	}
	return paths
}
